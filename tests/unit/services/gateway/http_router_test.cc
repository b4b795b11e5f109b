#include "services/gateway/http_router.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

HttpHandler Nothing() {
  return AnswerWith([](const HttpRequest&) { return HttpResponse(); });
}

HttpRouter Router() {
  return HttpRouter({{"GET", "/healthz", Nothing()},
                     {"POST", "/webhooks/*", Nothing()},
                     {"GET", "/both", Nothing()},
                     {"POST", "/both", Nothing()}});
}

TEST(HttpRouter, FindsByMethodAndExactPath) {
  const HttpRouter router = Router();
  ASSERT_NE(router.Find("GET", "/healthz").route, nullptr);
  EXPECT_EQ(router.Find("GET", "/healthz").route->path, "/healthz");
  for (const char* path : {"/healthz/", "/health", "/HEALTHZ", "", "/", "//healthz", "/healthz%20"}) {
    EXPECT_EQ(router.Find("GET", path).route, nullptr) << path;
    EXPECT_EQ(router.Find("GET", path).allow, "") << path;
  }
}

TEST(HttpRouter, AStarIsExactlyOnePart) {
  const HttpRouter router = Router();
  EXPECT_NE(router.Find("POST", "/webhooks/github").route, nullptr);
  for (const char* path : {"/webhooks", "/webhooks/", "/webhooks/a/b", "/webhooksx/a"}) {
    EXPECT_EQ(router.Find("POST", path).route, nullptr) << path;
  }
}

TEST(HttpRouter, AnotherMethodOfAPathNamesThoseAllowed) {
  const HttpRouter router = Router();
  EXPECT_EQ(router.Find("POST", "/healthz").route, nullptr);
  EXPECT_EQ(router.Find("POST", "/healthz").allow, "GET");
  EXPECT_EQ(router.Find("DELETE", "/both").allow, "GET, POST");
  EXPECT_EQ(router.Find("get", "/healthz").allow, "GET") << "methods are case-sensitive";
}

}  // namespace
}  // namespace yardmaster
