#include "rules/engine/pattern_cost.h"

#include <re2/re2.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace yardmaster::rules {
namespace {

// Of the pattern in instructions; 0 if RE2 refuses it.
int ProgramOf(const std::string& pattern) {
  const RE2 compiled(pattern, RE2::Quiet);
  return compiled.ok() ? compiled.ProgramSize() : 0;
}

std::string Advice(int program) {
  return absl::StrCat(
      "a costly pattern: RE2 needs ", program, " instructions for it, more than ", kCostlyProgram,
      " slow down every decision; a repetition such as .{0,200} is written out, so lower its bound (about 60), "
      "or use two signals and one with \"when\" that asks for both");
}

}  // namespace

Problems CostlyPatterns(const PackModel& model) {
  Problems found;
  for (const SignalModel& signal : model.signals) {
    for (size_t i = 0; i < signal.patterns.size(); ++i) {
      const int program = ProgramOf(signal.patterns[i]);
      if (program <= kCostlyProgram) continue;
      Origin origin = signal.origin;
      absl::StrAppend(&origin.pointer, "/patterns/", i);
      found.push_back(ProblemAt(origin, absl::StrCat("signal '", signal.id, "': ", Advice(program))));
    }
  }
  for (const std::string& negation : model.negations) {
    const int program = ProgramOf(negation);
    if (program > kCostlyProgram) {
      found.push_back(Problem{{}, "/negations", 0, 0, absl::StrCat("negation '", negation, "': ", Advice(program))});
    }
  }
  return found;
}

}  // namespace yardmaster::rules
