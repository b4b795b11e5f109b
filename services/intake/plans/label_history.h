// Labels that we or people added to or took off a subject.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_LABEL_HISTORY_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_LABEL_HISTORY_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/store/ledger.h"
#include "services/core/store/subjects.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

struct LabelHistory {
  // Those that our own decisions put on, unless a person added or removed them by a command since.
  std::vector<std::string> ours;
  // Those that people took off, by a command, on the forge, or in a way that we were not told of: never put back by a
  // decision.
  std::vector<std::string> removed;
};

// For a subject with `labels_now` on it.
absl::StatusOr<LabelHistory> ReadLabelHistory(store::Ledger& ledger, store::Subjects& subjects,
                                              const v1::Subject& subject, const std::vector<std::string>& labels_now);

// Records the labels that a person asks for or removes by a command. Does nothing for other actions.
absl::Status RecordPersonsLabels(store::Subjects& subjects, const v1::Subject& subject, const v1::Action& action,
                                 std::string_view person);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_LABEL_HISTORY_H_
