#include "services/commands/pipe/why_text.h"

#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/defang.h"
#include "services/core/messages/plan_names.h"
#include "services/core/reasons.h"

namespace yardmaster::commands {
namespace {

// An answer is read in a thread: more belongs to `yard explain`.
constexpr int kMaxLabels = 8;
constexpr int kMaxEvidence = 3;
constexpr int kMaxNear = 3;
constexpr size_t kMaxQuoteBytes = 60;

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", value);
  std::string out(text);
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string Codes(const google::protobuf::RepeatedPtrField<std::string>& names) {
  std::vector<std::string> out;
  out.reserve(static_cast<size_t>(names.size()));
  for (const std::string& name : names) out.push_back(EchoCode(name));
  return absl::StrJoin(out, ", ");
}

std::string Evidence(const v1::LabelExplanation& label) {
  std::vector<std::string> out;
  for (const v1::Evidence& evidence : label.rules()) {
    if (out.size() == kMaxEvidence) break;
    std::string one = EchoCode(evidence.rule_id());
    if (!evidence.zone().empty()) absl::StrAppend(&one, " (", evidence.zone());
    if (!evidence.text().empty()) absl::StrAppend(&one, ": ", EchoCode(evidence.text(), kMaxQuoteBytes));
    if (!evidence.zone().empty()) one += ")";
    out.push_back(std::move(one));
  }
  const int more = label.rules_size() - static_cast<int>(out.size());
  return absl::StrCat(absl::StrJoin(out, ", "), more > 0 ? absl::StrCat(" +", more) : std::string());
}

}  // namespace

std::string WhyText(const v1::Plan& plan, bool chinese) {
  std::string out;
  absl::StrAppend(&out, chinese ? "最近一次判定 " : "Latest decision ", EchoCode(plan.id()),
                  chinese ? "，规则包 " : " by pack ", EchoCode(plan.pack()), " (", plan.pack_revision(),
                  plan.mode() == v1::MODE_DRY_RUN ? ", dry run" : "", ").\n\n");
  int shown = 0;
  int near = 0;
  for (const v1::LabelExplanation& label : plan.explanation().labels()) {
    if (label.label().starts_with('@')) continue;
    if (label.chosen() ? shown == kMaxLabels : near == kMaxNear) continue;
    ++(label.chosen() ? shown : near);
    absl::StrAppend(&out, "* ", EchoCode(label.label()));
    if (!label.chosen()) absl::StrAppend(&out, chinese ? "（未达到）" : " (not reached)");
    const std::string_view confidence = ConfidenceName(label.confidence());
    if (label.chosen() && !confidence.empty()) absl::StrAppend(&out, " **", std::string(confidence), "**");
    absl::StrAppend(&out, ": ", Number(label.score()), chinese ? "，阈值 " : " of ", Number(label.threshold()));
    if (!chinese) out += " needed";
    if (const std::string evidence = Evidence(label); !evidence.empty()) {
      absl::StrAppend(&out, chinese ? "；规则 " : "; rules ", evidence);
    }
    for (const v1::Suppression& suppression : label.suppressed()) {
      absl::StrAppend(&out, chinese ? "；被压低 " : "; lowered by ", EchoCode(suppression.rule_id()));
    }
    out += "\n";
  }
  if (shown + near == 0) out += chinese ? "* 没有任何标签有依据。\n" : "* There was no evidence for any label.\n";
  std::vector<std::string> steps;
  for (const v1::StepOutcome& step : plan.explanation().steps()) {
    if (step.taken()) steps.push_back(EchoCode(step.id()));
  }
  if (!steps.empty()) absl::StrAppend(&out, chinese ? "\n步骤：" : "\nSteps taken: ", absl::StrJoin(steps, ", "), ".");
  absl::StrAppend(&out, chinese ? "\n打上的标签：" : "\nLabels added: ",
                  plan.applied().empty() ? (chinese ? "无" : "none") : Codes(plan.applied()), ".");
  for (const v1::Suppression& suppression : plan.explanation().guardrails()) {
    absl::StrAppend(&out, chinese ? "\n护栏：" : "\nGuardrail: ", EchoText(suppression.reason()));
  }
  absl::StrAppend(&out,
                  chinese ? "\n\n全部依据：" : "\n\nAll of it: ", EchoCode(absl::StrCat("yard explain ", plan.id())));
  return out;
}

std::string TriageText(const v1::Plan& plan, bool chinese, bool preview) {
  std::string out;
  if (plan.applied().empty()) {
    out = chinese ? "没有需要添加的标签" : "nothing to add";
  } else {
    const bool only_said = plan.mode() == v1::MODE_DRY_RUN;
    const char* const said = chinese ? "试运行，只会添加标签 " : "a dry run: it would add ";
    const char* const does = chinese ? "添加标签 " : preview ? "adds " : "added ";
    out = absl::StrCat(only_said ? said : does, Codes(plan.applied()));
  }
  if (!plan.comment_template().empty()) {
    const char* const posted = preview ? ", and posts the template " : ", and posted the template ";
    absl::StrAppend(&out, chinese ? "，并发布模板 " : posted, EchoCode(plan.comment_template()));
  }
  if (preview) return out;
  absl::StrAppend(&out, chinese ? "。为什么：" : ". Why: ", "`/why`");
  return out;
}

std::string SkipReasonText(std::string_view reason, bool chinese) {
  const auto say = [&](std::string_view en, std::string_view zh) { return std::string(chinese ? zh : en); };
  if (reason == reasons::kClosed) return say("it is closed, and closed ones are skipped", "它已关闭，不再处理");
  if (reason == reasons::kNotInQueue) {
    return say("it lacks the entry label of the pack's queue, so it is skipped", "它没有规则包的入口标签，不处理");
  }
  if (reason == reasons::kNoPlanner) return say("the pack here has no rubric for it", "这里的规则包没有对应的规则");
  return say("it is skipped", "不处理") + " (" + std::string(reason) + ")";
}

}  // namespace yardmaster::commands
