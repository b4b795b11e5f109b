#include "services/triage/decision_log.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace yardmaster {
namespace {

v1::Plan Plan(const std::string& id, int64_t number = 1, const std::string& repository = "octo/hello") {
  v1::Plan plan;
  plan.set_id(id);
  plan.mutable_subject()->set_forge("github");
  plan.mutable_subject()->set_repository(repository);
  plan.mutable_subject()->set_kind(v1::SUBJECT_KIND_ISSUE);
  plan.mutable_subject()->set_number(number);
  return plan;
}

TEST(DecisionLog, FindsByIdUntilNewerOnesPushItOut) {
  DecisionLog log(3);
  for (int i = 0; i < 3; ++i) log.Add(Plan("d-" + std::to_string(i)));
  ASSERT_TRUE(log.FindById("d-0").has_value());
  EXPECT_EQ(log.FindById("d-0")->id(), "d-0");
  log.Add(Plan("d-3"));
  EXPECT_FALSE(log.FindById("d-0").has_value());
  EXPECT_TRUE(log.FindById("d-1").has_value());
  EXPECT_TRUE(log.FindById("d-3").has_value());
  EXPECT_FALSE(log.FindById("unknown").has_value());
}

TEST(DecisionLog, KeepsTheDocumentedNumber) { EXPECT_EQ(DecisionLog().capacity(), kMaxDecisionsKept); }

TEST(DecisionLog, TheNewestDecisionAboutASubjectIsFound) {
  DecisionLog log(10);
  log.Add(Plan("old", 7));
  log.Add(Plan("new", 7));
  log.Add(Plan("other", 8));
  log.Add(Plan("elsewhere", 7, "octo/other"));
  v1::Subject subject = Plan("", 7).subject();
  EXPECT_EQ(log.FindBySubject(subject)->id(), "new");
  subject.set_kind(v1::SUBJECT_KIND_UNSPECIFIED);
  EXPECT_EQ(log.FindBySubject(subject)->id(), "new") << "unspecified means issue";
  subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  EXPECT_FALSE(log.FindBySubject(subject).has_value());
}

TEST(DecisionLog, AFoundPlanOutlivesTheLog) {
  std::optional<v1::Plan> plan;
  {
    DecisionLog log(1);
    log.Add(Plan("kept"));
    plan = log.FindById("kept");
    log.Add(Plan("next"));
  }
  EXPECT_EQ(plan->id(), "kept");
}

TEST(DecisionLog, ASlotIsUsedAgainByPlansOfAnySize) {
  DecisionLog log(1);
  v1::Plan large = Plan("large");
  large.add_labels(std::string(200'000, 'x'));
  for (const v1::Plan& plan : {Plan("small"), large, Plan("again")}) {
    log.Add(plan);
    EXPECT_EQ(log.FindById(plan.id())->SerializeAsString(), plan.SerializeAsString());
  }
}

TEST(DecisionLog, ManyThreadsMayAddAndFind) {
  DecisionLog log(64);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 500; ++i) {
        log.Add(Plan(std::to_string(t) + "-" + std::to_string(i)));
        log.FindById("0-1");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int found = 0;
  for (int t = 0; t < 4; ++t) {
    for (int i = 0; i < 500; ++i)
      found += log.FindById(std::to_string(t) + "-" + std::to_string(i)).has_value() ? 1 : 0;
  }
  EXPECT_EQ(found, 64);
}

}  // namespace
}  // namespace yardmaster
