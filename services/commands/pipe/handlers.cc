#include "services/commands/pipe/handlers.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/labels.h"
#include "services/commands/help.h"
#include "services/commands/pipe/handler_tools.h"
#include "services/commands/pipe/test_handlers.h"
#include "services/commands/pipe/why_text.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/messages/timestamps.h"
#include "services/core/status_macros.h"
#include "services/core/utf8.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/effects/labels_for_people.h"

namespace yardmaster::commands {
namespace {

// It stands in every summary from then on.
constexpr size_t kMaxIgnoreReasonBytes = 500;
constexpr size_t kMaxGateFailures = 5;
constexpr size_t kMaxGateBytes = 600;

std::string Codes(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back(EchoCode(name));
  return absl::StrJoin(out, ", ");
}

// Why labels are held back, one line each.
void AppendRefused(const CommandRun& run, const LabelsForPerson& labels, std::string& text) {
  std::vector<std::string> unknown;
  for (const auto& [label, reason] : labels.refused) {
    if (reason.starts_with("not one of")) {
      unknown.push_back(label);
    } else {
      absl::StrAppend(&text, text.empty() ? "" : "\n\n", EchoCode(label), ": ", EchoText(reason));
    }
  }
  if (unknown.empty()) return;
  absl::StrAppend(&text, text.empty() ? "" : "\n\n", run.answers.RefusedLabels(unknown, run.asked.chinese));
  const std::vector<std::string> allowed = LabelsForPeople(*run.input.pack);
  absl::StrAppend(&text, "\n\n", Say(run, "Those that they may set here: ", "这里可以设置的标签："),
                  allowed.empty() ? Say(run, "none", "无") : Codes(allowed));
}

CommandResult LabelsDone(const CommandRun& run, const LabelsForPerson& labels, const std::string& did,
                         const std::string& already) {
  CommandResult out;
  std::string text;
  if (!labels.go.empty()) absl::StrAppend(&text, did, Codes(labels.go));
  if (!labels.already.empty()) absl::StrAppend(&text, text.empty() ? "" : "; ", already, Codes(labels.already));
  out.done = !text.empty();
  AppendRefused(run, labels, text);
  out.text = std::move(text);
  out.outcome = out.done ? "done" : "refused: labels";
  return out;
}

absl::StatusOr<CommandResult> Label(const CommandRun& run) {
  const auto& on_it = run.input.snapshot.labels();
  LabelsForPerson labels = LabelsToAdd(*run.input.pack, SlotNames(run.command, "labels"), {on_it.begin(), on_it.end()});
  // Adding a label that the repository does not have would make it.
  if (const auto existing = run.input.view.RepositoryLabels(labels.go); existing != nullptr) {
    std::erase_if(labels.go, [&](const std::string& label) {
      const bool missing = !HasLabel(*existing, label);
      if (missing) labels.refused.emplace_back(label, "the repository has no such label");
      return missing;
    });
  }
  if (!labels.go.empty()) {
    v1::AddLabels& add = *run.plan.add_actions()->mutable_add_labels();
    for (const std::string& label : labels.go) add.add_labels(label);
    add.set_command(EffectName(run.input));
  }
  return LabelsDone(run, labels, run.preview ? Say(run, "adds ", "添加 ") : Say(run, "added ", "已添加 "),
                    Say(run, "there already: ", "本来就有："));
}

absl::StatusOr<CommandResult> Unlabel(const CommandRun& run) {
  const auto& on_it = run.input.snapshot.labels();
  const LabelsForPerson labels =
      LabelsToRemove(*run.input.pack, SlotNames(run.command, "labels"), {on_it.begin(), on_it.end()});
  if (!labels.go.empty()) {
    // One by one: what the forge refuses for one label says nothing about the others.
    for (const std::string& label : labels.go) {
      v1::RemoveLabels& remove = *run.plan.add_actions()->mutable_remove_labels();
      remove.add_labels(label);
      remove.set_command(EffectName(run.input));
    }
  }
  return LabelsDone(run, labels, run.preview ? Say(run, "takes off ", "摘掉 ") : Say(run, "took off ", "已摘掉 "),
                    Say(run, "not there: ", "本来就没有："));
}

absl::StatusOr<CommandResult> Triage(const CommandRun& run) {
  CommandResult out;
  AskOptions options;
  options.preview = run.preview;
  ASSIGN_OR_RETURN(RequestedPlan asked, run.input.view.Ask("triage", options));
  if (!asked.plan.has_value()) {
    out.done = false;
    out.text = SkipReasonText(asked.reason, run.asked.chinese);
    out.outcome = absl::StrCat("skipped: ", asked.reason);
    return out;
  }
  out.text = TriageText(*asked.plan, run.asked.chinese, run.preview);
  out.outcome = "done";
  return out;
}

absl::StatusOr<CommandResult> Why(const CommandRun& run) {
  ASSIGN_OR_RETURN(const std::optional<v1::Plan> latest, run.input.view.LatestDecision());
  CommandResult out;
  out.outcome = "done";
  out.text = latest.has_value() ? WhyText(*latest, run.asked.chinese)
                                : Say(run, "nothing was decided here yet", "这里还没有任何判定");
  return out;
}

// How a review is asked for, so that the answer can tell of it.
AskOptions ReviewOptions(const CommandRun& run) {
  AskOptions options;
  options.preview = run.preview;
  options.chinese = run.asked.chinese;
  options.told = FollowInChat(run.input.event, EffectName(run.input), run.asked.chinese);
  return options;
}

// What came of it: in chat the findings, on the forge the counts, since the summary stands below.
std::string ReviewText(const CommandRun& run, const RequestedPlan& asked) {
  std::string text = asked.told.empty() ? WhyOfStep(*asked.plan, "review") : asked.told;
  const auto& actions = asked.plan->actions();
  const bool comments = absl::c_any_of(actions, [](const v1::Action& action) { return action.has_answer_comment(); });
  if (run.input.event.has_chat() || run.preview || !comments) return text;
  return absl::StrCat(text, Say(run, ". See the summary comment.", "。详见汇总评论。"));
}

absl::StatusOr<CommandResult> Review(const CommandRun& run) {
  CommandResult out;
  AskOptions options = ReviewOptions(run);
  options.detailed = HasFlag(run.command, "detailed");
  if (const std::vector<std::string> pack = SlotNames(run.command, "pack"); !pack.empty()) {
    options.pack = pack.front();
    if (!absl::c_linear_search(run.packs, options.pack)) {
      out.done = false;
      out.text = absl::StrCat(Say(run, "this repository may not use the pack ", "本仓不能使用规则包 "),
                              EchoCode(options.pack), Say(run, "; those that it may: ", "；可以使用的："),
                              run.packs.empty() ? Say(run, "none", "无") : Codes(run.packs));
      out.outcome = "refused: pack";
      return out;
    }
  }
  ASSIGN_OR_RETURN(RequestedPlan asked, run.input.view.Ask("review", options));
  if (!asked.plan.has_value()) {
    out.done = false;
    out.text = Say(run, "only pull requests can be reviewed", "只能检视 PR");
    out.outcome = absl::StrCat("skipped: ", asked.reason);
    return out;
  }
  out.text = ReviewText(run, asked);
  out.outcome = absl::StrCat("done: ", WhyOfStep(*asked.plan, "review"));
  return out;
}

// Silences a rule, or ends that, and reviews the pull request anew.
absl::StatusOr<CommandResult> SetIgnored(const CommandRun& run, bool ended) {
  v1::IgnoreRule ignore;
  v1::IgnoredRule& rule = *ignore.mutable_rule();
  rule.set_rule_id(OneSlot(run.command, "rule"));
  rule.set_path(OneSlot(run.command, "path"));
  rule.set_reason(std::string(CutUtf8(OneSlot(run.command, "reason"), kMaxIgnoreReasonBytes)));
  rule.set_by(run.input.event.actor());
  *rule.mutable_at() = ToTimestamp(run.input.now);
  ignore.set_ended(ended);
  ignore.set_cause(EffectName(run.input));
  CommandResult out;
  const std::string what =
      absl::StrCat(EchoCode(rule.rule_id()), rule.path().empty() ? "" : " ", EchoCode(rule.path()));
  AskOptions options = ReviewOptions(run);
  options.ignore = ignore;
  ASSIGN_OR_RETURN(RequestedPlan asked, run.input.view.Ask("review", options));
  if (!asked.plan.has_value()) {
    out.done = false;
    out.text = Say(run, "only pull requests can be reviewed", "只能检视 PR");
    out.outcome = absl::StrCat("skipped: ", asked.reason);
    return out;
  }
  if (asked.plan->actions().empty()) {
    out.done = false;
    out.text = ended ? absl::StrCat(what, Say(run, " is not ignored here", " 没有被忽略"))
                     : absl::StrCat(Say(run, "there is no finding of ", "没有这条规则的问题："), what,
                                    Say(run, " in this pull request: write the rule as the review names it",
                                        "；规则编号请与检视结果中的写法一致"));
    out.outcome = ended ? "refused: not ignored" : "refused: no finding";
    return out;
  }
  *run.plan.add_actions()->mutable_ignore_rule() = ignore;
  out.text =
      absl::StrCat(ended ? Say(run, "no longer ignored: ", "不再忽略：") : Say(run, "ignored here: ", "已忽略："), what,
                   run.input.event.has_chat() ? "\n\n" : Say(run, ". ", "。"), ReviewText(run, asked));
  out.outcome = absl::StrCat("done: ", WhyOfStep(*asked.plan, "review"));
  return out;
}

absl::StatusOr<CommandResult> Ignore(const CommandRun& run) { return SetIgnored(run, /*ended=*/false); }
absl::StatusOr<CommandResult> Unignore(const CommandRun& run) { return SetIgnored(run, /*ended=*/true); }

// Where the gate stands, what is next, and the first failures.
std::string GateText(const CommandRun& run, const RequestedPlan& asked, size_t max_failures) {
  const v1::Plan& plan = *asked.plan;
  std::string text =
      absl::StrCat("**", WhyOfStep(plan, "phase"), "** → `", WhyOfStep(plan, "next"), "`", Say(run, ": ", "："),
                   EchoText(asked.told.empty() ? WhyOfStep(plan, "why") : asked.told, kMaxGateBytes));
  const std::vector<std::string> failures = WhysOfSteps(plan, "failure");
  for (size_t i = 0; i < std::min(failures.size(), max_failures); ++i) {
    absl::StrAppend(&text, i == 0 ? "\n\n" : "\n", "- ", EchoText(failures[i], kMaxGateBytes));
  }
  const std::string note = asked.told_note.empty() ? WhyOfStep(plan, "note") : asked.told_note;
  if (!note.empty() && max_failures > 0) {
    absl::StrAppend(&text, "\n\n", Say(run, "Note: ", "备注："), EchoText(note, kMaxGateBytes));
  }
  return text;
}

// Asks how the gate stands, and where `gate` is one, has it started.
absl::StatusOr<CommandResult> AskGate(const CommandRun& run, const std::string& gate, size_t max_failures) {
  CommandResult out;
  AskOptions options;
  options.gate = gate;
  options.preview = run.preview;
  options.chinese = run.asked.chinese;
  options.told = FollowInChat(run.input.event, EffectName(run.input), run.asked.chinese);
  ASSIGN_OR_RETURN(RequestedPlan asked, run.input.view.Ask("pipeline", options));
  const bool known = asked.plan.has_value() && !WhyOfStep(*asked.plan, "phase").empty();
  if (!known) {
    out.done = false;
    out.text = Say(run, "nothing tells how this repository's gate works: its packs have no profile of it",
                   "没有关于本仓门禁的配置：规则包里没有 pipeline.json");
    out.outcome = "skipped: no profile";
    return out;
  }
  out.text = GateText(run, asked, max_failures);
  out.outcome = absl::StrCat("done: ", WhyOfStep(*asked.plan, "phase"));
  if (gate.empty()) return out;
  const auto& steps = asked.plan->explanation().steps();
  const auto start = absl::c_find_if(steps, [](const v1::StepOutcome& one) { return one.id() == "start"; });
  out.done = start != steps.end() && start->taken();
  if (out.done) {
    const auto& actions = asked.plan->actions();
    const auto posted = absl::c_find_if(actions, [](const v1::Action& action) { return action.has_start_gate(); });
    const std::string said =
        posted == actions.end()
            ? Say(run, "the gate's bot reads that comment itself", "门禁机器人会直接读那条评论")
            : absl::StrCat(run.preview ? Say(run, "posts ", "发出 ") : Say(run, "posted ", "已发出 "),
                           EchoCode(posted->start_gate().comment()));
    out.text = absl::StrCat(said, Say(run, ". ", "。"), out.text);
  } else {
    out.outcome = absl::StrCat("refused: ", WhyOfStep(*asked.plan, "phase"));
    // How the gate stands says why it can't be started now; that nothing starts it is said here.
    if (WhyOfStep(*asked.plan, "start") != WhyOfStep(*asked.plan, "why")) {
      out.text =
          absl::StrCat(Say(run, "no comment starts this gate here. ", "这里没有用来启动这个门禁的评论。"), out.text);
    }
  }
  for (const v1::Action& action : asked.plan->actions()) {
    *run.plan.add_actions() = action;
    out.goes_on = out.goes_on || action.has_start_gate();
  }
  return out;
}

absl::StatusOr<CommandResult> Status(const CommandRun& run) { return AskGate(run, "", 0); }
absl::StatusOr<CommandResult> Diagnose(const CommandRun& run) { return AskGate(run, "", kMaxGateFailures); }
absl::StatusOr<CommandResult> CheckPr(const CommandRun& run) { return AskGate(run, "check_pr", 0); }
// The gate, and the jobs of attached runners that have not passed: whichever there is.
absl::StatusOr<CommandResult> Retest(const CommandRun& run) {
  ASSIGN_OR_RETURN(CommandResult gate, AskGate(run, "retest", 1));
  // Each is told in a message of its own: they go on apart.
  ASSIGN_OR_RETURN(CommandResult jobs, RetestJobs(run, gate.goes_on ? "-tests" : ""));
  const bool no_gate = !gate.done && absl::StartsWith(gate.outcome, "skipped");
  const bool no_suites = !jobs.done && absl::StartsWith(jobs.outcome, "skipped");
  if (!jobs.done) return no_gate && !no_suites ? jobs : gate;
  if (!gate.done) return jobs;
  gate.text = absl::StrCat(gate.text, "\n\n", jobs.text);
  gate.goes_on = gate.goes_on || jobs.goes_on;
  return gate;
}

absl::StatusOr<CommandResult> Help(const CommandRun& run) {
  CommandResult out;
  out.outcome = "done";
  const std::vector<std::string> names = SlotNames(run.command, "command");
  HelpOptions options;
  options.chinese = run.asked.chinese;
  options.layers = run.layers;
  const bool pull = run.input.snapshot.subject().kind() == v1::SUBJECT_KIND_PULL_REQUEST;
  // In chat people name the thread behind a command, whatever they spoke of before.
  options.places = run.input.event.has_chat() ? rules::kFromChat : pull ? rules::kFromPull : rules::kFromIssue;
  out.text = HelpAnswer(*run.input.pack->commands(), absl::StrJoin(names, " "), options);
  return out;
}

}  // namespace

CommandHandlers ShippedHandlers() {
  return {{"label", Label},   {"unlabel", Unlabel},        {"triage", Triage},         {"why", Why},
          {"review", Review}, {"ignore", Ignore},          {"unignore", Unignore},     {"help", Help},
          {"status", Status}, {"gate_diagnose", Diagnose}, {"gate_check_pr", CheckPr}, {"gate_retest", Retest}};
}

}  // namespace yardmaster::commands
