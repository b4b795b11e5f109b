// Addresses of a clone's remotes, as the installed git takes them.
#include "clients/git/git_remotes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/support/git_fork.h"

namespace yardmaster {
namespace {

class GitRemotesTest : public ::testing::Test {
 protected:
  // As a command reads it now.
  std::string UrlOf(const std::string& remote) const { return *GitRemotes(*fork_.git, {}).Url(remote); }
  absl::Status Pushes() const { return GitRemotes(*fork_.git, {}).PushesWhereItFetches("origin"); }

  const testing::GitFork fork_;
  const testing::GitWork& work_ = fork_.work;
};

TEST_F(GitRemotesTest, AnAddressIsWhatGitMakesOfItsSettings) {
  work_.Git("remote set-url origin 'short:alice/my repo (fork).git'");
  work_.Git("config url.https://forge.example/.insteadOf short:");
  EXPECT_EQ(UrlOf("origin"), "https://forge.example/alice/my repo (fork).git");
  EXPECT_EQ(UrlOf("upstream"), work_.Beside("upstream.git"));
  EXPECT_EQ(UrlOf("up"), "");
  EXPECT_TRUE(Pushes().ok());
  // A partial clone has its filter in the list.
  work_.Git("config remote.origin.promisor true && git config remote.origin.partialCloneFilter blob:none");
  EXPECT_EQ(UrlOf("origin"), "https://forge.example/alice/my repo (fork).git");
  EXPECT_TRUE(Pushes().ok());
}

TEST_F(GitRemotesTest, APushThatGoesElsewhereIsNotTakenForOneToTheRemote) {
  EXPECT_TRUE(Pushes().ok());
  work_.Git("config url.https://forge.example/.pushInsteadOf " + work_.Beside("").string());
  EXPECT_FALSE(Pushes().ok());
  work_.Git("config --unset-all url.https://forge.example/.pushInsteadOf");
  for (const std::string name : {"origin.git", "other.git"}) {
    work_.Git("remote set-url --add --push origin " + work_.Beside(name).string());
  }
  EXPECT_TRUE(absl::StrContains(Pushes().message(), "other.git"));
  EXPECT_FALSE(GitRemotes(*fork_.git, {}).PushesWhereItFetches("none").ok());
}

TEST_F(GitRemotesTest, AddressesAreReadOnce) {
  const GitRemotes remotes(*fork_.git, {});
  const std::string origin = *remotes.Url("origin");
  work_.Git("remote set-url origin elsewhere");
  EXPECT_EQ(*remotes.Url("origin"), origin);
  EXPECT_EQ(UrlOf("origin"), "elsewhere");
}

}  // namespace
}  // namespace yardmaster
