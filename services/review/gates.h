// Gates: what must hold before an operator goes on to its next phase, design hand-over or stage.
#ifndef YARDMASTER_SERVICES_REVIEW_GATES_H_
#define YARDMASTER_SERVICES_REVIEW_GATES_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/review/operator_state.h"
#include "services/review/report.h"
#include "services/review/review_run.h"

namespace yardmaster {

// Rule of our own: a gate that has nothing to judge stays closed.
inline constexpr std::string_view kGateRule = "YM-GATE";
// Names of moments that mean something here; which checks run then is the pack's.
inline constexpr std::string_view kEditMoment = "edit";
inline constexpr std::string_view kPreEditMoment = "pre-edit";
inline constexpr std::string_view kShellMoment = "shell";
inline constexpr std::string_view kFrozenMoment = "frozen";
inline constexpr std::string_view kStageMoment = "stage";

struct GateRequest {
  std::string gate;          // a moment of the pack: "phase", "design", "stage"
  std::optional<int> stage;  // nullopt: as the operator's state file says; without one, checks of all stages
  std::string phase;         // "M1", …; given to conditions as option `phase`
  std::map<std::string, std::string> options{};  // what else conditions see as "option"
  std::string profile;
  std::string folder;  // of the operator, for findings about nothing in particular; may be empty
  size_t jobs = 1;
};

// Runs a gate over an operator's files. The gate is open if nothing that blocks was found, no frozen file changed, and
// at least one of its checks could be judged. `state` is the operator's memory: frozen files are kept in it. The report
// says which checks passed. Errors as RunReview.
absl::StatusOr<ReviewReport> RunGate(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                     const std::vector<ReviewInput>& inputs, const ReadInput& read,
                                     const GateRequest& asked, OperatorState& state);

// Frozen files that changed, by the findings of the moment kFrozenMoment; see RecordFrozen.
absl::StatusOr<std::vector<rules::Finding>> CheckFrozen(
    const std::vector<std::shared_ptr<const rules::CheckSet>>& packs, const std::vector<ReviewInput>& inputs,
    const ReadInput& read, const std::string& profile, OperatorState& state);

// The stage that the operator's state file says: the first file among the inputs for which a pack has a pointer to it.
std::optional<int> StageOfOperator(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                   const std::vector<ReviewInput>& inputs, const ReadInput& read);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_GATES_H_
