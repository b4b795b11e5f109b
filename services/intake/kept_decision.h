// What the kinds of work on a subject share: decisions that are kept, and labels that people have had a say about.
#ifndef YARDMASTER_SERVICES_INTAKE_KEPT_DECISION_H_
#define YARDMASTER_SERVICES_INTAKE_KEPT_DECISION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/intake/subject_work.h"

namespace yardmaster {

// Gives a plan its id and time and stores it.
absl::Status KeepDecision(const WorkEnvironment& env, const WorkItem& item, const std::string& digest, v1::Plan& plan);

struct TakenOff {
  std::vector<std::string> ours;     // labels that we put on by our own decision
  std::vector<std::string> removed;  // labels that people took off: never put back
};
// For a subject with `labels` on it now.
absl::StatusOr<TakenOff> LabelsTakenOff(const WorkEnvironment& env, const v1::Subject& subject,
                                        const std::vector<std::string>& labels);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_KEPT_DECISION_H_
