#include "services/commands/pipe/job.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/commands/defang.h"
#include "services/commands/help.h"
#include "services/commands/pipe/why_text.h"
#include "services/core/status_macros.h"
#include "services/intake/people_labels.h"

namespace yardmaster::commands {
namespace {

std::string Say(const Work& work, std::string_view en, std::string_view zh) {
  return std::string(work.asked.chinese ? zh : en);
}

std::vector<std::string> SlotNames(const ParsedCommand& command, std::string_view slot) {
  const auto it = command.slots.find(slot);
  if (it == command.slots.end()) return {};
  if (const auto* list = std::get_if<std::vector<std::string>>(&it->second)) return *list;
  if (const auto* one = std::get_if<std::string>(&it->second)) return {*one};
  return {};
}

bool HasFlag(const ParsedCommand& command, std::string_view slot) {
  const auto it = command.slots.find(slot);
  const bool* flag = it == command.slots.end() ? nullptr : std::get_if<bool>(&it->second);
  return flag != nullptr && *flag;
}

// The name with which effects know the command: another one when other words stand in its place.
std::string EffectName(const CommandInput& input) { return absl::StrCat(input.name, "-", input.revision); }

std::string Codes(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back(EchoCode(name));
  return absl::StrJoin(out, ", ");
}

// Why labels are held back, one line each.
void AppendRefused(const Work& work, const LabelsForPerson& labels, std::string& text) {
  std::vector<std::string> unknown;
  for (const auto& [label, reason] : labels.refused) {
    if (reason.starts_with("not one of")) {
      unknown.push_back(label);
    } else {
      absl::StrAppend(&text, text.empty() ? "" : "\n\n", EchoCode(label), ": ", EchoText(reason));
    }
  }
  if (unknown.empty()) return;
  absl::StrAppend(&text, text.empty() ? "" : "\n\n", work.answers.RefusedLabels(unknown, work.asked.chinese));
  const std::vector<std::string> allowed = LabelsForPeople(*work.input.pack);
  absl::StrAppend(&text, "\n\n", Say(work, "Those that they may set here: ", "这里可以设置的标签："),
                  allowed.empty() ? Say(work, "none", "无") : Codes(allowed));
}

WorkDone LabelsDone(const Work& work, const LabelsForPerson& labels, const std::string& did,
                    const std::string& already) {
  WorkDone out;
  std::string text;
  if (!labels.go.empty()) absl::StrAppend(&text, did, Codes(labels.go));
  if (!labels.already.empty()) absl::StrAppend(&text, text.empty() ? "" : "; ", already, Codes(labels.already));
  out.done = !text.empty();
  AppendRefused(work, labels, text);
  out.text = std::move(text);
  out.outcome = out.done ? "done" : "refused: labels";
  return out;
}

absl::StatusOr<WorkDone> Label(const Work& work) {
  const auto& on_it = work.input.snapshot.labels();
  const LabelsForPerson labels =
      LabelsToAdd(*work.input.pack, SlotNames(work.command, "labels"), {on_it.begin(), on_it.end()});
  if (!labels.go.empty()) {
    v1::AddLabels& add = *work.plan.mutable_plan()->add_actions()->mutable_add_labels();
    for (const std::string& label : labels.go) add.add_labels(label);
    add.set_command(EffectName(work.input));
  }
  return LabelsDone(work, labels, Say(work, "added ", "已添加 "), Say(work, "there already: ", "本来就有："));
}

absl::StatusOr<WorkDone> Unlabel(const Work& work) {
  const auto& on_it = work.input.snapshot.labels();
  const LabelsForPerson labels =
      LabelsToRemove(*work.input.pack, SlotNames(work.command, "labels"), {on_it.begin(), on_it.end()});
  if (!labels.go.empty()) {
    // One by one: what the forge refuses for one label says nothing about the others.
    for (const std::string& label : labels.go) {
      v1::RemoveLabels& remove = *work.plan.mutable_plan()->add_actions()->mutable_remove_labels();
      remove.add_labels(label);
      remove.set_command(EffectName(work.input));
    }
  }
  return LabelsDone(work, labels, Say(work, "took off ", "已摘掉 "), Say(work, "not there: ", "本来就没有："));
}

absl::StatusOr<WorkDone> Triage(const Work& work) {
  WorkDone out;
  if (work.layers.repository_broken || work.layers.organisation_broken) {
    out.done = false;
    out.text = Say(work,
                   "the repository's file for the bot, or its organisation's, can't be used as it is: nothing is "
                   "decided until it is mended",
                   "本仓或其组织给机器人的配置文件目前有误，修好之前不做任何判定");
    out.outcome = "refused: broken file";
    return out;
  }
  ASSIGN_OR_RETURN(AskedPlan asked, work.view.Ask("triage", {}));
  if (!asked.plan.has_value()) {
    out.done = false;
    out.text = LeftAloneText(asked.reason, work.asked.chinese);
    out.outcome = absl::StrCat("left alone: ", asked.reason);
    return out;
  }
  out.text = TriageText(*asked.plan, work.asked.chinese);
  out.outcome = "done";
  *work.plan.mutable_asked() = *std::move(asked.plan);
  return out;
}

absl::StatusOr<WorkDone> Why(const Work& work) {
  ASSIGN_OR_RETURN(const std::optional<v1::Plan> latest, work.view.LatestDecision());
  WorkDone out;
  out.outcome = "done";
  out.text = latest.has_value() ? WhyText(*latest, work.asked.chinese)
                                : Say(work, "nothing was decided here yet", "这里还没有任何判定");
  return out;
}

absl::StatusOr<WorkDone> Review(const Work& work) {
  WorkDone out;
  AskOptions options;
  options.detailed = HasFlag(work.command, "detailed");
  if (const std::vector<std::string> pack = SlotNames(work.command, "pack"); !pack.empty()) {
    options.pack = pack.front();
    if (std::find(work.packs.begin(), work.packs.end(), options.pack) == work.packs.end()) {
      out.done = false;
      out.text = absl::StrCat(Say(work, "this repository may not use the pack ", "本仓不能使用规则包 "),
                              EchoCode(options.pack), Say(work, "; those that it may: ", "；可以使用的："),
                              work.packs.empty() ? Say(work, "none", "无") : Codes(work.packs));
      out.outcome = "refused: pack";
      return out;
    }
  }
  ASSIGN_OR_RETURN(AskedPlan asked, work.view.Ask("review", options));
  if (!asked.plan.has_value()) {
    out.done = false;
    out.text = Say(work, "only pull requests can be reviewed", "只能检视 PR");
    out.outcome = absl::StrCat("left alone: ", asked.reason);
    return out;
  }
  const auto& steps = asked.plan->explanation().steps();
  const auto judged = std::find_if(steps.begin(), steps.end(), [](const auto& step) { return step.id() == "review"; });
  const std::string counts = judged == steps.end() ? std::string() : judged->why();
  out.text = absl::StrCat(counts, Say(work, ". See the summary comment.", "。详见汇总评论。"));
  out.outcome = absl::StrCat("done: ", counts);
  *work.plan.mutable_asked() = *std::move(asked.plan);
  return out;
}

absl::StatusOr<WorkDone> Help(const Work& work) {
  WorkDone out;
  out.outcome = "done";
  const std::vector<std::string> names = SlotNames(work.command, "command");
  HelpOptions options;
  options.chinese = work.asked.chinese;
  options.layers = work.layers;
  options.places =
      work.input.snapshot.subject().kind() == v1::SUBJECT_KIND_PULL_REQUEST ? rules::kFromPull : rules::kFromIssue;
  out.text = HelpAnswer(*work.input.pack->commands(), absl::StrJoin(names, " "), options);
  return out;
}

struct Entry {
  std::string_view command;
  WorkFunction work;
};

// Everything that works in a thread.
constexpr Entry kWork[] = {
    {"label", &Label}, {"unlabel", &Unlabel}, {"triage", &Triage}, {"why", &Why}, {"review", &Review}, {"help", &Help},
};

}  // namespace

WorkFunction FindWork(std::string_view command) {
  for (const Entry& entry : kWork) {
    if (entry.command == command) return entry.work;
  }
  return nullptr;
}

}  // namespace yardmaster::commands
