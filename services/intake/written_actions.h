// What was written about a subject before, by the ledger.
#ifndef YARDMASTER_SERVICES_INTAKE_WRITTEN_ACTIONS_H_
#define YARDMASTER_SERVICES_INTAKE_WRITTEN_ACTIONS_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/store/ledger.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// Actions of a kind ("report_check") on the subject that were written or are about to be, the newest first; a few
// hundred at most.
absl::StatusOr<std::vector<v1::Action>> WrittenActions(store::Ledger& ledger, const v1::Subject& subject,
                                                       std::string_view kind);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_WRITTEN_ACTIONS_H_
