#include "services/worker/verdict/builtin_signatures.h"

#include <string>

#include "services/worker/verdict/priorities.h"

namespace yardmaster::worker {

std::vector<rules::FailureSignature> BuiltinSignatures() {
  std::vector<rules::FailureSignature> builtin;

  rules::FailureSignature compile;
  compile.id = kCompileId;
  compile.title = "a compiler or linker found an error";
  compile.priority = kCompileError;
  compile.patterns = {
      // g++, clang: "a.cc:3:4: error: …"; without a place: "cc1plus: error: …".
      R"(^(?:[^\s:]|[^\s:][^:]*[^\s:]):\d+(?::\d+)?: (?:fatal )?error: )",
      R"(^(?:\S*/)?(?:g\+\+|gcc|c\+\+|cc|cc1|cc1plus|clang|clang\+\+|nvcc|ptxas|nvlink|ld|lld|collect2)\S*: (?:fatal )?error\b)",
      // nvcc: "a.cu(3): error: …", "a.cu(3): catastrophic error: …"; its tools: "ptxas fatal   : …", "nvcc fatal   :
      // …".
      R"(^\S[^()]*\(\d+\): (?:catastrophic )?error(?: #[\w-]+)?: )",
      R"(^(?:ptxas|nvcc|nvlink|fatbinary|cudafe\+\+)\s+(?:error|fatal)\s+:)",
      // Linkers.
      R"(: undefined reference to )",
      R"(^(?:\S*/)?ld(?:\.\w+)?: (?:cannot find|.*multiple definition of) )",
      // Build tools that stop before they compile.
      R"(^CMake Error(?: at |:| in ))",
      R"(^ninja: error: )",
      R"(^make(?:\[\d+\])?: \*\*\* No rule to make target )",
      R"(^error: (?:command .* failed|subprocess-exited-with-error|metadata-generation-failed))",
  };
  builtin.push_back(compile);

  rules::FailureSignature assertion;
  assertion.id = kAssertionId;
  assertion.title = "an assertion of the program failed";
  assertion.priority = kFailedAssertion;
  assertion.patterns = {
      R"(: Assertion .+ failed\.)",
      R"(^F\d{4} .+ Check failed: )",
      R"(^(?:.+: )?INTERNAL ASSERT FAILED)",
  };
  builtin.push_back(assertion);

  rules::FailureSignature exception;
  exception.id = kExceptionId;
  exception.title = "an exception ended the program";
  exception.priority = kException;
  exception.patterns = {
      // The last line of a Python traceback, also as pytest ("E   …") and newer torch ("[rank0]: …") print it.
      R"((?-i)^(?:\[rank\d+\]:\s*)?(?:E\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Failure)(?::|$))",
      R"(^\s*terminate called (?:after throwing an instance of|without an active exception))",
      R"(^Fatal Python error: )",
      R"(^thread '.+' panicked at )",
  };
  builtin.push_back(exception);

  rules::FailureSignature precision;
  precision.id = kPrecisionId;
  precision.title = "numbers differ from the reference by more than is allowed";
  precision.priority = kPrecision;
  precision.phase = "test";
  precision.patterns = {
      R"(Tensor-likes are not (?:close|equal))",
      R"((?:Scalars|Tensors) are not (?:close|equal))",
      R"(Mismatched elements: \d+)",
      R"(\b\d+ of \d+ elements? (?:is|are) off\b)",
      R"(\b\d+ of \d+ elements? differs?\b)",
      R"(Not equal to tolerance rtol=)",
      R"(Arrays are not (?:equal|almost equal))",
      R"(where (?:tensor\()?False\)? = .*allclose)",
      R"(The difference between .+ exceeds )",
  };
  builtin.push_back(precision);
  return builtin;
}

bool IsGeneric(const rules::FailureSignature& signature) {
  return signature.id == kExceptionId || signature.id == kAssertionId;
}

}  // namespace yardmaster::worker
