#include "services/worker/verdict/finding.h"

#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/re2_piece.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {

namespace {

// An exception that interpreters raise for what is wrong in the code.
bool SaysMistake(std::string_view line) {
  static const RE2 kMistake(
      R"(\b(?:Assertion|Attribute|Index|Key|Lookup|Name|NotImplemented|Pickling|Recursion|Type|UnboundLocal|Unicode\w*|Value|ZeroDivision)Error\b)",
      RE2::Latin1);
  return RE2::PartialMatch(Piece(line), kMistake);
}

}  // namespace

Finding FromSignature(const Signatures& signatures, const rules::FailureSignature& signature, std::string_view line) {
  std::string buffer;
  line = WithoutEscapes(line, buffer);
  const size_t place = line.size() > kMaxQuotedBytes ? signatures.Place(signature, line) : 0;
  Finding finding =
      MakeFinding(signature.priority, signature.cls, signature.id, Concat(signature.title, ": ", Quoted(line, place)));
  finding.advice = signature.advice;
  finding.device_fatal = signature.device_fatal;
  finding.time_limit = signature.time_limit;
  finding.generic = IsGeneric(signature);
  return finding;
}

void TakeReason(const Signatures& signatures, std::string_view line, std::string_view phase, Finding& finding) {
  const rules::FailureSignature* const reason = signatures.Reason(line, phase);
  // Who is known by a text of its own, or made a mistake of programming, says that.
  if (reason == nullptr || SaysMistake(line)) return;
  const bool known = absl::c_any_of(signatures.Match(line, phase), [](const rules::FailureSignature* signature) {
    return !IsGeneric(*signature) && !IsEcho(*signature) && !IsAdvice(*signature);
  });
  if (known) return;
  Explain(*reason, finding);
}

void Explain(const rules::FailureSignature& reason, Finding& finding) {
  finding.priority = std::min(finding.priority, reason.priority);
  finding.cls = reason.cls;
  finding.signature = reason.id;
  finding.advice = reason.advice;
  finding.device_fatal = reason.device_fatal;
  finding.time_limit = reason.time_limit;
}

bool RunsBuiltProgram(const rules::CommandLine& command) {
  const std::string_view text = command.words.empty() ? std::string_view(command.shell) : command.words.front();
  return text.starts_with("${BUILD}");
}

}  // namespace yardmaster::worker
