// Reviews a change: what holds at head and did not at base is new, whatever lines it stands on; what held at base and
// does not at head is fixed. Both versions are reviewed in full, as far as files are touched, so that the answer
// depends on nothing but the two trees. A rule about added lines looks at those that the change touches, in both
// versions.
#ifndef YARDMASTER_SERVICES_REVIEW_DIFF_REVIEW_H_
#define YARDMASTER_SERVICES_REVIEW_DIFF_REVIEW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review_settings.h"
#include "services/review/change.h"
#include "services/review/pull_meta.h"
#include "services/review/report.h"

namespace yardmaster {

// Files of a change that are read; of more the first ones are, and the review is not complete.
inline constexpr size_t kMaxDiffFiles = 3000;
inline constexpr size_t kMaxDiffBytes = 64 * 1024 * 1024;

struct DiffReviewOptions {
  std::string profile;                    // empty: as `settings` say, else each pack's default
  std::optional<int> stage;               // nullopt: checks of all stages
  std::vector<std::string> only;          // rules or ids of checks; empty: all
  rules::ReviewSettings settings;         // what the repository says of its own
  std::string today;                      // "YYYY-MM-DD" in UTC, for exemptions that end
  std::optional<PullMeta> meta;           // nullopt: checks about it are skipped
  size_t jobs = 1;                        // threads
  rules::SourceCache* sources = nullptr;  // files that were read before; null: of this review alone
};

// All findings: new, still and fixed ones; and as the checklist, what a person should look at. Errors are those of
// reading the change, and INVALID_ARGUMENT for names that no pack has.
absl::StatusOr<ReviewReport> ReviewChange(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                          Change& change, const DiffReviewOptions& options);

// What holds in the touched files at the head, under rules or checks by their names, as if there were no base: also on
// lines of which the review of the change tells nothing, and every finding of checks that tell the first one.
absl::StatusOr<std::vector<rules::Finding>> StandingAtHead(
    const std::vector<std::shared_ptr<const rules::CheckSet>>& packs, Change& change, const DiffReviewOptions& options,
    const std::vector<std::string>& ids);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_DIFF_REVIEW_H_
