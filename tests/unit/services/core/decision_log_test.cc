#include "services/core/decision_log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace yardmaster {
namespace {

std::shared_ptr<const v1::Plan> Plan(const std::string& id, int64_t number = 1,
                                     const std::string& repository = "octo/hello") {
  auto plan = std::make_shared<v1::Plan>();
  plan->set_id(id);
  plan->mutable_subject()->set_forge("github");
  plan->mutable_subject()->set_repository(repository);
  plan->mutable_subject()->set_kind(v1::SUBJECT_KIND_ISSUE);
  plan->mutable_subject()->set_number(number);
  return plan;
}

TEST(DecisionLog, FindsByIdUntilNewerOnesPushItOut) {
  DecisionLog log(3);
  for (int i = 0; i < 3; ++i) log.Add(Plan("d-" + std::to_string(i)));
  ASSERT_NE(log.FindById("d-0"), nullptr);
  EXPECT_EQ(log.FindById("d-0")->id(), "d-0");
  log.Add(Plan("d-3"));
  EXPECT_EQ(log.FindById("d-0"), nullptr);
  EXPECT_NE(log.FindById("d-1"), nullptr);
  EXPECT_NE(log.FindById("d-3"), nullptr);
  EXPECT_EQ(log.FindById("unknown"), nullptr);
}

TEST(DecisionLog, KeepsTheDocumentedNumber) { EXPECT_EQ(DecisionLog().capacity(), kMaxDecisionsKept); }

TEST(DecisionLog, TheNewestDecisionAboutASubjectIsFound) {
  DecisionLog log(10);
  log.Add(Plan("old", 7));
  log.Add(Plan("new", 7));
  log.Add(Plan("other", 8));
  log.Add(Plan("elsewhere", 7, "octo/other"));
  v1::Subject subject = Plan("", 7)->subject();
  EXPECT_EQ(log.FindBySubject(subject)->id(), "new");
  subject.set_kind(v1::SUBJECT_KIND_UNSPECIFIED);
  EXPECT_EQ(log.FindBySubject(subject)->id(), "new") << "unspecified means issue";
  subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  EXPECT_EQ(log.FindBySubject(subject), nullptr);
}

TEST(DecisionLog, AFoundPlanOutlivesTheLog) {
  std::shared_ptr<const v1::Plan> plan;
  {
    DecisionLog log(1);
    log.Add(Plan("kept"));
    plan = log.FindById("kept");
    log.Add(Plan("next"));
  }
  EXPECT_EQ(plan->id(), "kept");
}

TEST(DecisionLog, ManyThreadsMayAddAndFind) {
  DecisionLog log(64);
  std::vector<std::thread> threads;
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
    for (int i = 0; i < 500; ++i) found += log.FindById(std::to_string(t) + "-" + std::to_string(i)) != nullptr ? 1 : 0;
  }
  EXPECT_EQ(found, 64);
}

}  // namespace
}  // namespace yardmaster
