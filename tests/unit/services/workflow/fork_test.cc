#include "services/workflow/fork.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/git_fork.h"
#include "tests/support/local_forge.h"

namespace yardmaster::workflow {
namespace {

class WorkflowForkTest : public ::testing::Test {
 protected:
  // The number, or the code and the reason.
  std::string Told(const std::string& text) {
    Fork fork = forge_.fork();
    fork.hosts = {"gitcode.com", "git.example.com:8443"};
    const absl::StatusOr<int64_t> number = PullNumber(text, fork);
    return number.ok() ? std::to_string(*number) : number.status().ToString();
  }

  const testing::GitFork fork_;
  testing::LocalForge forge_{fork_};
};

TEST_F(WorkflowForkTest, APullRequestIsNamedInManyWays) {
  for (const char* text :
       {"7", "#7", "octo/repo#7", "Octo/Repo#7", "https://gitcode.com/octo/repo/pull/7",
        "https://GitCode.com/octo/repo/pulls/7/files", "https://gitcode.com/octo/repo/merge_requests/7",
        "https://www.gitcode.com/octo/repo/-/merge_requests/7#note", "https://gitcode.com:443/octo/repo/pull/7",
        "https://git.example.com:8443/octo/repo/pull/7"}) {
    EXPECT_EQ(Told(text), "7") << text;
  }
}

// A number of another place is never taken for one of upstream.
TEST_F(WorkflowForkTest, OnesOfOtherPlacesAreRefused) {
  for (const char* text :
       {"https://github.com/octo/repo/pull/7", "https://git.example.com/octo/repo/pull/7",
        "https://gitcode.com@evil.example/octo/repo/pull/7", "other/repo#7", "https://gitcode.com/other/repo/pull/7"}) {
    EXPECT_THAT(Told(text), ::testing::StartsWith("FAILED_PRECONDITION")) << text;
  }
  for (const char* text : {"", "x", "#", "0", "7x", "https://gitcode.com/octo/repo/issues/7"}) {
    EXPECT_THAT(Told(text), ::testing::StartsWith("INVALID_ARGUMENT")) << text;
  }
}

TEST_F(WorkflowForkTest, WhereATokenIsMadeIsTold) {
  Fork fork = forge_.fork();
  fork.token_page = "https://gitcode.com/setting/token-classic";
  const absl::Status refused = MakeForgeStatus({ForgeReason::kUnauthorized, ForgeOutcome::kNotSent, 401, {}}, "401");
  const absl::StatusOr<Result> failed = ForgeRefused(fork, Result(), refused);
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ(failed->outcome, Result::Outcome::kFailed);
  EXPECT_THAT(failed->fix, ::testing::EndsWith("; make one: https://gitcode.com/setting/token-classic"));
}

}  // namespace
}  // namespace yardmaster::workflow
