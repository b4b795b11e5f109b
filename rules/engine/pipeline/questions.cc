#include "rules/engine/pipeline/questions.h"

#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/code/language.h"
#include "rules/engine/pipeline/changed_files.h"

namespace yardmaster::rules {
namespace {

using Value = Answer::Value;

const char* const kFilesUnknown = "the files of the pull request are not known";

bool SameFile(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() &&
         (a == b || absl::EndsWith(a, absl::StrCat("/", b)) || absl::EndsWith(b, absl::StrCat("/", a)));
}

}  // namespace

std::string AnswerText(const Answer& answer) {
  const char* const word = answer.value == Value::kNo ? "no" : answer.value == Value::kYes ? "yes" : "unknown";
  return answer.why.empty() ? word : absl::StrCat(word, ": ", answer.why);
}

Answer ChangesBuild(const PipelineProfile& profile, const PipelineSignals& signals) {
  if (!signals.files.has_value()) return {Value::kUnknown, kFilesUnknown};
  for (const std::string& file : *signals.files) {
    if (IsBuildInput(profile, file)) return {Value::kYes, absl::StrCat("it changes ", file)};
  }
  return {Value::kNo, ""};
}

Answer ReachesChange(const PipelineProfile& profile, const PipelineSignals& signals, const LogFailure& failure) {
  if (!signals.files.has_value()) return {Value::kUnknown, kFilesUnknown};
  if (AllInert(profile, *signals.files)) return {Value::kNo, "it changes no code"};
  for (const std::string& file : *signals.files) {
    if (SameFile(file, failure.file)) return {Value::kYes, absl::StrCat("it changes ", file)};
  }
  const auto reach = signals.reach.find(failure.file);
  if (failure.file.empty() || reach == signals.reach.end()) {
    return {Value::kUnknown, "it changes code, and nothing shows that the test does not reach it"};
  }
  std::optional<std::string> untold;
  for (const std::string& file : *signals.files) {
    if (IsInert(profile, file)) continue;
    if (absl::c_linear_search(reach->second, file)) {
      return {Value::kYes, absl::StrCat("it changes ", file, ", which the test imports")};
    }
    if (LanguageOfPath(file) != Language::kPython) untold = file;
  }
  if (untold) return {Value::kUnknown, absl::StrCat("it changes ", *untold, ", and imports do not tell who uses that")};
  return {Value::kNo, "the test imports nothing of what it changes"};
}

Answer PassesOnBase(const PipelineSignals& signals, const TrunkHistory& trunk, const LogFailure& failure) {
  const std::string test = TestName(failure);
  if (const auto base = signals.baseline.find(test); base != signals.baseline.end()) {
    return base->second ? Answer{Value::kYes, "the test passes on the base branch"}
                        : Answer{Value::kNo, "the test fails on the base branch, too"};
  }
  const std::optional<TrunkEvidence> evidence = TestOnTrunk(trunk, test);
  if (!evidence) return {Value::kUnknown, "how the test ends on the base branch is not known"};
  return {evidence->passed ? Value::kYes : Value::kNo, evidence->why};
}

}  // namespace yardmaster::rules
