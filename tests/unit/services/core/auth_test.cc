#include "services/core/auth.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace yardmaster {
namespace {

constexpr char kRead[] = "/yardmaster.v1.TriageService/TriageIssue";
constexpr char kReload[] = "/yardmaster.v1.RulesService/ReloadPacks";
constexpr char kLoopback[] = "ipv4:127.0.0.1:40000";
constexpr char kElsewhere[] = "ipv4:192.0.2.7:40000";

const std::vector<MethodRule>& Methods() {
  static const auto* const kMethods = new std::vector<MethodRule>{{kReload, Role::kOperator}, {kRead, Role::kViewer}};
  return *kMethods;
}

std::vector<TokenEntry> Tokens() {
  return {{"watcher", Role::kViewer, Secret("viewer-secret")},
          {"ops", Role::kOperator, Secret("operator-secret")},
          {"root", Role::kAdmin, Secret("admin-secret")}};
}

TEST(Authenticator, ATokenGivesItsNameAndRole) {
  const Authenticator auth(Methods(), Tokens(), false);
  Caller caller;
  ASSERT_TRUE(auth.Admit(kRead, "Bearer viewer-secret", kElsewhere, caller).ok());
  EXPECT_EQ(caller.name, "watcher");
  EXPECT_EQ(caller.role, Role::kViewer);
  EXPECT_FALSE(caller.anonymous);
  ASSERT_TRUE(auth.Admit(kReload, "bearer operator-secret", kElsewhere, caller).ok());
  EXPECT_EQ(caller.name, "ops");
  EXPECT_TRUE(auth.Admit(kReload, "Bearer admin-secret", kElsewhere, caller).ok());
}

TEST(Authenticator, ARoleThatIsTooLowIsPermissionDenied) {
  const Authenticator auth(Methods(), Tokens(), false);
  Caller caller;
  const absl::Status status = auth.Admit(kReload, "Bearer viewer-secret", kElsewhere, caller);
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(status.message().find("operator"), absl::string_view::npos);
}

TEST(Authenticator, ARunnerMayCallWhatWorkersCallAndNothingElse) {
  constexpr char kWork[] = "/yardmaster.v1.RunnerService/Work";
  std::vector<MethodRule> methods = Methods();
  methods.push_back({kWork, Role::kRunner});
  std::vector<TokenEntry> tokens = Tokens();
  tokens.push_back({"gpu-1", Role::kRunner, Secret("runner-secret")});
  const Authenticator auth(methods, tokens, true);
  Caller caller;
  ASSERT_TRUE(auth.Admit(kWork, "Bearer runner-secret", kElsewhere, caller).ok());
  EXPECT_EQ(caller.role, Role::kRunner);
  EXPECT_EQ(auth.Admit(kRead, "Bearer runner-secret", kElsewhere, caller).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(auth.Admit(kReload, "Bearer runner-secret", kElsewhere, caller).code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(auth.Admit(kWork, "Bearer admin-secret", kElsewhere, caller).ok());
  EXPECT_EQ(auth.Admit(kWork, "Bearer operator-secret", kElsewhere, caller).code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(auth.Admit(kWork, "", kLoopback, caller).code(), absl::StatusCode::kPermissionDenied);
}

TEST(Authenticator, NoTokenAndWrongTokensAreUnauthenticated) {
  const Authenticator auth(Methods(), Tokens(), false);
  Caller caller;
  for (const char* header : {"", "Bearer wrong", "Bearer viewer-secre", "Bearer viewer-secret ", "viewer-secret",
                             "Basic viewer-secret", "Bearer", "Bearer "}) {
    EXPECT_EQ(auth.Admit(kRead, header, kLoopback, caller).code(), absl::StatusCode::kUnauthenticated) << header;
  }
}

TEST(Authenticator, AnonymousLoopbackIsAViewerWhereAllowed) {
  const Authenticator auth(Methods(), {}, true);
  Caller caller;
  ASSERT_TRUE(auth.Admit(kRead, "", kLoopback, caller).ok());
  EXPECT_TRUE(caller.anonymous);
  EXPECT_EQ(caller.role, Role::kViewer);
  EXPECT_EQ(auth.Admit(kReload, "", kLoopback, caller).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(auth.Admit(kRead, "", kElsewhere, caller).code(), absl::StatusCode::kUnauthenticated);
}

TEST(Authenticator, AWrongTokenIsRefusedWhereAnAnonymousCallerWouldBeLetIn) {
  const Authenticator auth(Methods(), Tokens(), true);
  Caller caller;
  EXPECT_EQ(auth.Admit(kRead, "Bearer wrong", kLoopback, caller).code(), absl::StatusCode::kUnauthenticated);
}

TEST(Authenticator, AnEmptySecretOpensNothing) {
  const Authenticator auth(Methods(), {{"hole", Role::kAdmin, Secret("")}}, false);
  Caller caller;
  EXPECT_FALSE(auth.Admit(kRead, "Bearer ", kElsewhere, caller).ok());
  EXPECT_FALSE(auth.Admit(kRead, "Bearer x", kElsewhere, caller).ok());
}

TEST(Authenticator, AMethodOutsideOfTheTableIsRefusedForEverybody) {
  const Authenticator auth(Methods(), Tokens(), true);
  Caller caller;
  EXPECT_EQ(auth.Admit("/yardmaster.v1.TriageService/Unknown", "Bearer admin-secret", kLoopback, caller).code(),
            absl::StatusCode::kPermissionDenied);
}

TEST(Authenticator, ReplacedTokensCountFromTheNextCall) {
  Authenticator auth(Methods(), Tokens(), false);
  Caller caller;
  auth.Replace({{"new", Role::kViewer, Secret("new-secret")}}, false);
  EXPECT_FALSE(auth.Admit(kRead, "Bearer viewer-secret", kElsewhere, caller).ok());
  EXPECT_TRUE(auth.Admit(kRead, "Bearer new-secret", kElsewhere, caller).ok());
}

TEST(Authenticator, TokensCanBeReplacedWhileCallsRun) {
  Authenticator auth(Methods(), Tokens(), false);
  std::thread replacer([&] {
    for (int i = 0; i < 200; ++i) auth.Replace(Tokens(), i % 2 == 0);
  });
  int admitted = 0;
  for (int i = 0; i < 2000; ++i) {
    Caller caller;
    admitted += auth.Admit(kRead, "Bearer viewer-secret", kElsewhere, caller).ok() ? 1 : 0;
  }
  replacer.join();
  EXPECT_EQ(admitted, 2000);
}

TEST(IsLoopbackPeer, KnowsGrpcsSpellings) {
  for (const char* peer : {"ipv4:127.0.0.1:5000", "ipv4:127.9.8.7:1", "ipv6:[::1]:5000", "ipv6:%5B::1%5D:5000",
                           "unix:/run/yard.sock", "unix:", "ipv6:%5B::ffff:127.0.0.1%5D:80"}) {
    EXPECT_TRUE(IsLoopbackPeer(peer)) << peer;
  }
  for (const char* peer :
       {"", "ipv4:10.0.0.1:5000", "ipv4:12.7.0.0:1", "ipv6:%5B::1:2%5D:5000", "ipv6:[2001:db8::1]:1", "127.0.0.1:1"}) {
    EXPECT_FALSE(IsLoopbackPeer(peer)) << peer;
  }
}

}  // namespace
}  // namespace yardmaster
