// Work of planners that goes on outside of the pipe's threads. Nothing of it is remembered over a restart: the plan
// that asked for it is then made again and asks again.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_LONG_WORK_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_LONG_WORK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "services/core/executor.h"
#include "services/intake/crash_marks.h"
#include "services/intake/subject_view.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// Thread-safe.
class LongWorkTable {
 public:
  // `done` is called from the executor's threads when work on a subject is over. What is given outlives this object,
  // and this object the executor's tasks.
  LongWorkTable(Executor& executor, CrashMarks& marks, std::function<void(const v1::Subject&)> done)
      : executor_(executor), marks_(marks), done_(std::move(done)) {}

  // See SubjectView::Await. One thread works on one subject. A result is given once: who asks again after that starts
  // the work again. Other work on the same subject takes the place of this one.
  absl::StatusOr<LongResultPtr> Await(const v1::Subject& subject, int64_t delivery, const LongWork& work);
  // Nobody will ask for what was begun on the subject.
  void Forget(const v1::Subject& subject);

 private:
  struct Entry {
    std::string key;
    std::optional<absl::StatusOr<LongResultPtr>> result;  // unset: it goes on
  };

  Executor& executor_;
  CrashMarks& marks_;
  const std::function<void(const v1::Subject&)> done_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, std::shared_ptr<Entry>> by_subject_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_LONG_WORK_H_
