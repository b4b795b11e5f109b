#include "services/worker/verdict/builtin_signatures.h"

#include <string>
#include <utility>

#include "services/worker/verdict/priorities.h"

namespace yardmaster::worker {
namespace {

rules::FailureSignature Signature(std::string_view id, std::string_view title, int priority,
                                  std::vector<std::string> patterns, std::string_view phase = {}) {
  rules::FailureSignature signature;
  signature.id = id;
  signature.title = title;
  signature.priority = priority;
  signature.patterns = std::move(patterns);
  signature.phase = phase;
  return signature;
}

rules::FailureSignature TimeLimit(rules::FailureSignature signature) {
  signature.time_limit = true;
  return signature;
}

// What tests print of numbers that are off: "max abs err 0.7 > 0.05", "Mismatch: a.bin vs b.bin, max diff=2.0".
constexpr char kOverTolerance[] =
    R"(\b(?:max|mean|abs|rel|rms|l2)\w*[ _.-](?:\w+[ _.-])?(?:err|error|diff|difference)(?: of| is|:| =|=)?)"
    R"( ?\d[\d.e+-]*\S{0,2} (?:>|>=|exceeds|is (?:above|over|more than|larger than|greater than)) ?\d)";
constexpr char kMismatchAt[] =
    R"(\b[Mm]ismatch(?:es)? at .{1,60}\b(?:expected|want(?:ed)?|reference|golden)\b.{1,60}\b(?:got|actual|was|is|output)\b)";
constexpr char kMismatchBy[] = R"(\b[Mm]ismatch(?:es)?\b.*\b(?:max|mean|abs|rel)\w*[ _.-](?:\w+[ _.-])?)"
                               R"((?:err|error|diff|difference) ?[:=] ?[\d.]+)";

}  // namespace

std::vector<rules::FailureSignature> BuiltinSignatures() {
  return {
      Signature(
          kCompileId, "a compiler or linker found an error", kCompileError,
          {
              // Further in, too, where pip shows what a package's build said. g++, clang: "a.cc:3:4: error: …"; without
              // a place: "cc1plus: error: …".
              R"(^\s*(?:[^\s:]|[^\s:][^:]*[^\s:]):\d+(?::\d+)?: (?:fatal )?error: )",
              R"(^\s*(?:\S*/)?(?:g\+\+|gcc|c\+\+|cc|cc1|cc1plus|clang|clang\+\+|nvcc|hipcc|icpx|bisheng|ccec|ptxas|nvlink|ld|lld|mold|lto-wrapper|collect2)\S*: (?:fatal )?error\b)",
              // nvcc: "a.cu(3): error: …", "a.cu(3): catastrophic error: …"; its tools: "ptxas fatal   : …".
              R"(^\s*\S[^()]*\(\d+\): (?:catastrophic )?error(?: #[\w-]+)?: )",
              R"(^(?:ptxas|nvcc|nvlink|fatbinary|cudafe\+\+)\s+(?:error|fatal)\s+:)",
              // Microsoft's: "plan.obj : error LNK2019: …", "plan.cc(12): error C2065: …".
              R"((?-i)^.*[:)] (?:fatal )?error (?:C|LNK|MSB)\d{4}: )",
              // Linkers.
              R"(: undefined reference to )",
              R"(^(?:\S*/)?ld(?:\.\w+)?: (?:cannot find|.*multiple definition of) )",
              R"(^(?:\S*/)?ld(?:\.\w+)?: \S+\.(?:o|a|so)\S*: (?:relocation|file format|error|undefined|symbol|can ?not|could not|final link))",
              // Build tools that stop before they compile.
              R"(^\s*CMake Error(?: at |:| in ))",
              R"(^\s*ninja: error: )",
              R"(^make(?:\[\d+\])?: \*\*\* No rule to make target )",
              // What a package's own build says, as pip shows it: further in than pip's word for it.
              R"((?-i)^\s+error: (?:[A-Z]|command |package |option |can't ))",
              R"(^error: (?:command .* failed|subprocess-exited-with-error|metadata-generation-failed))",
          }),
      Signature(kAssertionId, "an assertion of the program failed", kFailedAssertion,
                {
                    R"(: Assertion .+ failed\.)",
                    R"(^Assertion failed: )",
                    R"((?-i)^(?:F\d{4} .+ |\S+:\d+:? +)Check failed: )",
                    R"(^(?:.+: )?INTERNAL ASSERT FAILED)",
                }),
      TimeLimit(Signature(kTimeoutId, "a test passed its time limit", kFailedAssertion,
                          {
                              // pytest-timeout, by signal and by thread.
                              R"(^(?:E\s+)?Failed: Timeout \(?>\d)",
                              R"(^\+{5,} Timeout \+{5,})",
                              // torch's tests with several processes.
                              R"(\bProcess \d+ terminated or timed out after [\d.]+ seconds)",
                              // ctest.
                              R"(^\s*\d+/\d+ Test +#\d+: .*\*\*\*Timeout\b)",
                          },
                          "test")),
      TimeLimit(Signature(kStackDumpId, "a test ran longer than faulthandler lets it", kExitCode - 1,
                          {R"(^Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!)"}, "test")),
      Signature(
          kExceptionId, "an exception ended the program", kException,
          {
              // The last line of a Python traceback, also as pytest ("E   …") and newer torch ("[rank0]: …") print it.
              R"((?-i)^(?:\[rank\d+\]:\s*)?(?:E\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Failure)(?::|$))",
              // A class of a module of exceptions, whatever its name ends with.
              R"((?-i)^(?:\[rank\d+\]:\s*)?(?:E\s+)?(?:[a-zA-Z_]\w*\.)*(?:errors?|exceptions?)\.[A-Z]\w*(?::|$))",
              R"(^\s*terminate called (?:after throwing an instance of|without an active exception|recursively))",
              R"(^libc\+\+abi: terminating )",
              R"(^Fatal Python error: )",
              R"(^\s*thread '.+' (?:\(\d+\) )?panicked at )",
          }),
      Signature(kPrecisionId, "numbers differ from the reference by more than is allowed", kPrecision,
                {
                    R"(Tensor-likes are not (?:close|equal))",
                    R"((?:Scalars|Tensors) are not (?:close|equal))",
                    R"(Mismatched elements: \d+)",
                    R"(\b\d+ of \d+ elements? (?:is|are) off\b)",
                    R"(\b\d+ of \d+ elements? differs?\b)",
                    R"(Not equal to tolerance rtol=)",
                    R"(Arrays are not (?:equal|almost equal))",
                    R"(where (?:tensor\()?False\)? = .*allclose)",
                    R"(The difference between .+ exceeds )",
                    kOverTolerance,
                    kMismatchAt,
                    kMismatchBy,
                    R"(精度(?:比对|对比|比较|校验|验证)?(?:失败|不通过|未通过|不达标|超差))",
                    R"((?:绝对|相对)误差.{0,24}(?:超过|大于|超出))",
                },
                "test"),
  };
}

bool IsWrapper(int priority) { return priority >= kFirstWrapper && priority < kExitCode; }

bool IsException(const rules::FailureSignature& signature) {
  return signature.id == kExceptionId || signature.id == kAssertionId;
}

bool SaysSignal(const rules::FailureSignature& signature) {
  return signature.priority > kFatalSignal && signature.priority < kKilled;
}

bool IsEcho(const rules::FailureSignature& signature) {
  return signature.priority >= kFirstEcho && signature.priority < kFirstAdvice;
}

bool IsAdvice(const rules::FailureSignature& signature) { return signature.priority >= kFirstAdvice; }

bool IsGeneric(const rules::FailureSignature& signature) { return IsException(signature) || IsWrapper(signature); }

}  // namespace yardmaster::worker
