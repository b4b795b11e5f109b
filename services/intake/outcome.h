// How a piece of work ended, or why it can't go on now: one type for reading, deciding, writing and whole deliveries.
#ifndef YARDMASTER_SERVICES_INTAKE_OUTCOME_H_
#define YARDMASTER_SERVICES_INTAKE_OUTCOME_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace yardmaster {

struct Outcome {
  enum class Kind : uint8_t {
    kDone,
    kIgnored,  // skipped on purpose
    kFailed,   // failed for good
    kChanged,  // the subject changed since the plan was made: decide again
    kWait,     // go on after `delay`; nothing failed
    kRetry,    // failed, and may work later; counts as an attempt. At least `delay`, if that is above 0
    kStopped,  // the client of the forge was stopped: leave everything as it is
  };
  Kind kind = Kind::kDone;
  std::chrono::milliseconds delay{0};
  // kIgnored and kFailed of a delivery: a word of services/core/reasons.h, perhaps with a detail. Else for people.
  std::string reason;

  bool done() const { return kind == Kind::kDone; }
  bool failed() const { return kind == Kind::kFailed; }
  // The work is over.
  bool final() const { return kind == Kind::kDone || kind == Kind::kIgnored || kind == Kind::kFailed; }

  static Outcome Ignored(std::string_view word, std::string_view detail = {});
  static Outcome Failed(std::string_view word, std::string_view detail = {});
  static Outcome Wait(std::chrono::milliseconds delay, std::string_view reason);
  static Outcome Retry(std::string_view reason, std::chrono::milliseconds at_least = std::chrono::milliseconds(0));

  // What a failed call to a forge means for the work that it belongs to. kFailed where trying again can't help, and
  // for a status that came from no forge.
  static Outcome OfForge(const absl::Status& error);
  // The store could not be read or written: everything waits.
  static Outcome OfStore(const absl::Status& error);
};

// Of two parts of one piece of work, the one that decides what becomes of the whole: what must be stopped, repeated or
// waited for comes before what is over, and a failure before a success. Of two waits the shorter.
const Outcome& MoreUrgent(const Outcome& a, const Outcome& b);

// Ends a function that returns an Outcome, unless this one is done.
#define RETURN_UNLESS_DONE(...)                                                            \
  do {                                                                                     \
    if (::yardmaster::Outcome outcome_ = (__VA_ARGS__); !outcome_.done()) return outcome_; \
  } while (false)

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_OUTCOME_H_
