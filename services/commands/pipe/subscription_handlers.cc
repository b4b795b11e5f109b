#include "services/commands/pipe/subscription_handlers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/commands/pipe/handler_tools.h"
#include "services/core/defang.h"
#include "services/core/status_macros.h"
#include "services/intake/sweeps/announce.h"

namespace yardmaster::commands {
namespace {

constexpr std::string_view kAllTopics = "all";

bool IsTopic(const std::string& word) {
  return std::any_of(kNewsTopics.begin(), kNewsTopics.end(),
                     [&](const NewsTopic& topic) { return topic.name == word; });
}

// One line for each topic that `holds` says yes to.
template <typename Holds>
std::string TopicLines(const CommandRun& run, Holds holds) {
  std::string text;
  for (const NewsTopic& topic : kNewsTopics) {
    if (!holds(std::string(topic.name))) continue;
    absl::StrAppend(&text, text.empty() ? "" : "\n", "- `", std::string(topic.name),
                    "`: ", Say(run, topic.en, topic.zh));
  }
  return text;
}

// What the channel is told of now, and in which language.
absl::StatusOr<std::map<std::string, std::string>> ToldNow(const CommandRun& run) {
  ASSIGN_OR_RETURN(const std::vector<store::Subscription> all, run.input.view.Subscriptions());
  const v1::ChatOrigin& chat = run.input.event.chat();
  const v1::Subject& subject = run.input.snapshot.subject();
  std::map<std::string, std::string> topics;
  for (const store::Subscription& one : all) {
    if (one.platform == chat.platform() && one.channel == chat.channel() && one.forge == subject.forge() &&
        absl::EqualsIgnoreCase(one.repository, subject.repository())) {
      topics[one.topic] = one.language;
    }
  }
  return topics;
}

// In which language a channel is told: the one that is asked for, else that of the question.
std::string LanguageOf(const CommandRun& run) {
  const std::string asked = OneSlot(run.command, "lang");
  return asked.empty() ? Say(run, "en", "zh") : asked;
}

void Change(const CommandRun& run, const std::string& topic, bool ended) {
  v1::ChatSubscription& change = *run.plan.add_actions()->mutable_chat_subscription();
  change.set_platform(run.input.event.chat().platform());
  change.set_channel(run.input.event.chat().channel());
  change.set_topic(topic);
  change.set_ended(ended);
  change.set_by(run.input.event.actor());
  change.set_cause(EffectName(run.input));
  change.set_language(LanguageOf(run));
}

absl::StatusOr<CommandResult> ChangeTopics(const CommandRun& run, bool ended, const KnowsGate& knows_gate) {
  CommandResult out;
  std::set<std::string> topics;
  std::vector<std::string> words = SlotNames(run.command, "topics");
  if (words.empty() && ended) words.emplace_back(kAllTopics);
  for (const std::string& said : words) {
    const std::string word = absl::AsciiStrToLower(said);
    if (word == kAllTopics) {
      for (const NewsTopic& topic : kNewsTopics) topics.emplace(topic.name);
      continue;
    }
    if (IsTopic(word)) {
      topics.insert(word);
      continue;
    }
    out.done = false;
    out.text = absl::StrCat(Say(run, "there is no topic ", "没有这个主题："), EchoCode(said),
                            Say(run, ". Those that there are:", "。可以用的主题："), "\n",
                            TopicLines(run, [](const std::string&) { return true; }));
    out.outcome = "refused: topic";
    return out;
  }
  ASSIGN_OR_RETURN(const auto told, ToldNow(run));
  std::set<std::string> changed;
  for (const std::string& topic : topics) {
    const auto now = told.find(topic);
    const bool changes = ended ? now != told.end() : now == told.end() || now->second != LanguageOf(run);
    if (!changes) continue;
    Change(run, topic, ended);
    changed.insert(topic);
  }
  if (changed.empty()) {
    out.text = ended ? Say(run, "this channel is not told of that", "本频道本来就没有订阅")
                     : Say(run, "this channel is told of that already", "本频道已经订阅");
    out.outcome = "done: nothing to change";
  } else {
    out.text = absl::StrCat(ended ? Say(run, "this channel is no longer told of:", "本频道不再接收：")
                                  : Say(run, "this channel is told of:", "本频道将接收："),
                            "\n", TopicLines(run, [&](const std::string& topic) { return changed.contains(topic); }));
    out.outcome = absl::StrCat("done: ", changed.size(), ended ? " ended" : " begun");
  }
  if (!ended && topics.contains(kGateTopic) && !knows_gate(run.input.snapshot.subject())) {
    absl::StrAppend(&out.text, "\n\n",
                    Say(run,
                        "No pack of this repository has a gate profile (`pipeline.json`): there is no news of "
                        "`gate` until one has.",
                        "本仓的规则包都没有门禁配置（`pipeline.json`），在配置之前不会有 `gate` 的动态。"));
  }
  return out;
}

absl::StatusOr<CommandResult> ListTopics(const CommandRun& run) {
  ASSIGN_OR_RETURN(const auto told, ToldNow(run));
  CommandResult out;
  out.outcome = "done";
  out.text = told.empty()
                 ? Say(run, "this channel is told of nothing; `/yard subscribe TOPIC` begins it",
                       "本频道没有订阅任何动态；用 `/yard subscribe 主题` 订阅")
                 : absl::StrCat(Say(run, "this channel is told of:", "本频道接收："), "\n",
                                TopicLines(run, [&](const std::string& topic) { return told.contains(topic); }));
  return out;
}

}  // namespace

CommandHandlers SubscriptionHandlers(KnowsGate knows_gate) {
  const auto change = [knows_gate = std::move(knows_gate)](bool ended) {
    return [knows_gate, ended](const CommandRun& run) { return ChangeTopics(run, ended, knows_gate); };
  };
  return {{"subscribe", change(false)}, {"unsubscribe", change(true)}, {"subscriptions", ListTopics}};
}

}  // namespace yardmaster::commands
