#include "services/dispatch/pulls/job_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster::dispatch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using v1::ReportCheck;

v1::SuiteJob Ended(const std::string& verdict, const std::string& cause = "") {
  v1::SuiteJob job;
  job.set_job("j-1");
  job.set_state("ended");
  job.set_verdict(verdict);
  job.set_runner("box");
  job.set_attempt(2);
  job.mutable_spec()->set_suite("repo/units");
  job.mutable_spec()->set_ref(std::string(40, 'a'));
  job.mutable_spec()->set_check_attempt(3);
  if (!cause.empty()) {
    job.mutable_cause()->set_class_name(cause);
    job.mutable_cause()->set_text("@everybody look: a card is gone");
  }
  return job;
}

constexpr const char* kResult = R"({"layers": [
    {"id": "smoke", "verdict": "passed", "tests": 4, "failed": 0, "skipped": 1, "seconds": 1.25},
    {"id": "ops", "verdict": "failed", "tests": 2, "failed": 1, "skipped": 0, "seconds": 3}],
  "tests": [{"id": "ops::test_add", "verdict": "failed", "message": "<b>1 != 2</b>\nmore"},
            {"id": "ops::test_sub", "verdict": "passed"}]})";

TEST(JobReport, NamesOfPullRequestsAreReadBack) {
  v1::Subject subject;
  subject.set_forge("github");
  subject.set_repository("octo/repo");
  subject.set_number(7);
  EXPECT_EQ(PullName(subject), "github:octo/repo#7");
  const auto back = PullNamed("github:octo/repo#7");
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->repository(), "octo/repo");
  EXPECT_EQ(back->number(), 7);
  EXPECT_EQ(back->kind(), v1::SUBJECT_KIND_PULL_REQUEST);
  for (const char* wrong : {"", "octo/repo#7", "github:octo#7", "github:octo/repo", "github:octo/repo#x", ":o/r#1",
                            "github:octo/repo#0", "github:octo/repo#-1"}) {
    EXPECT_FALSE(PullNamed(wrong).has_value()) << wrong;
  }
}

TEST(JobReport, TheVerdictIsTheCodesOnlyWhereItIs) {
  EXPECT_EQ(EndedCheck({Ended("passed"), kResult}).conclusion(), ReportCheck::CONCLUSION_SUCCESS);
  EXPECT_EQ(EndedCheck({Ended("flaky"), kResult}).conclusion(), ReportCheck::CONCLUSION_SUCCESS);
  EXPECT_EQ(EndedCheck({Ended("failed", "code"), kResult}).conclusion(), ReportCheck::CONCLUSION_FAILURE);
  EXPECT_EQ(EndedCheck({Ended("timed_out"), ""}).conclusion(), ReportCheck::CONCLUSION_FAILURE);
  EXPECT_EQ(EndedCheck({Ended("failed", "infrastructure"), ""}).conclusion(), ReportCheck::CONCLUSION_ACTION_REQUIRED);
  EXPECT_EQ(EndedCheck({Ended("error", "infrastructure"), ""}).conclusion(), ReportCheck::CONCLUSION_ACTION_REQUIRED);
  EXPECT_EQ(EndedCheck({Ended("not_run", "environment"), ""}).conclusion(), ReportCheck::CONCLUSION_ACTION_REQUIRED);
  EXPECT_EQ(EndedCheck({Ended("not_run"), ""}).conclusion(), ReportCheck::CONCLUSION_ACTION_REQUIRED);
  // A change that breaks its own tests can't turn its check green by it.
  EXPECT_EQ(EndedCheck({Ended("error", "code"), ""}).conclusion(), ReportCheck::CONCLUSION_FAILURE);
  EXPECT_EQ(EndedCheck({Ended("error"), ""}).conclusion(), ReportCheck::CONCLUSION_FAILURE);
  EXPECT_EQ(EndedCheck({Ended("cancelled"), ""}).conclusion(), ReportCheck::CONCLUSION_CANCELLED);
  const ReportCheck check = EndedCheck({Ended("error", "infrastructure"), ""});
  EXPECT_EQ(check.name(), "yardmaster/test/repo/units");
  EXPECT_EQ(check.attempt(), 3);
  EXPECT_EQ(check.title(), "error, not the code (infrastructure)");
  EXPECT_THAT(check.summary(), HasSubstr("says nothing about the code"));
  EXPECT_THAT(check.summary(), Not(HasSubstr("@everybody")));
}

TEST(JobReport, JobsThatShareASuiteHaveChecksOfTheirOwnAndAreToldTogether) {
  v1::SuiteJob second = Ended("failed", "code");
  second.mutable_spec()->mutable_shard()->set_index(2);
  second.mutable_spec()->mutable_shard()->set_count(4);
  second.mutable_spec()->mutable_shard()->set_group("j-1");
  EXPECT_EQ(EndedCheck({second, kResult}).name(), "yardmaster/test/repo/units (2/4)");
  EXPECT_THAT(JobsText(std::string(40, 'a'), {{second, kResult}}), HasSubstr("* `repo/units (2/4)`: failed"));
  EXPECT_THAT(JobLine(second, kResult, false), HasSubstr("`repo/units (2/4)`, job"));

  const auto spec = [&](const std::string& suite, const std::string& group, uint32_t index) {
    v1::JobSpec one;
    one.set_suite(suite);
    if (!group.empty()) {
      one.mutable_shard()->set_group(group);
      one.mutable_shard()->set_index(index);
      one.mutable_shard()->set_count(2);
    }
    return one;
  };
  NewestJobs newest;
  EXPECT_TRUE(newest.Takes(spec("units", "j-1", 2)));
  EXPECT_FALSE(newest.Takes(spec("units", "j-1", 2))) << "it was run again";
  EXPECT_TRUE(newest.Takes(spec("units", "j-1", 1)));
  EXPECT_FALSE(newest.Takes(spec("units", "", 0))) << "it was one job before";
  EXPECT_FALSE(newest.Takes(spec("units", "j-0", 1)));
  EXPECT_TRUE(newest.Takes(spec("more", "", 0)));
  EXPECT_FALSE(newest.Takes(spec("more", "", 0)));
  EXPECT_FALSE(newest.Takes(spec("more", "j-0", 1)));
}

TEST(JobReport, LayersAndFailuresAreToldWithoutTheirMarkup) {
  const ReportCheck check = EndedCheck({Ended("failed", "code"), kResult});
  EXPECT_EQ(check.title(), "failed: 6 tests, 1 failed");
  EXPECT_THAT(check.summary(), HasSubstr("| smoke | passed | 4 | 0 | 1 | 1.2 |"));
  EXPECT_THAT(check.summary(), HasSubstr("| ops | failed | 2 | 1 | 0 | 3.0 |"));
  EXPECT_THAT(check.summary(), HasSubstr("test_add"));
  EXPECT_THAT(check.summary(), Not(HasSubstr("test_sub")));
  EXPECT_THAT(check.summary(), Not(HasSubstr("<b>")));
  EXPECT_THAT(check.summary(), HasSubstr("run 2"));
  const std::string all = JobsText(std::string(40, 'a'), {{Ended("failed", "code"), kResult}});
  EXPECT_THAT(all, HasSubstr("`repo/units`: failed: 6 tests, 1 failed"));
  EXPECT_THAT(all, HasSubstr("### Tests of `aaaaaaaaaaaa`"));
}

TEST(JobReport, ALineForEachLayerWhileItRuns) {
  v1::SuiteJob job = Ended("");
  job.set_state("running");
  job.set_expected_seconds(600);
  v1::RunProgress& progress = *job.mutable_progress();
  progress.set_layers_in_all(3);
  v1::LayerProgress& smoke = *progress.add_layers();
  smoke.set_id("smoke");
  smoke.set_verdict("passed");
  smoke.set_tests(4);
  smoke.set_seconds(1.5);
  progress.add_layers()->set_id("<b>unit");
  const ReportCheck check = ProgressCheck(job, 3);
  EXPECT_EQ(check.conclusion(), ReportCheck::CONCLUSION_UNSPECIFIED);
  EXPECT_EQ(check.progress(), 3);
  EXPECT_EQ(check.title(), "layer 2 of 3: <b>unit");
  EXPECT_THAT(check.summary(), HasSubstr("| smoke | passed | 4 | 0 | 0 | 1.5 |"));
  EXPECT_THAT(check.summary(), HasSubstr("unit | running | 0 | 0 | 0 | 0.0 |"));
  EXPECT_THAT(check.summary(), Not(HasSubstr("<b>")));
  EXPECT_THAT(check.summary(), HasSubstr("It usually takes 10 min"));
  EXPECT_THAT(JobsText(std::string(40, 'a'), {{job, ""}}),
              HasSubstr("\n  * smoke: passed, 4 tests, 0 failed, 1.5 s\n  * "));
  EXPECT_THAT(JobsText(std::string(40, 'a'), {{job, ""}}), HasSubstr("unit: running\n  * 1 more to come"));
}

TEST(JobReport, TestsThatFailOnTheBaseAreBrokenOnTrunk) {
  constexpr const char* kHere = R"({"tests": [{"id": "both", "verdict": "failed"}, {"id": "here", "verdict": "failed"},
                                              {"id": "fine", "verdict": "passed"}]})";
  constexpr const char* kThere =
      R"({"tests": [{"id": "both", "verdict": "failed"}, {"id": "here", "verdict": "passed"}]})";
  v1::SuiteJob failed = Ended("failed", "code");
  v1::SuiteJob trunk = Ended("failed", "code");
  trunk.set_job("j-2");
  const std::string text = TrunkComment({trunk, kThere}, {failed, kHere});
  EXPECT_THAT(text, HasSubstr("broken on trunk, too: `both`"));
  EXPECT_THAT(text, HasSubstr("fails with this change only: `here`"));
  EXPECT_THAT(text, Not(HasSubstr("fine")));
  EXPECT_THAT(text, HasSubstr("`j-1`"));
  EXPECT_THAT(TrunkComment({Ended("passed"), ""}, {failed, ""}), HasSubstr("It passes there"));
  EXPECT_THAT(TrunkComment({Ended("error", "infrastructure"), ""}, {failed, ""}),
              HasSubstr("says nothing about what failed"));
}

TEST(JobReport, WhatIsBrokenOnTrunkAsAWholeIsAClassOfItsOwn) {
  constexpr const char* kFails = R"({"tests": [{"id": "both", "verdict": "failed"}]})";
  v1::SuiteJob trunk = Ended("failed", "code");
  trunk.set_job("j-2");
  trunk.mutable_spec()->set_ref(std::string(40, 'b'));
  trunk.mutable_spec()->set_check_attempt(7);
  const ReportedJob on_trunk{trunk, kFails};
  const ReportedJob failed{Ended("failed", "code"), kFails};
  const ReportCheck check = EndedCheck(failed, &on_trunk);
  EXPECT_EQ(check.conclusion(), ReportCheck::CONCLUSION_ACTION_REQUIRED);
  EXPECT_EQ(check.title(), "failed, broken on trunk");
  EXPECT_EQ(check.head(), std::string(40, 'a'));
  EXPECT_EQ(check.attempt(), 7) << "the check that was told has ended";
  EXPECT_THAT(check.summary(), HasSubstr("Class: broken on trunk"));
  EXPECT_THAT(check.summary(), HasSubstr("`bbbbbbbbbbbb`"));
  EXPECT_THAT(JobsText(std::string(40, 'a'), {failed}, {{"j-1", on_trunk}}), HasSubstr("failed, broken on trunk\n"));

  // A test that fails with the change only is the change's; so is one that nobody tried there.
  const ReportedJob more{Ended("failed", "code"),
                         R"({"tests": [{"id": "both", "verdict": "failed"}, {"id": "here", "verdict": "failed"}]})"};
  EXPECT_FALSE(ViewOfTrunk(more, on_trunk).is_class);
  EXPECT_EQ(EndedCheck(more, &on_trunk).conclusion(), ReportCheck::CONCLUSION_FAILURE);
  EXPECT_THAT(EndedCheck(more, &on_trunk).summary(), HasSubstr("broken on trunk, too: `both`"));
  // A machine that failed there shows nothing.
  EXPECT_FALSE(ViewOfTrunk(failed, {Ended("failed", "infrastructure"), kFails}).is_class);
  EXPECT_FALSE(ViewOfTrunk({Ended("failed", "code"), ""}, {Ended("passed"), ""}).is_class);
  EXPECT_TRUE(ViewOfTrunk({Ended("failed", "code"), ""}, {Ended("failed", "code"), ""}).is_class);
}

TEST(JobReport, LinesOfTheLogShowTheFirstCauseWithinBounds) {
  std::string lines;
  for (int i = 0; i < 50; ++i) {
    lines += (i > 0 ? "," : "") + std::string(R"({"line": 1, "rank": 3, "text": "``` @all line )") + std::to_string(i) +
             "\"}";
  }
  const std::string result = R"({"cause": {"step": "ops", "line": 12, "excerpt": [)" + lines + "]}}";
  const std::string summary = EndedCheck({Ended("failed", "code"), result}).summary();
  EXPECT_THAT(summary, HasSubstr("From the log of `ops`, line 12:"));
  EXPECT_THAT(summary, HasSubstr("[rank 3] "));
  EXPECT_THAT(summary, HasSubstr("line 19"));
  EXPECT_THAT(summary, Not(HasSubstr("line 20")));
  EXPECT_THAT(summary, Not(HasSubstr("@all")));
  EXPECT_LT(summary.size(), 5'000U);
}

TEST(JobReport, AResultThatIsNoneLeavesTheVerdict) {
  for (const char* result : {"", "{", "[]", "null", R"({"layers": 3, "tests": {"id": 1}})", R"({"layers": [1, {}]})"}) {
    EXPECT_THAT(EndedCheck({Ended("failed"), result}).title(), HasSubstr("failed")) << result;
  }
}

TEST(JobReport, ChatIsToldInOneLineHowAJobStands) {
  v1::SuiteJob job;
  job.set_job("j-1");
  job.mutable_spec()->set_suite("repo/units");
  EXPECT_EQ(JobLine(job, "", false), "`repo/units`, job `j-1`: waiting");
  job.set_attempt(1);
  EXPECT_EQ(JobLine(job, "", false), "`repo/units`, job `j-1`: running");
  EXPECT_EQ(JobLine(job, "", true), "`repo/units`，任务 `j-1`：运行中");
  EXPECT_EQ(JobLine(Ended("passed"), "", false), "`repo/units`, job `j-1`: **passed**");
  const std::string failed = JobLine(Ended("failed", "code"), kResult, false);
  EXPECT_THAT(failed, HasSubstr("**failed: 6 tests, 1 failed**"));
  EXPECT_THAT(failed, HasSubstr("a card is gone"));
  EXPECT_THAT(failed, Not(HasSubstr("@everybody")));
}

}  // namespace
}  // namespace yardmaster::dispatch
