// What a comment of ours that is updated in place says now.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_LAST_ANSWER_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_LAST_ANSWER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/intake/plans/subject_run.h"

namespace yardmaster {

struct AnswerBefore {
  std::string text;           // the newest that was written or is about to be, without its marker; empty: there is none
  int64_t next_revision = 0;  // of what replaces it: larger than all before, and never less than the delivery's number
};

// Of the comment of that name on the run's subject. A delivery that was cut short and finds another state may answer
// twice: what it says last has to replace what it said first. Errors are the store's.
absl::StatusOr<AnswerBefore> LastAnswer(const SubjectRun& run, std::string_view name);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_LAST_ANSWER_H_
