#include "services/dispatch/engines/local_engine.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/dispatch/queue/fit.h"

namespace yardmaster::dispatch {
namespace {

// A candidate during a round.
struct Place {
  Candidate candidate;
  std::vector<std::optional<WallTime>> reserved_from;
  size_t free = 0;  // devices that are neither busy nor out
  // When the devices that nobody has set aside will be free, sorted; nullopt: to be found anew.
  std::optional<std::vector<WallTime>> free_at = std::nullopt;

  bool IsFree(size_t device) const { return !candidate.busy_until[device].has_value() && !candidate.out[device]; }
};

// Jobs with the same text fit the same places.
std::string ShapeOf(const Job& job) {
  const Demand& demand = job.demand;
  return absl::StrCat(demand.pool, "\n", absl::StrJoin(demand.labels, ","), "\n", demand.kind, "\n",
                      absl::StrJoin(demand.models, ","), "\n", absl::StrJoin(demand.capability, ","), "\n",
                      demand.count, " ", demand.memory_mib, " ", demand.same_group ? 1 : 0, " ", job.limit.count());
}

// What may be used by a job that surely ends at `ends` (nullopt: nobody knows when).
std::vector<size_t> FreeDevices(const Demand& demand, const Place& place, std::optional<WallTime> ends) {
  return ChooseDevices(demand, *place.candidate.runner, [&](size_t device) {
    if (!place.IsFree(device)) return false;
    const std::optional<WallTime>& reserved = place.reserved_from[device];
    return !reserved.has_value() || (ends.has_value() && *ends <= *reserved);
  });
}

// When enough devices that nobody has set aside will be free, and which; empty: never on this runner.
std::pair<WallTime, std::vector<size_t>> EarliestDevices(const Demand& demand, const Place& place, WallTime now) {
  std::set<WallTime> times = {now};
  for (const auto& until : place.candidate.busy_until) {
    if (until.has_value()) times.insert(std::max(*until, now));
  }
  for (const WallTime time : times) {
    std::vector<size_t> devices = ChooseDevices(demand, *place.candidate.runner, [&](size_t device) {
      if (place.candidate.out[device] || place.reserved_from[device].has_value()) return false;
      const std::optional<WallTime>& until = place.candidate.busy_until[device];
      return !until.has_value() || *until <= time;
    });
    if (!devices.empty()) return {time, std::move(devices)};
  }
  return {};
}

class RoundOfPlacing {
 public:
  RoundOfPlacing(std::vector<Candidate> candidates, WallTime now) : now_(now) {
    places_.reserve(candidates.size());
    for (Candidate& candidate : candidates) {
      Place place;
      place.reserved_from.resize(candidate.busy_until.size());
      place.candidate = std::move(candidate);
      for (size_t i = 0; i < place.reserved_from.size(); ++i) place.free += place.IsFree(i) ? 1 : 0;
      places_.push_back(std::move(place));
    }
  }

  bool TryPlace(const Job& job) {
    const std::string shape = ShapeOf(job);
    if (hopeless_.contains(shape)) return false;
    std::optional<WallTime> ends;
    if (job.limit.count() > 0) ends = now_ + job.limit;
    // Fewest devices left over; elsewhere than where a run of it was lost.
    std::tuple<bool, size_t, std::string_view> best_rank;
    Place* best = nullptr;
    std::vector<size_t> best_devices;
    for (Place& place : places_) {
      if (place.free < job.demand.count || !Missing(job.demand, *place.candidate.runner).empty()) continue;
      std::vector<size_t> devices = FreeDevices(job.demand, place, ends);
      if (devices.empty()) continue;
      const Runner& runner = *place.candidate.runner;
      const std::tuple<bool, size_t, std::string_view> rank(runner.name == job.last_runner, place.free - devices.size(),
                                                            runner.name);
      if (best != nullptr && best_rank <= rank) continue;
      best = &place;
      best_rank = rank;
      best_devices = std::move(devices);
    }
    if (best == nullptr) {
      // Devices only become fewer in a round, so the next of this shape need not try.
      hopeless_.insert(shape);
      return false;
    }
    const std::chrono::seconds length = job.expected.count() > 0 ? job.expected : kUnknownRun;
    for (const size_t device : best_devices) best->candidate.busy_until[device] = now_ + length;
    best->free_at.reset();
    best->free -= best_devices.size();
    round_.placed.push_back({&job, best->candidate.runner, std::move(best_devices)});
    return true;
  }

  void Reserve(const Job& job) {
    if (round_.reserved.size() >= kMaxReservations) return;
    Place* first = nullptr;
    std::pair<WallTime, std::vector<size_t>> earliest;
    for (Place& place : places_) {
      // Most are ruled out by this, which is cheap.
      const std::optional<WallTime> bound = NotBefore(place, job.demand.count);
      if (!bound.has_value() || (first != nullptr && earliest.first <= *bound)) continue;
      if (!Missing(job.demand, *place.candidate.runner).empty()) continue;
      auto found = EarliestDevices(job.demand, place, now_);
      if (found.second.empty() || (first != nullptr && earliest.first <= found.first)) continue;
      first = &place;
      earliest = std::move(found);
    }
    if (first == nullptr) return;
    for (const size_t device : earliest.second) first->reserved_from[device] = earliest.first;
    first->free_at.reset();
    round_.reserved.push_back({job.number, first->candidate.runner, earliest.first});
  }

  Round Take() { return std::move(round_); }

 private:
  // So many devices of the place, whichever, are not free before; nullopt: never.
  std::optional<WallTime> NotBefore(Place& place, size_t count) const {
    if (!place.free_at.has_value()) {
      std::vector<WallTime>& times = place.free_at.emplace();
      for (size_t i = 0; i < place.candidate.busy_until.size(); ++i) {
        if (place.candidate.out[i] || place.reserved_from[i].has_value()) continue;
        times.push_back(std::max(place.candidate.busy_until[i].value_or(now_), now_));
      }
      std::sort(times.begin(), times.end());
    }
    if (count == 0 || place.free_at->size() < count) return std::nullopt;
    return (*place.free_at)[count - 1];
  }

  const WallTime now_;
  std::vector<Place> places_;
  std::set<std::string> hopeless_;
  Round round_;
};

}  // namespace

Round LocalEngine::Place(PlacementInput input) const {
  RoundOfPlacing round(std::move(input.candidates), input.now.wall);
  FairOrder order(input.waiting, input.usage);
  size_t considered = 0;
  for (int64_t number = order.Next(); number != 0 && considered < kMaxJobsConsidered; number = order.Next()) {
    const Job& job = input.job_of(number);
    if (job.ready_at > input.now.steady) continue;
    ++considered;
    if (round.TryPlace(job)) {
      input.usage.Add(job, job.demand.count);
    } else {
      round.Reserve(job);
    }
  }
  return round.Take();
}

}  // namespace yardmaster::dispatch
