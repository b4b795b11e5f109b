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
  EXPECT_EQ(EndedCheck(Ended("passed"), kResult).conclusion(), ReportCheck::CONCLUSION_SUCCESS);
  EXPECT_EQ(EndedCheck(Ended("flaky"), kResult).conclusion(), ReportCheck::CONCLUSION_SUCCESS);
  EXPECT_EQ(EndedCheck(Ended("failed", "code"), kResult).conclusion(), ReportCheck::CONCLUSION_FAILURE);
  EXPECT_EQ(EndedCheck(Ended("timed_out"), "").conclusion(), ReportCheck::CONCLUSION_FAILURE);
  EXPECT_EQ(EndedCheck(Ended("failed", "infrastructure"), "").conclusion(), ReportCheck::CONCLUSION_NEUTRAL);
  EXPECT_EQ(EndedCheck(Ended("error", "infrastructure"), "").conclusion(), ReportCheck::CONCLUSION_NEUTRAL);
  EXPECT_EQ(EndedCheck(Ended("not_run", "environment"), "").conclusion(), ReportCheck::CONCLUSION_NEUTRAL);
  EXPECT_EQ(EndedCheck(Ended("cancelled"), "").conclusion(), ReportCheck::CONCLUSION_CANCELLED);
  const ReportCheck check = EndedCheck(Ended("error", "infrastructure"), "");
  EXPECT_EQ(check.name(), "yardmaster/test/repo/units");
  EXPECT_EQ(check.attempt(), 3);
  EXPECT_EQ(check.title(), "error (infrastructure)");
  EXPECT_THAT(check.summary(), HasSubstr("says nothing about the code"));
  EXPECT_THAT(check.summary(), Not(HasSubstr("@everybody")));
}

TEST(JobReport, LayersAndFailuresAreToldWithoutTheirMarkup) {
  const ReportCheck check = EndedCheck(Ended("failed", "code"), kResult);
  EXPECT_EQ(check.title(), "failed: 6 tests, 1 failed");
  EXPECT_THAT(check.summary(), HasSubstr("| smoke | passed | 4 | 0 | 1 | 1.2 |"));
  EXPECT_THAT(check.summary(), HasSubstr("| ops | failed | 2 | 1 | 0 | 3.0 |"));
  EXPECT_THAT(check.summary(), HasSubstr("test_add"));
  EXPECT_THAT(check.summary(), Not(HasSubstr("test_sub")));
  EXPECT_THAT(check.summary(), Not(HasSubstr("<b>")));
  EXPECT_THAT(check.summary(), HasSubstr("run 2"));
  EXPECT_THAT(EndedComment(Ended("failed", "code"), kResult), HasSubstr("`repo/units`: failed"));
}

TEST(JobReport, AResultThatIsNoneLeavesTheVerdict) {
  for (const char* result : {"", "{", "[]", "null", R"({"layers": 3, "tests": {"id": 1}})", R"({"layers": [1, {}]})"}) {
    EXPECT_THAT(EndedCheck(Ended("failed"), result).title(), HasSubstr("failed")) << result;
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
