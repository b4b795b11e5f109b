#include "services/worker/verdict/finding.h"

#include <string>

#include "services/worker/logs/escape_sequences.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {

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

bool RunsBuiltProgram(const rules::CommandLine& command) {
  const std::string_view text = command.words.empty() ? std::string_view(command.shell) : command.words.front();
  return text.starts_with("${BUILD}");
}

}  // namespace yardmaster::worker
