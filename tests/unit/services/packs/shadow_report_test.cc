#include "services/packs/shadow_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace yardmaster {
namespace {

using Difference = v1::ShadowDifference;

v1::ShadowRun MakeRun(int64_t number, const std::string& shadow = "s1", const std::string& planner = "triage") {
  v1::ShadowRun run;
  run.mutable_subject()->set_forge("github");
  run.mutable_subject()->set_repository("octo/repo");
  run.mutable_subject()->set_number(number);
  run.mutable_subject()->set_kind(planner == "review" ? v1::SUBJECT_KIND_PULL_REQUEST : v1::SUBJECT_KIND_ISSUE);
  run.set_planner(planner);
  run.set_pack("tiny");
  run.set_base_revision("b1");
  run.set_shadow_revision(shadow);
  run.mutable_created_at()->set_seconds(1'000 - number);
  return run;
}

void Differ(v1::ShadowRun& run, Difference::Kind kind, const std::string& name, bool in_shadow,
            const std::string& rule) {
  Difference& difference = *run.add_differences();
  difference.set_kind(kind);
  difference.set_name(name);
  difference.set_in_shadow(in_shadow);
  difference.add_rules(rule);
  difference.set_why("because of " + rule);
}

TEST(ShadowReportTest, LabelsAndRulesAreCountedAndPeopleAreTheJudges) {
  const std::map<int64_t, bool> wanted = {{1, true}, {2, false}, {3, true}};
  ShadowReport report(2, [&](const v1::ShadowRun& run, const std::string& label) -> std::optional<bool> {
    EXPECT_EQ(label, "net");
    const auto found = wanted.find(run.subject().number());
    return found == wanted.end() ? std::nullopt : std::optional<bool>(found->second);
  });
  for (const int64_t number : {4, 1, 2}) {
    v1::ShadowRun run = MakeRun(number);
    run.add_shadow("net");
    Differ(run, Difference::KIND_LABEL, "net", true, "net.word");
    report.Add(run);
  }
  v1::ShadowRun lost = MakeRun(3);
  lost.add_base("net");
  Differ(lost, Difference::KIND_LABEL, "net", false, "net.api");
  report.Add(lost);
  v1::ShadowRun agreed = MakeRun(5);
  agreed.add_base("net");
  agreed.add_shadow("net");
  report.Add(agreed);
  // Not the newest of its issue, and not the newest revision.
  report.Add(lost);
  report.Add(MakeRun(9, "s0"));

  v1::ShadowReportResponse out;
  report.Write(out);
  ASSERT_EQ(out.summaries_size(), 1);
  const v1::ShadowSummary& summary = out.summaries(0);
  EXPECT_EQ(summary.shadow_revision(), "s1");
  EXPECT_EQ(summary.decisions(), 5U);
  EXPECT_EQ(summary.decisions_changed(), 4U);
  EXPECT_EQ(summary.last_at().seconds(), 996);
  EXPECT_EQ(summary.first_at().seconds(), 995);
  ASSERT_EQ(summary.labels_size(), 1);
  const v1::ShadowTally& net = summary.labels(0);
  EXPECT_EQ(net.base(), 2U);
  EXPECT_EQ(net.shadow(), 4U);
  EXPECT_EQ(net.added(), 3U);
  EXPECT_EQ(net.removed(), 1U);
  EXPECT_EQ(net.shadow_right(), 1U) << "put on, as only the shadow does";
  EXPECT_EQ(net.base_right(), 2U) << "one was taken off, one was put on that only the shadow lacks";
  ASSERT_EQ(net.examples_size(), 2) << "at most two, and those that were judged first";
  EXPECT_EQ(net.examples(0).subject().number(), 1);
  EXPECT_EQ(net.examples(0).verdict(), v1::SHADOW_VERDICT_SHADOW);
  ASSERT_EQ(summary.rules_size(), 2);
  EXPECT_EQ(summary.rules(0).name(), "net.word");
  EXPECT_EQ(summary.rules(0).added(), 3U);
  EXPECT_EQ(summary.rules(1).removed(), 1U);
}

TEST(ShadowReportTest, FindingsAreCountedByRuleAndFailuresAreTold) {
  ShadowReport report(3, nullptr);
  v1::ShadowRun review = MakeRun(7, "s1", "review");
  review.add_base("R1");
  Differ(review, Difference::KIND_FINDING, "R1", false, "R1");
  report.Add(review);
  v1::ShadowRun failed = MakeRun(8, "s1", "review");
  failed.set_error("out of memory");
  failed.add_unfinished("R2");
  report.Add(failed);
  v1::ShadowReportResponse out;
  report.Write(out);
  const v1::ShadowSummary& summary = out.summaries(0);
  EXPECT_EQ(summary.reviews(), 2U);
  EXPECT_EQ(summary.reviews_changed(), 1U);
  EXPECT_EQ(summary.failed(), 1U);
  EXPECT_EQ(summary.failure(), "out of memory");
  EXPECT_EQ(summary.unfinished(), 1U);
  EXPECT_THAT(summary.unfinished_rules(), ::testing::ElementsAre("R2"));
  EXPECT_EQ(summary.labels_size(), 0);
  ASSERT_EQ(summary.rules_size(), 1);
  EXPECT_EQ(summary.rules(0).kind(), Difference::KIND_FINDING);
  EXPECT_EQ(summary.rules(0).base(), 1U);
  EXPECT_EQ(summary.rules(0).shadow(), 0U);
}

}  // namespace
}  // namespace yardmaster
