// What is remembered about an operator between reviews: findings that keep coming back, and files that must not change
// any more. Kept in `.yardmaster/` of the operator directory by `yard review hook`, in the store by the service. Pure.
#ifndef YARDMASTER_SERVICES_REVIEW_OPERATOR_STATE_H_
#define YARDMASTER_SERVICES_REVIEW_OPERATOR_STATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/review.h"

namespace yardmaster {

// The breaker trips when a finding comes this many times in a row at the same place.
inline constexpr uint32_t kBreakerLimit = 5;
// Bounds of what is remembered and of its text.
inline constexpr size_t kMaxStateFiles = 2'000;
inline constexpr size_t kMaxStateEntries = 1'000;  // of one file
inline constexpr size_t kMaxStateBytes = 4 * 1024 * 1024;

// One blocking finding of the last write of a file.
struct RepeatedFinding {
  std::string rule_id;
  uint32_t line = 0;
  uint32_t count = 0;  // writes in a row that had it

  friend bool operator==(const RepeatedFinding&, const RepeatedFinding&) = default;
};

// The last answer of one gate.
struct GateMemory {
  std::string gate;
  std::string phase;
  std::optional<int> stage;
  bool open = false;
  int64_t asked_at = 0;  // milliseconds since the epoch
  std::vector<std::string> blocking_rules;

  friend bool operator==(const GateMemory&, const GateMemory&) = default;
};

struct OperatorState {
  std::map<std::string, std::vector<RepeatedFinding>> files;  // by path
  std::map<std::string, std::string> frozen;                  // path → SHA-256 of what it must stay, in hex
  std::vector<GateMemory> gates;                              // the oldest first

  friend bool operator==(const OperatorState&, const OperatorState&) = default;
};

// Why the breaker tripped.
struct BreakerTrip {
  std::string path;
  std::string rule_id;
  uint32_t line = 0;
  uint32_t count = 0;

  friend bool operator==(const BreakerTrip&, const BreakerTrip&) = default;
};

// One more write of `path`, with what blocks it now. A finding that was there before at the same line counts one more;
// fewer blocking rules than before is progress and starts every count again. The first finding that has come
// kBreakerLimit times, if any; it keeps tripping until something changes.
std::optional<BreakerTrip> RecordWrite(OperatorState& state, std::string_view path,
                                       const std::vector<rules::Finding>& findings);

// The breaker as it stands, without a write; nullopt if it is not tripped.
std::optional<BreakerTrip> TrippedBreaker(const OperatorState& state);

// Puts the answer in the place of the last one of the same gate and phase; the oldest go when there are too many.
void RecordGate(OperatorState& state, GateMemory answer);

// "lint not resolvable, escalating: OL01 fired 5x consecutively at demo_impl.py:4": one line, for logs and answers.
std::string BreakerText(const BreakerTrip& trip);

// Files under the freeze, by the findings that name them, with their digests now: what is new there is remembered, what
// is under it no more is forgotten, and of files that changed since the findings are returned.
struct FrozenFile {
  rules::Finding finding;  // path: the file
  std::string digest;      // empty: the file is gone
};
std::vector<rules::Finding> RecordFrozen(OperatorState& state, const std::vector<FrozenFile>& frozen);

std::string DumpState(const OperatorState& state);
// nullopt if the text is no state: then there is none to go on with.
std::optional<OperatorState> ParseState(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_OPERATOR_STATE_H_
