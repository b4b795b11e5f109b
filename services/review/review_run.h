// Runs packs over sets of files, on several threads, and puts what they find together. The one way in which reviews
// run: for a file, a tree, an operator that came inline, a hook.
#ifndef YARDMASTER_SERVICES_REVIEW_REVIEW_RUN_H_
#define YARDMASTER_SERVICES_REVIEW_REVIEW_RUN_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review.h"
#include "services/review/file_sets.h"
#include "services/review/report.h"

namespace yardmaster {

// Texts of one set of files together; what is beyond is not read, which is a finding of the limit.
inline constexpr size_t kMaxSetBytes = 64 * 1024 * 1024;
// Findings of one run; more are counted in one finding of the limit.
inline constexpr size_t kMaxRunFindings = 50'000;

// One file of a review. `path` is what findings say; where its text comes from is the reader's business.
struct ReviewInput {
  std::string path;
  std::string role;                            // overrides the path's; the operator is then the name's stem
  std::string place;                           // where it lies, for finding what belongs together; empty: `path`
  bool context = false;                        // seen by conditions, not judged
  std::optional<rules::FileChange> change{};   // what became of it; nullopt: nothing is compared, or it was not touched
  bool untouched = false;                      // of a review of a change: the same at base
  std::optional<std::vector<bool>> touched{};  // of one version by itself: rules::ReviewFile::touched
};

// Gives the text of inputs[index]; nullopt and `error` if it can't be had. Called from several threads at once. Texts
// over the engine's limit may be cut behind it.
using ReadInput = std::function<std::optional<std::string>(size_t index, std::string& error)>;

struct RunOptions {
  std::string profile;                         // empty: each pack's default
  std::optional<int> stage;                    // nullopt: checks of all stages
  bool stage_of_state = false;                 // without `stage`: that of each operator's state file
  std::string moment;                          // empty: checks of all moments
  std::map<std::string, std::string> options;  // what conditions see as "option"
  std::vector<std::string> only;               // ids; empty: all
  bool every = false;                          // all findings, also of checks that tell the first ones
  size_t jobs = 1;                             // threads
  // Only checks that name `moment` in "at"; those without "at", which hold at every moment, stay out.
  bool named_moment_only = false;
  // Of a review of a change: the text at base of an input that has a change and was there; null: nothing is compared.
  ReadInput read_base;
  rules::SourceCache* sources = nullptr;  // files that were read before; null: none
  rules::ReviewTree* tree = nullptr;      // what lies around the files; null: nothing is known of it
};

// Runs every pack of `packs` over the inputs. A file that can't be read is told as skipped. INVALID_ARGUMENT for a
// profile, role or moment that none of the packs has. Where everything is looked at (no moment, not "partial"), a
// document on its own is no operator, and told as skipped. The report has no seconds yet: nothing here looks at a
// clock. Findings about files that are not there lie in the folder of their set, by places if there are places.
absl::StatusOr<ReviewReport> RunReview(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                       const std::vector<ReviewInput>& inputs, const ReadInput& read,
                                       const RunOptions& options);

// Whether a check takes part in such a run.
bool TakesPart(const rules::CheckInfo& check, std::string_view profile, const std::optional<int>& stage,
               std::string_view moment);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_REVIEW_RUN_H_
