#include "services/workflow/backport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "services/workflow/commands.h"
#include "tests/support/git_fork.h"

namespace yardmaster::workflow {
namespace {

using ::testing::HasSubstr;
using Outcome = Result::Outcome;

class WorkflowBackportTest : public ::testing::Test {
 protected:
  WorkflowBackportTest() {
    fork_.Elsewhere("upstream", "release/2.0", "only-there");
    work_.Write("b", "1\n2\n3\n");
    fix_ = work_.Commit("fix: count to three");
  }

  BackportRequest Request() const {
    BackportRequest request;
    request.repo = work_.path();
    request.commit = "HEAD";
    request.to = "release/2.0";
    request.time = "20260131T120000Z";
    return request;
  }
  Result Run(const BackportRequest& request) const {
    absl::StatusOr<Result> result = Backport(request, *fork_.git, GitRemotes(*fork_.git, {}));
    if (!result.ok()) throw std::runtime_error(result.status().ToString());
    return *std::move(result);
  }

  const testing::GitFork fork_;
  const testing::GitWork& work_ = fork_.work;
  std::string fix_;
};

TEST_F(WorkflowBackportTest, ACommitOnceMoreOnAnotherBranchWithoutTouchingFiles) {
  work_.Write("b", "dirty\n");
  work_.Write("c", "staged\n");
  work_.Git("add c");
  const std::string status = work_.Git("status --porcelain");
  const Result done = Run(Request());
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(done.branch, "backport/" + fix_.substr(0, 8) + "-to-release/2.0");
  EXPECT_EQ(work_.Git("show " + done.branch + ":b"), "1\n2\n3");
  EXPECT_EQ(work_.Git("rev-parse " + done.branch + "^"), fork_.There("upstream", "release/2.0"));
  EXPECT_EQ(work_.Git("log -1 --format=%an/%cn:%B " + done.branch),
            "Ann/Bob:fix: count to three\n\n(cherry picked from commit " + fix_ + ")\n");
  EXPECT_EQ(fork_.There("origin", done.branch), work_.Git("rev-parse " + done.branch));
  EXPECT_EQ(work_.Git("status --porcelain"), status);
  UndoRequest back;
  back.repo = work_.path();
  EXPECT_EQ(workflow::Undo(back)->outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("branch --list backport/*"), "");
}

TEST_F(WorkflowBackportTest, NewCommitsAreSignedByGpgAsThatIsSetUp) {
  // What git asks of gpg: a signature of its standard input, and a line of its state.
  work_.Shell(
      "printf '#!/bin/sh\\ncat >/dev/null\\necho \"[GNUPG:] SIG_CREATED D\" >&2\\n"
      "echo \"-----BEGIN PGP SIGNATURE-----\"\\necho \"$*\"\\necho \"-----END PGP SIGNATURE-----\"\\n' > ../gpg && "
      "chmod +x ../gpg");
  work_.Git("config gpg.program " + work_.Beside("gpg").string());
  work_.Git("config user.signingKey ABCD");
  work_.Git("config commit.gpgSign true");
  work_.Write("c", "2\n");
  work_.Commit("fix: ü");
  BackportRequest request = Request();
  request.commit = "HEAD~2..HEAD";
  const Result done = Run(request);
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  for (const std::string& commit : {done.branch, done.branch + "~1"}) {
    EXPECT_THAT(work_.Git("cat-file commit " + commit), HasSubstr("gpgsig -----BEGIN PGP SIGNATURE-----"));
    EXPECT_THAT(work_.Git("cat-file commit " + commit), HasSubstr("-bsau ABCD"));
  }
  EXPECT_THAT(work_.Git("log -1 --format=%B " + done.branch), HasSubstr("fix: ü\n\n(cherry picked from commit "));
  // A plan signs nothing: that may need a hand.
  work_.Git("config gpg.program false");
  request.dry_run = true;
  EXPECT_EQ(Run(request).outcome, Outcome::kDone);
}

TEST_F(WorkflowBackportTest, ARangeAndWhatIsThereAlready) {
  work_.Write("c", "2\n");
  work_.Commit("fix: c");
  BackportRequest request = Request();
  request.commit = "HEAD~2..HEAD";
  const Result done = Run(request);
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(work_.Git("log --format=%s upstream/release/2.0.." + done.branch), "fix: c\nfix: count to three");
  // Merged there: nothing is left to do.
  work_.Git("push -q upstream " + done.branch + ":release/2.0");
  EXPECT_EQ(Run(request).outcome, Outcome::kNothing);
}

TEST_F(WorkflowBackportTest, AConflictNamesTheFilesAndChangesNothing) {
  fork_.Elsewhere("upstream", "release/2.0", "b");
  const std::string before = fork_.Everything();
  const Result conflict = Run(Request());
  EXPECT_EQ(conflict.outcome, Outcome::kConflict);
  EXPECT_THAT(conflict.reason, HasSubstr("on release/2.0: b"));
  EXPECT_THAT(conflict.fix, HasSubstr("cherry-pick -x " + fix_));
  EXPECT_EQ(fork_.Everything(), before);
}

TEST_F(WorkflowBackportTest, ADryRunWritesNothing) {
  work_.Git("fetch -q upstream");
  const std::string before = fork_.Everything() + fork_.Objects();
  BackportRequest request = Request();
  request.dry_run = true;
  const Result planned = Run(request);
  EXPECT_EQ(planned.outcome, Outcome::kDone) << planned.reason;
  EXPECT_EQ(planned.pushed.size(), 1U);
  EXPECT_EQ(fork_.Everything() + fork_.Objects(), before);
}

TEST_F(WorkflowBackportTest, WhatIsRefused) {
  const std::string before = fork_.Everything();
  BackportRequest request = Request();
  request.commit = "nowhere";
  EXPECT_EQ(Run(request).outcome, Outcome::kRefused);
  request = Request();
  request.to = "nowhere";
  EXPECT_EQ(Run(request).outcome, Outcome::kRefused);
  EXPECT_EQ(fork_.Everything(), before);
  work_.Git("switch -q -c side HEAD~1");
  work_.Write("d", "d\n");
  work_.Commit("side");
  work_.Git("merge -q --no-edit main");
  EXPECT_THAT(Run(Request()).reason, HasSubstr("is a merge"));
}

}  // namespace
}  // namespace yardmaster::workflow
