// One thing that was found wrong, on one rank or with the step as a whole. The judge collects them and blames the first
// by priority and time.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_FINDING_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_FINDING_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rules/suites/suite_model.h"
#include "services/worker/logs/log.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

// Of something whose time is not known: after everything whose time is.
inline constexpr int64_t kUnknownTime = std::numeric_limits<int64_t>::max();

struct Finding {
  int priority = 0;
  rules::FailureClass cls = rules::FailureClass::kCode;
  std::string signature;
  std::string what;  // a sentence without its end, and without the rank
  std::string advice;
  int rank = kNoRank;
  std::string test;
  int64_t micros = kUnknownTime;  // since the step began
  std::optional<LogLine> line;    // that shows it
  uint64_t said_in = 0;           // the line of the exception of which `line` is a part; 0: of none
  std::string search;             // a text by which that line is found where `line` is not set
  bool device_fatal = false;
  bool time_limit = false;  // of a test, or of a file of tests
  // Shows that something went wrong, not what: a plain exception, an exit code, a failed test of unknown kind.
  bool generic = false;
  // A signal that launchers and partners send.
  bool from_outside = false;
};

// What is around the tested code is at fault, software or hardware: that says nothing about the code.
inline bool IsOfMachine(rules::FailureClass cls) {
  return cls == rules::FailureClass::kEnvironment || cls == rules::FailureClass::kInfrastructure;
}

inline Finding MakeFinding(int priority, rules::FailureClass cls, std::string_view signature, std::string what) {
  Finding finding;
  finding.priority = priority;
  finding.cls = cls;
  finding.signature = signature;
  finding.what = std::move(what);
  return finding;
}

// A line that shows one of the signatures: `what` is its title and the line, as much of it as shows why.
Finding FromSignature(const Signatures& signatures, const rules::FailureSignature& signature, std::string_view line);

// What the line that is quoted as the reason says in words that are looked for nowhere else; how it is told stays.
void TakeReason(const Signatures& signatures, std::string_view line, std::string_view phase, Finding& finding);

// What happened is what the signature says; how it is told stays.
void Explain(const rules::FailureSignature& reason, Finding& finding);

// What a step starts is made by the suite's own build: where it is missing, the build is at fault and not the machine.
bool RunsBuiltProgram(const rules::CommandLine& command);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_FINDING_H_
