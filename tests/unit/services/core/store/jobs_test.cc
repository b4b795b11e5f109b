#include "services/core/store/jobs.h"

#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class JobsTest : public StoreFixture {
 protected:
  Jobs& jobs() { return store_->jobs(); }
  static JobRow Row(const std::string& job, int64_t number, bool ended = false) {
    return {job, number, "github:o/r", ended, ended ? 1 : 0, "record of " + job + (ended ? ", ended" : "")};
  }
};

TEST_F(JobsTest, WhatIsLiveComesBackAfterARestart) {
  JobRows rows;
  rows.jobs = {Row("a", 1), Row("b", 2)};
  rows.leases = {{"a", 1, true, "lease"}};
  rows.runners = {{"r", "runner"}};
  ASSERT_TRUE(jobs().Put(rows, true).ok());
  ASSERT_TRUE(jobs().Put({{Row("b", 2, true)}, {{"a", 1, false, "over"}, {"a", 2, true, "next"}}, {}, {}}, false).ok());
  Open();
  const absl::StatusOr<JobRows> live = jobs().LoadLive();
  ASSERT_TRUE(live.ok()) << live.status();
  ASSERT_THAT(live->jobs, SizeIs(1));
  EXPECT_EQ(live->jobs[0].job, "a");
  EXPECT_EQ(live->jobs[0].record, "record of a");
  ASSERT_THAT(live->leases, SizeIs(1));
  EXPECT_EQ(live->leases[0].fence, 2U);
  EXPECT_EQ(live->leases[0].record, "next");
  ASSERT_THAT(live->runners, SizeIs(1));
  EXPECT_EQ(live->runners[0].record, "runner");
  const absl::StatusOr<JobRow> ended = jobs().Get("b");
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_TRUE(ended->ended);
  EXPECT_EQ(ended->record, "record of b, ended");
  EXPECT_EQ(*jobs().LastNumber(), 2);
}

TEST_F(JobsTest, AnUnknownJobIsNotFound) {
  EXPECT_EQ(jobs().Get("a").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(*jobs().LastNumber(), 0);
}

TEST_F(JobsTest, TheNewestComeFirstPageByPage) {
  JobRows rows;
  for (int64_t i = 1; i <= 3; ++i) rows.jobs.push_back(Row("j" + std::to_string(i), i, i == 3));
  rows.jobs[0].repository = "github:o/other";
  ASSERT_TRUE(jobs().Put(rows, true).ok());
  const auto names = [](const absl::StatusOr<Page<JobRow>>& page) {
    std::vector<std::string> all;
    for (const JobRow& row : page->items) all.push_back(row.job);
    return all;
  };
  absl::StatusOr<Page<JobRow>> page = jobs().List({}, {.limit = 2});
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(names(page), ElementsAre("j3", "j2"));
  page = jobs().List({}, {.before = page->next, .limit = 2});
  EXPECT_THAT(names(page), ElementsAre("j1"));
  EXPECT_EQ(page->next, 0);
  EXPECT_THAT(names(jobs().List({"GitHub:O/Other", false}, {.limit = 9})), ElementsAre("j1"));
  EXPECT_THAT(names(jobs().List({"", true}, {.limit = 9})), ElementsAre("j2", "j1"));
}

TEST_F(JobsTest, RowsThatCannotBeStoredAreRefusedWithAllOthers) {
  JobRows rows;
  rows.jobs = {Row("a", 1), Row("", 2)};
  EXPECT_EQ(jobs().Put(rows, true).code(), absl::StatusCode::kInvalidArgument);
  rows.jobs = {Row("a", 1), Row("b", 2)};
  rows.jobs[1].record.resize(kMaxJobRecordBytes + 1);
  EXPECT_EQ(jobs().Put(rows, true).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(jobs().LoadLive()->jobs, IsEmpty());
}

TEST_F(JobsTest, AForgottenRunnerIsGoneAndMayComeAgain) {
  JobRows rows;
  rows.runners = {{"r", "first"}, {"s", "other"}};
  ASSERT_TRUE(jobs().Put(rows, false).ok());
  JobRows forgotten;
  forgotten.forgotten_runners = {"r"};
  ASSERT_TRUE(jobs().Put(forgotten, false).ok());
  ASSERT_THAT(jobs().LoadLive()->runners, SizeIs(1));
  forgotten.runners = {{"r", "second"}};
  ASSERT_TRUE(jobs().Put(forgotten, false).ok());
  ASSERT_THAT(jobs().LoadLive()->runners, SizeIs(2));
  EXPECT_EQ(jobs().LoadLive()->runners[0].record, "second");
}

}  // namespace
}  // namespace yardmaster::store
