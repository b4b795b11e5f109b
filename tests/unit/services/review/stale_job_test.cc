#include "services/review/stale_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/review/kept_review.h"
#include "tests/unit/services/intake/job_world.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StaleJobTest : public ::testing::Test {
 protected:
  StaleJobTest() { world_.config_.repositories.front().review.events = true; }
  std::string Renew() {
    const absl::StatusOr<std::string> said = world_.RunJob(RenewReviews);
    EXPECT_TRUE(said.ok()) << said.status();
    return said.value_or("");
  }

  testing::JobWorld world_;
};

TEST_F(StaleJobTest, AReviewThatFailedIsAskedForAgainSoOften) {
  world_.OpenPull(7, "a1");
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 1 handed over"));
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 0 handed over")) << "it is under way";
  std::set<std::string> asked;
  for (int i = 1; i < 10; ++i) {
    asked.insert(world_.Waiting().at(0));
    ASSERT_EQ(world_.FailAll(), 1U);
    EXPECT_THAT(Renew(), HasSubstr("1 stale, 1 handed over")) << i;
  }
  EXPECT_THAT(asked, SizeIs(9)) << "each is a request of its own";
  EXPECT_EQ(world_.FailAll(), 1U);
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 0 handed over")) << "ten times are enough";
  world_.OpenPull(7, "b2");
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 1 handed over")) << "another head begins anew";
}

TEST_F(StaleJobTest, AReviewThatEndedWellIsNotAskedForAgain) {
  world_.OpenPull(7, "a1");
  Renew();
  const auto claimed = world_.store_->inbox().Claim(1);
  ASSERT_TRUE(claimed.ok() && claimed->size() == 1);
  EXPECT_TRUE(world_.store_->inbox().MarkDone(claimed->front().id).ok());
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 0 handed over"));
}

TEST_F(StaleJobTest, ManyThatFailDontBlockThoseBehindThem) {
  for (int i = 1; i <= 60; ++i) world_.OpenPull(i, "head" + std::to_string(i));
  EXPECT_THAT(Renew(), HasSubstr("60 stale, 50 handed over"));
  EXPECT_EQ(world_.FailAll(), 50U);
  EXPECT_THAT(Renew(), HasSubstr("60 stale, 50 handed over"));
  std::set<int64_t> numbers;
  const auto claimed = world_.store_->inbox().Claim(500);
  ASSERT_TRUE(claimed.ok());
  for (const store::Delivery& one : *claimed) numbers.insert(one.subject.number());
  for (int i = 51; i <= 60; ++i) EXPECT_TRUE(numbers.contains(i)) << i;
}

// What channels are told of new blocking findings.
class FindingNewsTest : public ::testing::Test {
 protected:
  // A review that ends now. `number` 0: of a range of commits.
  void Reviewed(int64_t number, const std::string& head, const std::vector<std::string>& blocking,
                const std::string& repository = testing::kRepository) {
    ReviewReport nothing;
    ReviewedChange change;
    change.subject.set_forge("github");
    change.subject.set_repository(repository);
    change.subject.set_number(number);
    if (number > 0) change.subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    change.head = head;
    change.revision = "r";
    v1::Review review = MakeReview(nothing, change);
    for (const std::string& rule : blocking) Add(review, rule, v1::FINDING_SEVERITY_BLOCK, v1::FINDING_CHANGE_NEW);
    // None of these is news.
    Add(review, "OLD", v1::FINDING_SEVERITY_BLOCK, v1::FINDING_CHANGE_STILL);
    Add(review, "GONE", v1::FINDING_SEVERITY_BLOCK, v1::FINDING_CHANGE_FIXED);
    Add(review, "SMALL", v1::FINDING_SEVERITY_MAJOR, v1::FINDING_CHANGE_NEW);
    EXPECT_TRUE(world_.store_->reviews().Put(ToStored(review)).ok());
  }
  static void Add(v1::Review& review, const std::string& rule, v1::FindingSeverity severity, v1::FindingChange change) {
    v1::ReviewFinding& finding = *review.add_findings();
    finding.set_rule_id(rule);
    finding.set_severity(severity);
    finding.set_change(change);
  }
  // Of the time from `from` until now.
  std::vector<SaidText> News(store::TimePoint from) {
    std::vector<SaidText> lines;
    v1::Subject repository;
    repository.set_forge("github");
    repository.set_repository(testing::kRepository);
    const auto job = [&](const JobEnvironment& env, const JobTurn&) -> absl::StatusOr<std::string> {
      absl::StatusOr<std::vector<SaidText>> read = ReviewNews().front().read(env, repository, from, Now());
      if (!read.ok()) return read.status();
      lines = *std::move(read);
      return std::string();
    };
    const absl::StatusOr<std::string> done = world_.RunJob(job);
    EXPECT_TRUE(done.ok()) << done.status();
    return lines;
  }
  store::TimePoint Now() const { return world_.clock_.Now(); }
  void Later() { world_.clock_.Advance(std::chrono::minutes(1)); }

  testing::JobWorld world_;
};

TEST_F(FindingNewsTest, NewBlockingFindingsAreToldByPullRequestAndRule) {
  EXPECT_EQ(ReviewNews().front().topic, "findings");
  const store::TimePoint begin = Now();
  Later();
  Reviewed(12, "a1", {"OL02", "OL01", "OL02"});
  Reviewed(3, "b1", {"OL01"});
  Reviewed(4, "c1", {});
  Reviewed(0, "d1", {"OL01"});
  Reviewed(5, "e1", {"OL01"}, "octo/other");
  const std::vector<SaidText> news = News(begin);
  ASSERT_THAT(news, SizeIs(2));
  EXPECT_EQ(news[0].en, "pull request `#\u20603`: 1 new blocking finding, `OL01`");
  EXPECT_EQ(news[1].en, "pull request `#\u206012`: 3 new blocking findings, `OL01`, `OL02` ×2");
  EXPECT_EQ(news[1].zh, "PR `#\u206012`：3 个新的阻塞问题, `OL01`, `OL02` ×2");
}

TEST_F(FindingNewsTest, TheNewestReviewOfTheTimeThatIsToldCounts) {
  Reviewed(1, "a1", {"OL01"});
  const store::TimePoint begin = Now();
  EXPECT_THAT(News(begin), IsEmpty()) << "that was told before";
  Later();
  Reviewed(1, "a2", {"OL01"});
  Later();
  Reviewed(1, "a3", {});
  EXPECT_THAT(News(begin), IsEmpty()) << "it was mended before anybody was told";
  const store::TimePoint mended = Now();
  Later();
  // More than a page of them.
  for (int64_t number = 2; number <= 130; ++number) Reviewed(number, "h" + std::to_string(number), {"OL01"});
  EXPECT_THAT(News(mended), SizeIs(129));
}

}  // namespace
}  // namespace yardmaster
