#include "services/dispatch/queue/fair_order.h"

#include <algorithm>

namespace yardmaster::dispatch {
namespace {

int64_t UseOf(const std::map<std::string, int64_t>& uses, const std::string& name) {
  const auto found = uses.find(name);
  return found == uses.end() ? 0 : found->second;
}

void AddUse(std::map<std::string, int64_t>& uses, const std::string& name, int64_t devices) {
  const auto use = uses.try_emplace(name, 0).first;
  use->second += devices;
  if (use->second == 0) uses.erase(use);
}

}  // namespace

void Usage::Add(const Job& job, int64_t devices) {
  AddUse(repositories, job.repository, devices);
  AddUse(submitters, job.submitter, devices);
}

void WaitingJobs::Add(const Job& job) {
  if (lines_[KeyOf(job)].emplace(job.queued_at, job.number).second) ++size_;
}

void WaitingJobs::Remove(const Job& job) {
  const auto line = lines_.find(KeyOf(job));
  if (line == lines_.end()) return;
  size_ -= line->second.erase({job.queued_at, job.number});
  if (line->second.empty()) lines_.erase(line);
}

FairOrder::FairOrder(const WaitingJobs& waiting, const Usage& usage) : usage_(usage) {
  heads_.reserve(waiting.lines_.size());
  for (const auto& [key, line] : waiting.lines_) {
    heads_.push_back({{}, &key, line.begin(), line.end()});
    heads_.back().turn = TurnOf(heads_.back());
  }
  std::make_heap(heads_.begin(), heads_.end(), IsLater);
}

std::pair<WallTime, int64_t> FairOrder::TurnOf(const Head& head) const {
  const auto& [repository, submitter, priority] = *head.key;
  const int64_t used = UseOf(usage_.repositories, repository) + UseOf(usage_.submitters, submitter);
  return {head.next->first - kTurnBonus * static_cast<int>(priority) + kSharePenalty * used, head.next->second};
}

int64_t FairOrder::Next() {
  while (!heads_.empty()) {
    std::pop_heap(heads_.begin(), heads_.end(), IsLater);
    Head& head = heads_.back();
    if (const auto now = TurnOf(head); now != head.turn) {
      // Something of its repository or its submitter was placed.
      head.turn = now;
      std::push_heap(heads_.begin(), heads_.end(), IsLater);
      continue;
    }
    const int64_t number = head.turn.second;
    if (++head.next == head.end) {
      heads_.pop_back();
    } else {
      head.turn = TurnOf(head);
      std::push_heap(heads_.begin(), heads_.end(), IsLater);
    }
    return number;
  }
  return 0;
}

}  // namespace yardmaster::dispatch
