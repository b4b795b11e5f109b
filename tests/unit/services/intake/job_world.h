// What jobs of schedules stand on, over World (world.h).
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_JOB_WORLD_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_JOB_WORLD_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "services/intake/sweeps/scheduled.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster::testing {

class JobWorld : public World {
 public:
  absl::StatusOr<std::string> RunJob(const JobFunction& job) {
    SweepRunner sweeps({*environment_, store_->schedules()});
    const JobEnvironment env{*environment_, sweeps, *store_, packs_, nullptr, &news_};
    return job(env, {schedule_, clock_.Now(), stopping_});
  }
  // Pull request `number` of the repository.
  ForgePull& OpenPull(int64_t number, const std::string& head) {
    ForgePull& pull = forge_.pulls[{kRepository, number}];
    pull.number = number;
    pull.state = ForgeState::kOpen;
    pull.head_sha = head;
    pull.head_repository = kRepository;
    pull.author.login = "alice";
    return pull;
  }
  // Ids of the deliveries that wait, the oldest first.
  std::vector<std::string> Waiting() {
    store::DeliveryFilter filter;
    filter.state = store::DeliveryState::kReceived;
    const auto page = store_->inbox().List(filter, {0, 500});
    EXPECT_TRUE(page.ok()) << page.status();
    std::vector<std::string> ids;
    if (!page.ok()) return ids;
    for (auto one = page->items.rbegin(); one != page->items.rend(); ++one) ids.push_back(one->delivery_id);
    return ids;
  }
  // Ends all that wait as failed. Returns how many these were.
  size_t FailAll() {
    const auto claimed = store_->inbox().Claim(500);
    EXPECT_TRUE(claimed.ok()) << claimed.status();
    if (!claimed.ok()) return 0;
    for (const store::Delivery& one : *claimed) EXPECT_TRUE(store_->inbox().MarkFailed(one.id, "planning-failed").ok());
    return claimed->size();
  }

  ScheduleConfig schedule_;
  std::function<bool()> stopping_ = [] { return false; };
  std::vector<NewsSource> news_;
  PackRegistry packs_{"no-folder", std::make_shared<const PackSet>(PackSet::Packs())};
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_JOB_WORLD_H_
