// What programs of every kind say when they fail, known without any pack.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_BUILTIN_SIGNATURES_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_BUILTIN_SIGNATURES_H_

#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"

namespace yardmaster::worker {

inline constexpr std::string_view kCompileId = "compile";
inline constexpr std::string_view kAssertionId = "assertion";
inline constexpr std::string_view kExceptionId = "exception";
inline constexpr std::string_view kTimeoutId = "timeout";
// It was ended, or gave up, since nothing came any more.
inline constexpr std::string_view kHangId = "hang";
inline constexpr std::string_view kPrecisionId = "precision";
// faulthandler wrote where a test stood when it had run too long; the program may have gone on.
inline constexpr std::string_view kStackDumpId = "stack-dump";
// A process that the program had started failed, and why stands elsewhere (rules/packs/common/signatures.json).
inline constexpr std::string_view kChildFailedId = "child-failed";
// A program that was to be started is not there; the packs know what shells say of it.
inline constexpr std::string_view kMissingProgramId = "missing-program";
// Installed packages that don't fit each other (rules/packs/common/signatures.json).
inline constexpr std::string_view kPackageVersionsId = "package-versions";

std::vector<rules::FailureSignature> BuiltinSignatures();

// True for texts that say that a call failed and not why ("unhandled cuda error"): they stand behind whatever says why,
// and before a plain exception on the same line.
bool IsWrapper(int priority);
inline bool IsWrapper(const rules::FailureSignature& signature) { return IsWrapper(signature.priority); }

// True for the signatures of exceptions and assertions, which say by themselves why a program failed, in words of its
// own.
bool IsException(const rules::FailureSignature& signature);

// True for texts by which a program, its interpreter or its launcher names the signal that hit it.
bool SaysSignal(const rules::FailureSignature& signature);

// True for texts that only repeat that something failed ("make: *** [all] Error 2"), and for advice that follows a
// failure. They are no cause; a line that they match is quoted where no other says more.
bool IsEcho(const rules::FailureSignature& signature);
bool IsAdvice(const rules::FailureSignature& signature);

// True for signatures that say that something went wrong and not what: anything else found on the same line, and a
// victim's text on the same rank, explains more.
bool IsGeneric(const rules::FailureSignature& signature);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_BUILTIN_SIGNATURES_H_
