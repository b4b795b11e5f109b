// How far work has come that is done in stages, as a pack describes them (rules/checks.md, "Progress"): computed from a
// tree, never remembered. A subject is what the stages are about, an operator for example.
#ifndef YARDMASTER_SERVICES_REVIEW_PROGRESS_H_
#define YARDMASTER_SERVICES_REVIEW_PROGRESS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review_tree.h"
#include "rules/engine/code/source_cache.h"

namespace yardmaster {

// From what is well to what is worst: of several findings about a stage the worst counts.
enum class StageState : uint8_t { kThere, kUnknown, kMissing, kInconsistent };

// "there", "unknown", "missing", "inconsistent".
std::string_view StageStateName(StageState state);
// kUnknown for anything else.
StageState StageStateFrom(std::string_view name);

struct StageProgress {
  std::string id;
  std::string title;
  StageState state = StageState::kUnknown;
  std::string text;  // what is so; may be empty
  std::string next;  // what to do about it; empty where the stage is there or not known
};

struct SubjectProgress {
  std::string name;
  std::string path;  // where it is declared
  uint32_t line = 1;
  std::vector<StageProgress> stages;  // all of the pack's, in their order

  // The first one that is missing or inconsistent; nullptr: there is none.
  const StageProgress* Next() const;
};

// Whether one of `paths` is of the kind that subjects are declared in.
bool TouchesProgress(const rules::CheckSet& pack, const std::vector<std::string>& paths);

// What is among `now` and not among `before`, by name.
std::vector<SubjectProgress> Added(std::vector<SubjectProgress> now, const std::vector<SubjectProgress>& before);

// All subjects at the head of the tree, by name. Empty for a pack without stages. `sources`: files that were read
// before. Errors are those of RunReview.
absl::StatusOr<std::vector<SubjectProgress>> ProgressOf(const std::shared_ptr<const rules::CheckSet>& pack,
                                                        rules::ReviewTree& tree, size_t jobs,
                                                        rules::SourceCache* sources = nullptr);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_PROGRESS_H_
