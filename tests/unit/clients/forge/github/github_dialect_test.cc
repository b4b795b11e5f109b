#include "clients/forge/github/github_dialect.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::chrono::system_clock::time_point kNow{seconds(1'714'564'800)};

std::optional<ForgeVerdict> Judge(int status, std::string body = "", std::vector<HttpHeader> headers = {}) {
  return GitHubDialect().Judge(OutgoingResponse{status, std::move(headers), std::move(body)}, kNow);
}

TEST(GitHubDialect, SuccessesAndNotModifiedAreNoErrors) {
  for (const int status : {200, 201, 202, 204, 304}) EXPECT_FALSE(Judge(status).has_value()) << status;
}

TEST(GitHubDialect, NoRequestsLeftIsALimitUntilTheReset) {
  const auto verdict = Judge(403, R"({"message": "API rate limit exceeded"})",
                             {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1714564860"}});
  EXPECT_EQ(verdict->reason, ForgeReason::kRateLimited);
  EXPECT_EQ(verdict->retry_after, seconds(61));
}

TEST(GitHubDialect, ASecondaryLimitNamesItsTime) {
  const auto verdict =
      Judge(403, R"({"message": "You have exceeded a secondary rate limit."})", {{"retry-after", "60"}});
  EXPECT_EQ(verdict->reason, ForgeReason::kRateLimited);
  EXPECT_EQ(verdict->retry_after, seconds(60));
}

TEST(GitHubDialect, ASecondaryLimitMayNameNoTime) {
  const auto verdict = Judge(403, R"({"message": "You have exceeded a secondary rate limit. Please wait."})",
                             {{"x-ratelimit-remaining", "4000"}});
  EXPECT_EQ(verdict->reason, ForgeReason::kRateLimited);
  EXPECT_FALSE(verdict->retry_after.has_value());
  EXPECT_EQ(Judge(429)->reason, ForgeReason::kRateLimited);
}

TEST(GitHubDialect, ForbiddenWithoutSignsOfALimitIsForbidden) {
  const auto verdict =
      Judge(403, R"({"message": "Resource not accessible by integration"})", {{"x-ratelimit-remaining", "4000"}});
  EXPECT_EQ(verdict->reason, ForgeReason::kForbidden);
  EXPECT_EQ(verdict->message, "Resource not accessible by integration");
}

TEST(GitHubDialect, AResetLongAgoIsASecond) {
  const auto verdict = Judge(403, "", {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1"}});
  EXPECT_EQ(verdict->retry_after, seconds(1));
}

TEST(GitHubDialect, AResetThatIsNoTimeIsIgnored) {
  for (const char* reset : {"", "x", "-5", "99999999999999999999"}) {
    const auto verdict = Judge(429, "", {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", reset}});
    EXPECT_EQ(verdict->reason, ForgeReason::kRateLimited) << reset;
    EXPECT_FALSE(verdict->retry_after.has_value()) << reset;
  }
  EXPECT_EQ(Judge(429, "", {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "9223372036854775807"}})->retry_after,
            std::chrono::hours(24));
}

TEST(GitHubDialect, AServerErrorMayNameATime) {
  const auto verdict = Judge(503, "<html>", {{"Retry-After", "2"}});
  EXPECT_EQ(verdict->reason, ForgeReason::kServer);
  EXPECT_EQ(verdict->retry_after, milliseconds(2'000));
  EXPECT_EQ(verdict->message, "");
}

TEST(GitHubDialect, MessagesOfAnyShapeAreReadOrLeftOut) {
  EXPECT_EQ(Judge(422, R"({"message": 5, "errors": "none"})")->message, "5");
  EXPECT_EQ(Judge(422, R"({"errors": ["a", {"message": "b"}, {}, "d"]})")->message, "; a; b");
  EXPECT_EQ(Judge(422, R"([1])")->message, "");
}

}  // namespace
}  // namespace yardmaster
