#include "services/workflow/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/support/git_work.h"

namespace yardmaster::workflow {
namespace {

using ::testing::HasSubstr;
using Outcome = Result::Outcome;

class WorkflowDescribeTest : public ::testing::Test {
 protected:
  Result Told(const std::string& scope = "", Language language = Language::kEnglish) const {
    absl::StatusOr<Result> result = GenerateMessage({work_.path(), scope, language});
    if (!result.ok()) throw std::runtime_error(result.status().ToString());
    return *std::move(result);
  }

  const testing::GitWork work_;
};

TEST_F(WorkflowDescribeTest, OfWhatIsStagedElseOfTheLastCommit) {
  EXPECT_EQ(Told().outcome, Outcome::kRefused);
  work_.Write("ops/a.py", "def one(): pass\n");
  work_.Commit("base");
  // 1. The first commit has no parent.
  Result told = Told();
  ASSERT_TRUE(told.message.has_value()) << told.reason;
  EXPECT_EQ(told.message->subject, "feat(ops): add a.py");
  EXPECT_THAT(ToText(told), HasSubstr("- add ops/a.py"));
  EXPECT_EQ(told.steps.back().detail, "of the last commit");
  // 2. What is staged, and not what lies beside it.
  work_.Git("switch -q -c fix/two");
  work_.Write("ops/a.py", "def one(): pass\ndef two(): pass\n");
  work_.Git("add ops/a.py");
  work_.Write("ops/a.py", "def three(): pass\n");
  const std::string before = work_.Git("status --porcelain") + work_.Git("count-objects -v");
  told = Told();
  EXPECT_EQ(told.message->subject, "fix(ops): add two");
  EXPECT_EQ(told.steps.back().detail, "of what is staged");
  EXPECT_EQ(Told("core", Language::kChinese).message->subject, "fix(core): 新增 two");
  EXPECT_EQ(work_.Git("status --porcelain") + work_.Git("count-objects -v"), before);
  // 3. A commit without a change has nothing to tell.
  work_.Git("reset -q --hard");
  work_.Git("commit -q --allow-empty -m empty");
  EXPECT_EQ(Told().outcome, Outcome::kNothing);
}

}  // namespace
}  // namespace yardmaster::workflow
