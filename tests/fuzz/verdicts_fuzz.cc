// Any bytes as a file of verdicts.
#include <string_view>

#include "services/core/readable.h"
#include "services/review/backtest/verdicts.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  yardmaster::Problems problems;
  const auto verdicts =
      yardmaster::ReadVerdicts(std::string_view(reinterpret_cast<const char*>(data), size), "f", problems);
  yardmaster::Check(verdicts.has_value() == problems.empty(), "verdicts with problems, or none without");
  for (const yardmaster::Problem& problem : problems) {
    yardmaster::Check(yardmaster::IsValidUtf8(problem.message), "an error that is no text");
  }
  if (!verdicts.has_value()) return 0;
  for (const yardmaster::Verdict& verdict : *verdicts) {
    yardmaster::Check(verdict.commit.size() == 40 && verdict.line > 0 && !verdict.why.empty(), "half a verdict");
  }
  return 0;
}
