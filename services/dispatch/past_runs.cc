#include "services/dispatch/past_runs.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/suites/device_models.h"
#include "services/core/absl_view.h"

namespace yardmaster::dispatch {
namespace {

// Of each kind of job, so many of the newest runs count.
constexpr size_t kTimesKept = 15;

// Times on processors say nothing about those on cards.
std::string SuiteAndKind(std::string_view suite, const Demand& demand) {
  return absl::StrCat(Abs(suite), "\n", demand.kind);
}

// What `map` has for `first`, whatever the model, as far as the demand allows it.
template <typename Map, typename Visit>
void EachModel(const Map& map, std::string_view first, const Demand& demand, Visit visit) {
  for (auto it = map.lower_bound({std::string(first), ""}); it != map.end() && it->first.first == first; ++it) {
    if (rules::ModelFits(demand.models, it->first.second)) visit(it->second);
  }
}

}  // namespace

void PastRuns::Note(const Job& job) {
  const bool passed = job.verdict == Verdict::kPassed;
  const bool ran = passed || job.verdict == Verdict::kFailed || job.verdict == Verdict::kFlaky;
  // One that was answered by another has no run of its own.
  if (!ran || !job.answered_by.empty() || job.run_began_at == WallTime()) return;
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(job.ended_at - job.run_began_at);
  const std::lock_guard<std::mutex> lock(mutex_);
  // One that failed at once says little about one that passes.
  if (passed && !job.shape.empty() && took.count() >= 0) {
    const Key key(job.shape, job.model);
    const auto [times, fresh] = times_.try_emplace(key);
    times->second.push_back(std::max(took, std::chrono::seconds(1)));
    if (times->second.size() > kTimesKept) times->second.pop_front();
    if (fresh) order_.push_back(key);
  }
  if (passed && !job.answer_key.empty()) {
    const Key key(job.answer_key, job.model);
    if (passed_.insert_or_assign(key, Pass{job.id, job.environment}).second) order_.push_back(key);
  }
  if (!job.suite.empty()) {
    const Key key(SuiteAndKind(job.suite, job.demand), job.model);
    const auto [runs, fresh] = runs_.try_emplace(key);
    runs->second.emplace_back(++noted_, job.id);
    if (runs->second.size() > kRunsOfSuiteKept) runs->second.pop_front();
    if (fresh) order_.push_back(key);
  }
  for (; order_.size() > kPastRunsKept; order_.pop_front()) {
    runs_.erase(order_.front());
    times_.erase(order_.front());
    passed_.erase(order_.front());
  }
}

std::chrono::seconds PastRuns::Expected(std::string_view shape, const Demand& demand) const {
  std::vector<std::chrono::seconds> times;
  const std::lock_guard<std::mutex> lock(mutex_);
  EachModel(times_, shape, demand, [&](const auto& of_model) { absl::c_copy(of_model, std::back_inserter(times)); });
  if (times.empty()) return std::chrono::seconds(0);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::vector<std::string> PastRuns::RunsOf(std::string_view suite, const Demand& demand) const {
  std::vector<std::pair<uint64_t, std::string>> runs;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    EachModel(runs_, SuiteAndKind(suite, demand), demand,
              [&](const auto& of_model) { absl::c_copy(of_model, std::back_inserter(runs)); });
  }
  std::sort(runs.rbegin(), runs.rend());
  std::vector<std::string> jobs;
  jobs.reserve(runs.size());
  for (auto& [place, job] : runs) jobs.push_back(std::move(job));
  return jobs;
}

std::string PastRuns::Passed(std::string_view answer_key, const Demand& demand,
                             const std::set<std::string>& environments) const {
  std::string newest;
  if (answer_key.empty()) return newest;
  const std::lock_guard<std::mutex> lock(mutex_);
  EachModel(passed_, answer_key, demand, [&](const Pass& pass) {
    if (environments.contains(pass.environment)) newest = pass.job;
  });
  return newest;
}

}  // namespace yardmaster::dispatch
