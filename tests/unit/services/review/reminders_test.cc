#include "services/review/reminders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/review/diff_review.h"
#include "services/review/review_comment.h"
#include "services/review/review_messages.h"
#include "tests/support/memory_change.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::shared_ptr<const rules::CheckSet> PackWith(const std::string& reminders) {
  rules::PackFiles files = testing::ReviewPackFiles();
  files["lantern/checks/reminders.json"] = R"({"reminders": )" + reminders + "}";
  Problems problems;
  auto pack = rules::LoadChecks(files, "lantern", problems);
  EXPECT_NE(pack, nullptr) << (problems.empty() ? "" : problems[0].ToString());
  return pack;
}

std::vector<std::string> IdsFor(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                const std::vector<std::string>& paths) {
  std::vector<std::string> ids;
  for (const ChecklistItem& item : RemindersFor(packs, paths)) ids.push_back(item.rule_id);
  return ids;
}

TEST(Reminders, TheTouchedFilesChooseAndTheRiskOrders) {
  const auto pack = PackWith(R"([
    {"id": "LOW", "text": "Small?", "files": ["**/*.cpp"], "risk": 1},
    {"id": "HIGH", "text": "Big?", "files": ["c10/**"], "not_files": ["c10/test/**"], "risk": 5},
    {"id": "WIDE", "text": "Wide?", "files": ["**/*.cpp", "**/*.h"], "risk": 1},
    {"id": "OTHER", "text": "Other?", "files": ["docs/**"], "risk": 5}])");
  EXPECT_THAT(IdsFor({pack}, {"c10/core/a.cpp", "c10/core/a.h"}), ElementsAre("HIGH", "WIDE", "LOW"));
  EXPECT_THAT(IdsFor({pack}, {"c10/test/a.cpp"}), ElementsAre("LOW", "WIDE"));
  EXPECT_THAT(IdsFor({pack}, {"setup.py"}), IsEmpty());
  EXPECT_THAT(IdsFor({pack, pack}, {"docs/x.md"}), ElementsAre("OTHER")) << "what two packs inherit is asked once";
  const auto items = RemindersFor({pack}, {"c10/core/a.cpp", "c10/core/a.h"});
  EXPECT_EQ(items[0].path, "") << "at two files";
  EXPECT_EQ(items[2].path, "c10/core/a.cpp");
  EXPECT_FALSE(items[0].passed.has_value());
}

TEST(Reminders, AChecklistIsShort) {
  std::string all = "[";
  for (int i = 0; i < 9; ++i) {
    all += (i == 0 ? "" : ",") + std::string(R"({"id": "R)") + std::to_string(i) +
           R"(", "text": "?", "files": ["*"], "risk": )" + std::to_string(i % 5 + 1) + "}";
  }
  EXPECT_THAT(IdsFor({PackWith(all + "]")}, {"a.py"}), SizeIs(kMaxReminders));
}

TEST(Reminders, AreToldWithTheReviewOfAChange) {
  const auto pack =
      PackWith(R"([{"id": "ABI", "text": "Does @all of the ABI hold?", "files": ["c10/**"], "risk": 4}])");
  testing::MemoryTree base;
  base["c10/gone.h"] = "int f();\n";
  testing::MemoryChange change(base, {{"other.txt", "x"}});
  const absl::StatusOr<ReviewReport> report = ReviewChange({pack}, change, {});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_THAT(report->checklist, SizeIs(1)) << "of what was removed, too";
  EXPECT_EQ(ReportJson(*report)["checklist"].dump(),
            R"([{"rule_id":"ABI","title":"Does @all of the ABI hold?","path":"c10/gone.h"}])");
  v1::Review review;
  WriteChangeReview(*report, review);
  const std::string comment = ReviewComment(review, {});
  EXPECT_THAT(comment, HasSubstr("**Please look at: 1**"));
  EXPECT_THAT(comment, ::testing::Not(HasSubstr(" @all")));
  EXPECT_EQ(ReadChangeReview(review).checklist[0].path, "c10/gone.h");
}

}  // namespace
}  // namespace yardmaster
