#include "clients/forge/forge.h"

namespace yardmaster {

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
  }
  return "open";
}

}  // namespace yardmaster
