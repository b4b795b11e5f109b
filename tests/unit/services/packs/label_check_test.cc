#include "services/packs/label_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster {
namespace {

using ::testing::HasSubstr;

v1::LabelCheck Check(const std::vector<std::string>& pack_labels, const std::vector<std::string>& names) {
  rules::PackModel pack;
  for (const std::string& name : pack_labels) pack.labels.push_back({name, "", {}});
  pack.guardrails.emplace();
  pack.guardrails->allow = {"kind/bug"};
  v1::LabelCheck check;
  CheckLabels(pack, {names, 2, 20}, check);
  return check;
}

TEST(LabelCheck, NothingIsFoundWhereAllLabelsAreThere) {
  const v1::LabelCheck check = Check({"kind/bug", "area/dtensor"}, {"area/dtensor", "x", "kind/bug"});
  EXPECT_EQ(check.labels(), 2U);
  EXPECT_EQ(check.findings_size(), 0);
}

TEST(LabelCheck, MissingLabelsAreNamedInThePacksOrder) {
  const v1::LabelCheck check = Check({"needs-info", "kind/bug"}, {});
  ASSERT_EQ(check.findings_size(), 2);
  EXPECT_EQ(check.findings(0).label(), "needs-info");
  EXPECT_EQ(check.findings(0).kind(), v1::LabelFinding::KIND_MISSING);
  EXPECT_FALSE(check.findings(0).written());
  EXPECT_TRUE(check.findings(1).written());
}

TEST(LabelCheck, CaseAndBlanksMakeAnotherLabel) {
  const v1::LabelCheck check = Check({"kind/bug", "area: net"}, {"Kind/Bug", "area:net"});
  ASSERT_EQ(check.findings_size(), 2);
  EXPECT_EQ(check.findings(0).kind(), v1::LabelFinding::KIND_SPELLING);
  EXPECT_EQ(check.findings(0).repository_label(), "Kind/Bug");
  EXPECT_EQ(check.findings(1).kind(), v1::LabelFinding::KIND_SPELLING);
  EXPECT_THAT(check.findings(1).message(), HasSubstr("\"area:net\""));
}

TEST(LabelCheck, NamesThatTheForgeRefusesAreCountedInCharacters) {
  const std::string twenty = "标签标签标签标签标签标签标签标签标签标签";
  const v1::LabelCheck check = Check({twenty, twenty + "x", "x"}, {});
  ASSERT_EQ(check.findings_size(), 3);
  EXPECT_EQ(check.findings(0).kind(), v1::LabelFinding::KIND_MISSING);
  EXPECT_EQ(check.findings(1).kind(), v1::LabelFinding::KIND_LENGTH);
  EXPECT_THAT(check.findings(1).message(), HasSubstr("21 characters; the forge takes 2 to 20"));
  EXPECT_EQ(check.findings(2).kind(), v1::LabelFinding::KIND_LENGTH);
}

}  // namespace
}  // namespace yardmaster
