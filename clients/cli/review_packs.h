// The packs of a review without a server: only the folders that are needed are read, since a review on save must not
// wait for all packs.
#ifndef YARDMASTER_CLIENTS_CLI_REVIEW_PACKS_H_
#define YARDMASTER_CLIENTS_CLI_REVIEW_PACKS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/cli/session.h"
#include "rules/engine/checks/check_set.h"

namespace yardmaster::cli {

// kQuiet: says nothing about which pack was chosen, nor that none of several fits.
enum class PackNotes : uint8_t { kTell, kQuiet };

using CheckSets = std::vector<std::shared_ptr<const rules::CheckSet>>;

// The named packs, compiled; a name may also be a pack's own folder. Without names: the only pack that has checks and
// is not extended by another one with checks; where there are several, those of them that have a role for one of
// `paths`. That there is no pack of that name is a negative answer, all else an error of usage. Empty only if
// `notes` is kQuiet and there is no pack with checks, or none of several fits.
absl::StatusOr<CheckSets> LoadReviewPacks(Session& session, const std::vector<std::string>& names,
                                          const std::vector<std::string>& paths, PackNotes notes = PackNotes::kTell);

// A negative answer for a rule that none of the packs has; rules are named by themselves or by the id of a check.
absl::Status CheckRules(const std::vector<std::string>& rules, const CheckSets& packs);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_REVIEW_PACKS_H_
