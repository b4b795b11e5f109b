#include "rules/engine/checks/review_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/engine/checks/review.h"

namespace yardmaster::rules {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Finding Found(const std::string& rule, const std::string& path) {
  Finding finding;
  finding.rule_id = rule;
  finding.path = path;
  return finding;
}

TEST(ReviewSettings, ProfilesAreByPackOrForAll) {
  ReviewSettings settings;
  EXPECT_EQ(settings.ProfileOf("pypto"), "");
  settings.profiles = {{"", "strict"}, {"pypto", "handwritten"}};
  EXPECT_EQ(settings.ProfileOf("pypto"), "handwritten");
  EXPECT_EQ(settings.ProfileOf("other"), "strict");
}

TEST(ReviewSettings, SeveritiesReplaceThoseOfThePack) {
  ReviewSettings settings;
  settings.severities["A1"] = Severity::kInfo;
  EXPECT_EQ(Settle(settings, Found("A1", "x.py"), "2026-01-01").severity, Severity::kInfo);
  EXPECT_EQ(Settle(settings, Found("A2", "x.py"), "2026-01-01").severity, Severity::kBlock);
}

TEST(ReviewSettings, ARuleThatIsOffIsToldOnceForEachFile) {
  ReviewSettings settings;
  settings.severities["A1"] = std::nullopt;
  std::vector<Finding> findings = {Found("A1", "x.py"), Found("A1", "x.py"), Found("A1", "y.py"), Found("A2", "x.py")};
  std::vector<SkippedCheck> skipped;
  ApplyReviewSettings(settings, "2026-01-01", findings, skipped);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].rule_id, "A2");
  ASSERT_THAT(skipped, SizeIs(2));
  EXPECT_EQ(skipped[1].path, "y.py");
  EXPECT_EQ(skipped[0].reason, "the repository's file switches this rule off");
  EXPECT_EQ(skipped[0].reason_zh, "仓库的配置文件关闭了这条规则");
}

TEST(ReviewSettings, ExemptionsHoldForTheirRulesAndPathsUntilTheirDay) {
  ReviewSettings settings;
  settings.exemptions.push_back({{"A1"}, {"models/**/*.py"}, "generated", "2026-06-30"});
  const auto stands = [&](const char* rule, const char* path, const char* today) {
    return Settle(settings, Found(rule, path), today).stands;
  };
  EXPECT_FALSE(stands("A1", "models/a/b.py", "2026-06-30"));
  EXPECT_TRUE(stands("A1", "models/a/b.py", "2026-07-01"));
  EXPECT_TRUE(stands("A1", "models/a/b.py", ""));
  EXPECT_TRUE(stands("A2", "models/a/b.py", "2026-01-01"));
  EXPECT_TRUE(stands("A1", "lib/b.py", "2026-01-01"));
  EXPECT_EQ(Settle(settings, Found("A1", "models/b.py"), "2026-01-01").reason,
            "exempted by the repository's file: generated (until 2026-06-30)");
  settings.exemptions = {{{}, {"vendor/**"}, "not ours", ""}};
  EXPECT_FALSE(stands("A9", "vendor/x/y.cc", ""));
}

TEST(ReviewSettings, WithoutAnySettingEverythingStands) {
  std::vector<Finding> findings = {Found("A1", "x.py")};
  std::vector<SkippedCheck> skipped;
  ApplyReviewSettings({}, "", findings, skipped);
  EXPECT_THAT(findings, SizeIs(1));
  EXPECT_THAT(skipped, IsEmpty());
}

TEST(ReviewSettings, AreAboutRulesOrPartsOfThem) {
  Finding finding = Found("A1", "x.py");
  finding.part = "more";
  ReviewSettings settings;
  settings.severities["A1"] = Severity::kInfo;
  EXPECT_EQ(Settle(settings, finding, "2026-01-01").severity, Severity::kInfo);
  settings.severities["A1.more"] = Severity::kMajor;
  EXPECT_EQ(Settle(settings, finding, "2026-01-01").severity, Severity::kMajor);
  EXPECT_EQ(Settle(settings, Found("A1", "x.py"), "2026-01-01").severity, Severity::kInfo);
  settings.exemptions.push_back({{"A1.more"}, {}, "known", ""});
  EXPECT_FALSE(Settle(settings, finding, "2026-01-01").stands);
  EXPECT_TRUE(Settle(settings, Found("A1", "x.py"), "2026-01-01").stands);
  settings.exemptions = {{{"A1"}, {}, "known", ""}};
  EXPECT_FALSE(Settle(settings, finding, "2026-01-01").stands);
}

}  // namespace
}  // namespace yardmaster::rules
