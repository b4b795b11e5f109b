// Any bytes as a file of `yard triage eval` → cases → decisions → plans → JSON: no crash, and what holds for every plan
// holds for these.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/limits.h"
#include "services/core/readable.h"
#include "services/triage/decision_json.h"
#include "services/triage/eval_lines.h"
#include "services/triage/triage_planner.h"
#include "tests/fuzz/check.h"
#include "tests/support/tiny_pack.h"

namespace {

using namespace yardmaster;

template <typename Strings>
bool Has(const Strings& strings, const std::string& text) {
  return std::find(strings.begin(), strings.end(), text) != strings.end();
}

const rules::CompiledPack& Pack() {
  static const std::shared_ptr<const rules::CompiledPack> pack = testing::CompileTinyPack();
  return *pack;
}

void CheckEvidence(const v1::IssueSnapshot& issue, const v1::Evidence& evidence) {
  Check(evidence.text().size() <= kMaxEvidenceTextBytes, "a quoted match over its limit");
  Check(IsValidUtf8(evidence.text()), "a quoted match that is not UTF-8");
  if (!evidence.has_span()) return;
  const v1::TextSpan& span = evidence.span();
  size_t size = 0;
  switch (span.source()) {
    case v1::TextSpan::SOURCE_TITLE:
      size = issue.title().size();
      break;
    case v1::TextSpan::SOURCE_COMMENT:
      Check(span.comment_index() < static_cast<uint32_t>(issue.comments_size()), "evidence in a comment that is none");
      size = issue.comments(static_cast<int>(span.comment_index())).body().size();
      break;
    default:
      size = issue.body().size();
      break;
  }
  Check(span.begin() < span.end() && span.end() <= size, "evidence outside of its text");
}

void CheckPlan(const v1::IssueSnapshot& issue, const v1::Plan& plan) {
  const rules::GuardrailsModel& guardrails = *Pack().model().guardrails;
  for (const std::string& label : plan.applied()) {
    Check(Has(guardrails.allow, label), "a label that is not allowed is applied");
    Check(!Has(issue.labels(), label), "a label that is there already is applied");
  }
  for (const std::string& label : plan.labels()) {
    Check(label != Pack().model().entry_label && !Has(guardrails.markers, label),
          "entry label or marker in the classification");
  }
  if (issue.labels_known() && !Has(issue.labels(), Pack().model().entry_label)) {
    Check(plan.applied().empty() && plan.actions().empty(), "an issue outside of the queue is touched");
  }
  Check(plan.explanation().steps_size() == static_cast<int>(Pack().model().steps.size()), "a step without a reason");
  for (const v1::StepOutcome& step : plan.explanation().steps()) Check(!step.why().empty(), "a step without a reason");
  for (const v1::LabelExplanation& label : plan.explanation().labels()) {
    for (const v1::Evidence& evidence : label.rules()) CheckEvidence(issue, evidence);
  }
  for (const nlohmann::ordered_json& json : {EvalLineJson(plan), DecisionJson(plan)}) {
    const std::string line = DumpLine(json);
    Check(line.find('\n') == std::string::npos, "a line with a line end in it");
    Check(!nlohmann::json::parse(line, nullptr, false).is_discarded(), "an answer that is not JSON");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  Problems problems;
  const std::optional<std::vector<EvalCase>> cases = ReadEvalLines(in, "input", EvalLimits(), problems);
  Check(cases.has_value() == problems.empty(), "read with problems, or refused without one");
  for (const Problem& problem : problems) {
    Check(problem.line > 0 && !problem.message.empty(), "a problem without a line or a message");
    Check(IsValidUtf8(problem.message), "a message that is not UTF-8");
  }
  if (!cases.has_value()) return 0;
  for (const EvalCase& one : *cases) {
    v1::Plan plan;
    Check(PlanTriage(Pack(), one.issue, {}, plan).ok(), "a case that can't be decided");
    CheckPlan(one.issue, plan);
    v1::Plan again;
    Check(PlanTriage(Pack(), one.issue, {}, again).ok() && again.SerializeAsString() == plan.SerializeAsString(),
          "the same case decided differently");
  }
  return 0;
}
