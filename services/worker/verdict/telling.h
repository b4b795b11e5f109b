// How much a line of output tells of why a program failed: the one that tells most is quoted, wherever it stands.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_TELLING_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_TELLING_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"

namespace yardmaster::worker {

// From the least to the most. Of lines that tell as much, the first counts; of lines without a word of failure, the
// last.
enum class Telling : uint8_t {
  kNothing,    // it has no words
  kAside,      // a warning, another attempt, advice, information; a frame, a heading or source that is only shown
  kPlain,      // it tells of no failure
  kHint,       // a word of failure stands in it, in no known form: "CONFLICT (content): …"
  kEcho,       // that something failed, not what: "make: *** [all] Error 2"
  kTest,       // which test failed, not why: "FAILED a.py::test_b"
  kNumber,     // an error by its number alone: "error code is 107020"
  kVictim,     // that another process is gone or does not come: "Connection closed by peer"
  kWrapper,    // that a process failed which it had started: "CalledProcessError: …"
  kComplaint,  // that something can't be done: "Could not open …"
  kFollowUp,   // an exception that follows from another one: "SystemExit: 1", "EOFError"
  kError,      // it calls itself an error, or a signature of its own knows it
  kCause,      // an exception with its words, an assertion, an error with its place
};

// Words are the packs' (echoes, advice, victims, wrappers), shapes are known here. `known`: the signatures that match
// the line.
Telling TellingOf(std::string_view line, const std::vector<const rules::FailureSignature*>& known);

inline bool TellsOfFailure(Telling telling) { return telling >= Telling::kEcho; }

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_TELLING_H_
