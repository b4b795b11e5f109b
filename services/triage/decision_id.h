// Identifiers of decisions: short, unique for a daemon, and in the order of time when sorted as text.
#ifndef YARDMASTER_SERVICES_TRIAGE_DECISION_ID_H_
#define YARDMASTER_SERVICES_TRIAGE_DECISION_ID_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster {

// 13 characters of 0-9a-z without i, l, o and u (Crockford's base 32): milliseconds of the wall clock above a counter
// of 20 bits. Ids never repeat and never go back while the daemon runs, even if the clock does; a daemon that starts
// again is past its old ids as soon as the clock is. 13 characters fit into a std::string without an allocation.
// Thread-safe, without a lock.
class DecisionIds {
 public:
  std::string Next(std::chrono::system_clock::time_point now);

 private:
  std::atomic<uint64_t> last_{0};
};

// Whether a text has the form of such an id.
bool IsDecisionId(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_DECISION_ID_H_
