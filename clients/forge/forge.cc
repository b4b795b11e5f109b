#include "clients/forge/forge.h"

#include <array>

namespace yardmaster {
namespace {

// In the order of their enumerations.
constexpr std::array<std::string_view, 6> kPermissions = {"none", "read", "triage", "write", "maintain", "admin"};
constexpr std::array<std::string_view, 6> kFileStatuses = {"added",   "modified", "removed",
                                                           "renamed", "copied",   "unchanged"};
constexpr std::array<std::string_view, 8> kCheckStates = {"queued",  "in_progress", "success", "failure",
                                                          "neutral", "cancelled",   "skipped", "action_required"};
constexpr std::array<std::string_view, 8> kReactions = {"+1",    "-1",     "laugh",  "confused",
                                                        "heart", "hooray", "rocket", "eyes"};

}  // namespace

std::string_view ForgePriorityName(ForgePriority priority) {
  switch (priority) {
    case ForgePriority::kCommand:
      return "command";
    case ForgePriority::kGate:
      return "gate";
    case ForgePriority::kEvent:
      return "event";
    case ForgePriority::kSweep:
      return "sweep";
  }
  return "event";
}

std::string_view ForgeStateName(ForgeState state) {
  switch (state) {
    case ForgeState::kOpen:
      return "open";
    case ForgeState::kClosed:
      return "closed";
    case ForgeState::kMerged:
      return "merged";
    case ForgeState::kUnknown:
      break;
  }
  return "unknown";
}

bool MayBeOpen(ForgeState state) { return state == ForgeState::kOpen || state == ForgeState::kUnknown; }

std::string_view ForgePermissionName(ForgePermission permission) {
  return kPermissions[static_cast<size_t>(permission)];
}

std::string_view ForgeFileStatusName(ForgeFileStatus status) { return kFileStatuses[static_cast<size_t>(status)]; }

std::string_view ForgeCheckStateName(ForgeCheckState state) { return kCheckStates[static_cast<size_t>(state)]; }

std::string_view ForgeReactionName(ForgeReaction reaction) { return kReactions[static_cast<size_t>(reaction)]; }

std::optional<ForgeReaction> ForgeReactionFromName(std::string_view name) {
  for (size_t i = 0; i < kReactions.size(); ++i) {
    if (kReactions[i] == name) return static_cast<ForgeReaction>(i);
  }
  return std::nullopt;
}

}  // namespace yardmaster
