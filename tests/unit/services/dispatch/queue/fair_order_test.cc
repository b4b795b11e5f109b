#include "services/dispatch/queue/fair_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace yardmaster::dispatch {
namespace {

// The rule as its header says it, over all jobs, each time anew.
class PlainOrder {
 public:
  PlainOrder(std::vector<Job> jobs, const Usage& usage) : jobs_(std::move(jobs)), usage_(usage) {}

  int64_t Next() {
    if (jobs_.empty()) return 0;
    const auto first = std::min_element(jobs_.begin(), jobs_.end(), [this](const Job& a, const Job& b) {
      return std::pair(TurnOf(a), a.number) < std::pair(TurnOf(b), b.number);
    });
    const int64_t number = first->number;
    jobs_.erase(first);
    return number;
  }

 private:
  static int64_t UseOf(const std::map<std::string, int64_t>& uses, const std::string& name) {
    const auto use = uses.find(name);
    return use == uses.end() ? 0 : use->second;
  }
  WallTime TurnOf(const Job& job) const {
    return job.queued_at - kTurnBonus * static_cast<int>(job.priority) +
           kSharePenalty * (UseOf(usage_.repositories, job.repository) + UseOf(usage_.submitters, job.submitter));
  }

  std::vector<Job> jobs_;
  const Usage& usage_;
};

TEST(FairOrder, AreThoseOfThePlainRuleWhateverIsPlacedMeanwhile) {
  std::mt19937 random(7);
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 300; ++round) {
    WaitingJobs waiting;
    std::vector<Job> jobs;
    Usage usage;
    for (int i = 1 + below(60); i > 0; --i) {
      Job job;
      job.number = static_cast<int64_t>(jobs.size()) + 1;
      job.repository = "o/r" + std::to_string(below(4));
      job.submitter = "p" + std::to_string(below(5));
      job.priority = static_cast<Priority>(below(3));
      job.queued_at = WallTime(std::chrono::seconds(1'000'000 + below(4'000)));
      if (below(3) == 0) usage.Add(job, below(9));
      waiting.Add(job);
      jobs.push_back(std::move(job));
    }
    // Some go before anybody looks.
    for (int i = below(10); i > 0 && !jobs.empty(); --i) {
      const auto gone = jobs.begin() + below(static_cast<int>(jobs.size()));
      waiting.Remove(*gone);
      jobs.erase(gone);
    }
    EXPECT_EQ(waiting.size(), jobs.size());
    const std::vector<Job> all = jobs;
    FairOrder order(waiting, usage);
    PlainOrder plain(jobs, usage);
    for (size_t i = 0; i <= all.size(); ++i) {
      const int64_t number = order.Next();
      ASSERT_EQ(number, plain.Next()) << "round " << round << ", turn " << i;
      const auto given =
          std::find_if(all.begin(), all.end(), [number](const Job& job) { return job.number == number; });
      if (given != all.end() && below(2) == 0) usage.Add(*given, 1 + below(8));
    }
    EXPECT_EQ(order.Next(), 0);
  }
}

TEST(Usage, WhatIsInUseNoMoreIsForgotten) {
  Job job;
  job.repository = "o/r";
  job.submitter = "p";
  Usage usage;
  usage.Add(job, 3);
  EXPECT_EQ(usage.repositories.at("o/r"), 3);
  usage.Add(job, -3);
  EXPECT_TRUE(usage.repositories.empty());
  EXPECT_TRUE(usage.submitters.empty());
}

}  // namespace
}  // namespace yardmaster::dispatch
