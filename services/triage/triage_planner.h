// The planner of triage: an issue and a compiled pack → a Plan. Pure: no clock, no identifiers, no network, so that the
// same input gives the same plan on the command line, in the daemon and in a backtest. The daemon adds `id` and
// `created_at`.
#ifndef YARDMASTER_SERVICES_TRIAGE_TRIAGE_PLANNER_H_
#define YARDMASTER_SERVICES_TRIAGE_TRIAGE_PLANNER_H_

#include <string>

#include "absl/status/status.h"
#include "rules/engine/compiled_pack.h"
#include "rules/engine/decision.h"
#include "rules/engine/issue_input.h"
#include "services/triage/wire_writer.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

struct PlanOptions {
  // What may become of the plan; the planner only writes it down.
  v1::Mode mode = v1::MODE_DRY_RUN;
  // False leaves Plan.explanation unset.
  bool explain = true;
};

// The snapshot of an issue that came as JSON. The subject is inline: only the number is known.
v1::IssueSnapshot SnapshotOf(const rules::IssueInput& input);

// Decides `issue` and fills `plan`, which must be empty (it may live on an arena). Quoted matches are cut to
// kMaxEvidenceTextBytes. INVALID_ARGUMENT if the pack has no rubric, RESOURCE_EXHAUSTED if a set of patterns failed;
// the plan is then not to be used. With `explanation`, the fields of Plan.explanation are written there and not into
// `plan`, for callers that send the plan on and don't look at it: what it says about one issue are a hundred objects.
absl::Status PlanTriage(const rules::CompiledPack& pack, const v1::IssueSnapshot& issue, const PlanOptions& options,
                        v1::Plan& plan, WireWriter* explanation = nullptr);

// The second half of PlanTriage: writes a decision down. Steps on its own for callers that have one already.
void WritePlan(const rules::PackModel& pack, const rules::IssueText& text, const rules::Decision& decision,
               const PlanOptions& options, v1::Plan& plan);

// Plan.input_digest: the first 16 hex characters of SHA-256 over title, body, comments (author and text) and labels,
// each with its length in front, so that text can't move from one into another unnoticed.
std::string InputDigest(const v1::IssueSnapshot& issue);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_TRIAGE_PLANNER_H_
