// Commits made once more in memory are what git's own cherry-pick makes of them.
#include "clients/git/git_drafts.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/git_work.h"

namespace yardmaster {
namespace {

TEST(GitDrafts, AReplayGivesTheTreesThatGitsCherryPickGives) {
  const testing::GitWork work;
  work.Git("config user.name Bob");
  work.Git("config user.email bob@example.com");
  work.Write("a", "1\n2\n3\n4\n5\n6\n7\n8\n");
  work.Write("folder/b", "1\n");
  work.Write("folder/deep/c", "1\n");
  work.Write("gone", "1\n");
  work.Shell("ln -s a link");
  work.Commit("base");
  // The other branch: a file changed, one renamed, one more, one gone.
  work.Git("switch -q -c other");
  work.Write("a", "one\n2\n3\n4\n5\n6\n7\n8\n");
  work.Git("mv folder/b folder/renamed");
  work.Write("folder/more", "1\n");
  work.Write("taken", "theirs\n");
  work.Commit("other");
  const std::string onto = work.Git("rev-parse HEAD");

  // What is done → whether git can do it there.
  const std::vector<std::pair<std::string, bool>> changes = {
      {"echo x > new", true},
      {"mkdir -p x/y && echo x > x/y/z", true},
      {"echo 2 > folder/deep/c", true},
      {"chmod +x folder/deep/c", true},
      {"ln -sf folder link", true},
      {"rm gone", true},
      {"git mv folder/deep/c folder/deep/d", true},
      {"sed -i s/8/eight/ a", true},  // merged with the other change of the file
      {"echo 2 >> folder/b", true},   // follows the rename
      {"rm gone && mkdir gone && echo x > gone/x", true},
      {"sed -i s/1/uno/ a", false},  // the line that the other changed
      {"echo mine > taken", false},  // both made one
      {"mkdir taken && echo x > taken/x", false},
      {"echo one > x && sed -i s/1/one/ a", true},  // half of it is there already
      {"sed -i s/1/one/ a", true},                  // all of it is there
  };
  const std::unique_ptr<GitDrafts> drafts = *GitDrafts::Open(work.path());
  for (const auto& [change, fits] : changes) {
    SCOPED_TRACE(change);
    work.Git("checkout -q -f main && git clean -qfdx");
    work.Shell(change);
    work.Commit("change");
    const std::string commit = work.Git("rev-parse HEAD");
    work.Git("checkout -q -f --detach " + onto + " && git clean -qfdx");
    work.Git("cherry-pick --keep-redundant-commits " + commit + " > /dev/null 2>&1 || true");
    const bool git_fits = work.Git("status --porcelain").empty();
    EXPECT_EQ(git_fits, fits);
    const absl::StatusOr<GitReplay> replay = drafts->Replay({commit}, onto, "", {commit, 1'700'000'000});
    ASSERT_TRUE(replay.ok()) << replay.status();
    EXPECT_EQ(replay->stopped_at.empty(), git_fits);
    if (git_fits && replay->stopped_at.empty()) {
      const absl::StatusOr<std::string> pack = drafts->Pack(replay->commits, {}, 1'000'000);
      ASSERT_TRUE(pack.ok()) << pack.status();
      work.Write(".git/made.pack", *pack);
      work.Shell("git unpack-objects -q < .git/made.pack");
      EXPECT_EQ(work.Git("rev-parse '" + replay->tip + "^{tree}'"), work.Git("rev-parse 'HEAD^{tree}'"));
    }
    work.Git("cherry-pick --abort 2>/dev/null || true");
    work.Git("branch -q -f main " + commit + "^");
  }
  work.Git("fsck --strict 2>/dev/null");
}

}  // namespace
}  // namespace yardmaster
