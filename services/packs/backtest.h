// What a changed pack would do differently: the same cases decided under two revisions, compared per label and per
// issue.
#ifndef YARDMASTER_SERVICES_PACKS_BACKTEST_H_
#define YARDMASTER_SERVICES_PACKS_BACKTEST_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/engine/compiled_pack.h"
#include "rules/engine/decision.h"
#include "services/packs/pack_test.h"

namespace yardmaster {

// How often one label of the classification was given.
struct LabelChange {
  std::string label;
  size_t base = 0;       // cases that have it under the base
  size_t candidate = 0;  // under the candidate
  size_t added = 0;      // only under the candidate
  size_t removed = 0;    // only under the base
};

// One case that came out differently.
struct IssueChange {
  size_t index = 0;                // of the case
  std::vector<std::string> added;  // labels of the classification, by name
  std::vector<std::string> removed;
  std::vector<std::string> applied_added;  // labels to apply
  std::vector<std::string> applied_removed;
  std::string base_template;  // template of the comment; empty for none
  std::string candidate_template;
};

struct BacktestResult {
  size_t cases = 0;
  std::vector<LabelChange> labels;  // every label that was given at all, by name
  std::vector<IssueChange> issues;  // in the order of the cases
};

// Decides `count` cases; `issue(i)` gives the i-th, whose texts must live until the next call of `issue`. Errors:
// INVALID_ARGUMENT if a pack has no rubric, RESOURCE_EXHAUSTED if a set of patterns failed, what `keep_going` says.
absl::StatusOr<BacktestResult> RunBacktest(const rules::CompiledPack& base, const rules::CompiledPack& candidate,
                                           size_t count, const std::function<rules::IssueText(size_t)>& issue,
                                           const KeepGoing& keep_going = nullptr);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_BACKTEST_H_
