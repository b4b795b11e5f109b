#include "services/workflow/pull_template.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "clients/forges/shipped_forges.h"
#include "clients/git/git_repository.h"
#include "tests/support/git_work.h"

namespace yardmaster::workflow {
namespace {

TEST(PullTemplate, EachForgeLooksIntoItsOwnFolderFirst) {
  const testing::GitWork work;
  work.Write(".github/PULL_REQUEST_TEMPLATE.md", "GitHub's\n");
  work.Write(".gitcode/PULL_REQUEST_TEMPLATE.md", "GitCode's\n");
  work.Shell("ln -s .gitcode/PULL_REQUEST_TEMPLATE.md .gitcode/PULL_REQUEST_TEMPLATE.zh-CN.md");
  const std::string commit = work.Commit();
  auto repository = GitRepository::Open(work.path());
  ASSERT_TRUE(repository.ok()) << repository.status();
  auto tree = (*repository)->TreeOf(commit);
  ASSERT_TRUE(tree.ok()) << tree.status();
  const auto found = [&](const char* forge) {
    const absl::StatusOr<GitTreeEntry> entry = FindTemplate(**tree, FindForge(ShippedForges(), forge)->pull_templates);
    EXPECT_TRUE(entry.ok()) << entry.status();
    return entry->path;
  };
  EXPECT_EQ(found("github"), ".github/PULL_REQUEST_TEMPLATE.md");
  // A link is no template.
  EXPECT_EQ(found("gitcode"), ".gitcode/PULL_REQUEST_TEMPLATE.md");
  const absl::StatusOr<GitTreeEntry> none = FindTemplate(**tree, {"docs/none.md"});
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->mode, 0U);
}

}  // namespace
}  // namespace yardmaster::workflow
