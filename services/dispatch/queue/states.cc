#include "services/dispatch/queue/states.h"

#include <array>
#include <cstddef>

#include "services/dispatch/queue/errors.h"

namespace yardmaster::dispatch {
namespace {

constexpr std::array<std::string_view, 5> kStateNames = {"queued", "leased", "running", "finishing", "ended"};
constexpr std::array<std::string_view, 8> kVerdictNames = {"",      "passed",  "failed",    "error",
                                                           "flaky", "not_run", "cancelled", "timed_out"};
constexpr std::array<std::string_view, 3> kPriorityNames = {"low", "normal", "high"};
constexpr std::array<std::string_view, 5> kLeaseEndNames = {"finished", "lost", "declined", "given_back", "cancelled"};

// From (row) to (column), in the order of JobState.
constexpr bool kAllowed[5][5] = {
    // queued leased running finishing ended
    {true, true, false, false, true},    // queued
    {true, true, true, true, true},      // leased: a short run may have ended its processes by the first report
    {true, false, true, true, true},     // running
    {true, false, false, true, true},    // finishing
    {false, false, false, false, false}  // ended
};

}  // namespace

std::string_view StateName(JobState state) { return kStateNames[static_cast<size_t>(state)]; }
std::string_view VerdictName(Verdict verdict) { return kVerdictNames[static_cast<size_t>(verdict)]; }
std::string_view PriorityName(Priority priority) { return kPriorityNames[static_cast<size_t>(priority)]; }
std::string_view LeaseEndName(LeaseEnd end) { return kLeaseEndNames[static_cast<size_t>(end)]; }

std::optional<Verdict> VerdictFromName(std::string_view name) {
  for (size_t i = 1; i < kVerdictNames.size(); ++i) {
    if (kVerdictNames[i] == name) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

std::optional<Priority> PriorityFromName(std::string_view name) {
  for (size_t i = 0; i < kPriorityNames.size(); ++i) {
    if (kPriorityNames[i] == name) return static_cast<Priority>(i);
  }
  return std::nullopt;
}

absl::Status CheckTransition(JobState from, JobState to) {
  if (kAllowed[static_cast<size_t>(from)][static_cast<size_t>(to)]) return absl::OkStatus();
  return StateUnreachable(from, to);
}

JobState StateOf(LeaseState state) {
  switch (state) {
    case LeaseState::kGranted:
      return JobState::kLeased;
    case LeaseState::kRunning:
      return JobState::kRunning;
    case LeaseState::kFinishing:
      return JobState::kFinishing;
  }
  return JobState::kLeased;
}

}  // namespace yardmaster::dispatch
