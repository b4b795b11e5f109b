#include "services/intake/plans/long_work.h"

#include "services/intake/event.h"

namespace yardmaster {
namespace {

absl::StatusOr<LongResultPtr> Carry(const LongWork& work, CrashMarks& marks, int64_t delivery) {
  if (absl::Status read = work.read(); !read.ok()) return read;
  const CrashMarks::Computing computing(marks, delivery);
  return work.compute();
}

}  // namespace

absl::StatusOr<LongResultPtr> LongWorkTable::Await(const v1::Subject& subject, int64_t delivery, const LongWork& work) {
  const std::string subject_key = SubjectKey(subject);
  const auto begun = std::make_shared<Entry>(Entry{work.key, {}});
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Entry>& entry = by_subject_[subject_key];
    if (entry != nullptr && entry->key == work.key) {
      if (!entry->result.has_value()) return StillWorking();
      absl::StatusOr<LongResultPtr> result = *std::move(entry->result);
      by_subject_.erase(subject_key);
      return result;
    }
    entry = begun;
  }
  const bool queued = executor_.Run([this, subject, delivery, work, begun] {
    absl::StatusOr<LongResultPtr> result = Carry(work, marks_, delivery);
    const bool goes_on = result.ok() && work.afterwards != nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      begun->result = std::move(result);
    }
    done_(subject);
    if (!goes_on) return;
    // Work that somebody waits for goes first.
    const auto go_on = [this, delivery, afterwards = work.afterwards] {
      const CrashMarks::Computing computing(marks_, delivery);
      afterwards();
    };
    if (!executor_.Run(go_on)) go_on();
  });
  // Too much waits already: it is asked for again.
  if (!queued) Forget(subject);
  return StillWorking();
}

void LongWorkTable::Forget(const v1::Subject& subject) {
  const std::lock_guard<std::mutex> lock(mutex_);
  by_subject_.erase(SubjectKey(subject));
}

}  // namespace yardmaster
