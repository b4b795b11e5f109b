#include "services/dispatch/book/turns.h"

namespace yardmaster::dispatch {
namespace {

int64_t UseOf(const std::map<std::string, int64_t>& uses, const std::string& name) {
  const auto found = uses.find(name);
  return found == uses.end() ? 0 : found->second;
}

}  // namespace

void Usage::Add(const Job& job, int64_t devices) {
  repositories[job.repository] += devices;
  submitters[job.submitter] += devices;
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

Turns::Turns(const WaitingJobs& waiting, const Usage& usage) : usage_(usage) {
  heads_.reserve(waiting.lines_.size());
  for (const auto& [key, line] : waiting.lines_) heads_.push_back({&key, line.begin(), line.end()});
}

int64_t Turns::Next() {
  Head* first = nullptr;
  std::pair<WallTime, int64_t> earliest;
  for (Head& head : heads_) {
    if (head.next == head.end) continue;
    const auto& [repository, submitter, priority] = *head.key;
    const int64_t used = UseOf(usage_.repositories, repository) + UseOf(usage_.submitters, submitter);
    const WallTime turn = head.next->first - kTurnBonus * static_cast<int>(priority) + kSharePenalty * used;
    const std::pair<WallTime, int64_t> candidate(turn, head.next->second);
    if (first == nullptr || candidate < earliest) {
      first = &head;
      earliest = candidate;
    }
  }
  if (first == nullptr) return 0;
  ++first->next;
  return earliest.second;
}

}  // namespace yardmaster::dispatch
