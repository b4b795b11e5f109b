#include "services/intake/pipeline/command_work.h"

#include <chrono>
#include <map>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/limits.h"
#include "services/core/reasons.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/effects/execute.h"
#include "services/intake/plans/decide.h"
#include "services/intake/plans/decision_keeper.h"
#include "services/intake/plans/forge_view.h"

namespace yardmaster {
namespace {

constexpr ChatSaying kNoSuchSubject{"There is no issue or pull request of that number here, or the bot can't see it.",
                                    "这里没有这个编号的 issue 或 PR，或者机器人看不到它。"};
constexpr ChatSaying kNotUnderstood{
    "I did not understand that. `/help` lists what can be asked; with the number of an issue or pull request behind "
    "it, as in `/why #12`.",
    "没有看懂。`/help` 列出可以用的命令；后面写上 issue 或 PR 的编号，例如 `/why #12`。"};

constexpr ChatSaying kUsedButton{"That button was used already: it works once. Say it again if it is to be done again.",
                                 "这个按钮已经用过，只能用一次。如需再做，请重新说一遍。"};

constexpr ChatSaying kWorking{"Working on it…", "正在处理……"};
constexpr std::chrono::milliseconds kWorkingAfter{1'500};

// Whether what a message asks for may write nothing, whoever would be allowed to.
bool IsBarred(const v1::Event& event) { return event.chat().write_bar() != v1::ChatOrigin::WRITE_BAR_UNSPECIFIED; }

// The plan of one command, kept in its row. Where it goes on after a restart it goes on with the same plan, so that it
// does not take its own work for another's.
class CommandKeeper final : public PlanKeeper {
 public:
  CommandKeeper(const SubjectRun& run, v1::Mode mode, const store::StoredCommand& command, v1::CommandPlan& plan)
      : run_(run), decisions_(run, mode), command_(command), plan_(plan) {}

  absl::StatusOr<bool> Resume(const std::string&, const SubjectReading&, v1::Plan& plan) override {
    v1::CommandPlan before;
    if (command_.progress != store::CommandProgress::kPlanned || !before.ParseFromString(command_.plan)) return false;
    if (before.plan().outcome().empty()) before.mutable_plan()->set_outcome(before.outcome());
    plan_ = std::move(before);
    plan = plan_.plan();
    return true;
  }
  absl::StatusOr<bool> IsDecided(const std::string&) override { return false; }
  absl::Status Keep(const std::string&, v1::Plan& plan) override {
    *plan_.mutable_plan() = plan;
    if (plan_.asked().actions().empty() && plan_.asked().pack().empty()) plan_.clear_asked();
    // A decision of its own, which others may ask about.
    if (plan_.has_asked()) RETURN_IF_ERROR(decisions_.Keep("", *plan_.mutable_asked()));
    return command_.progress == store::CommandProgress::kTaken
               ? run_.env().commands.Plan(command_.id, plan_.SerializeAsString())
               : absl::OkStatus();
  }

 private:
  const SubjectRun& run_;
  DecisionKeeper decisions_;
  const store::StoredCommand& command_;
  v1::CommandPlan& plan_;
};

}  // namespace

CommandWork::Text CommandWork::TextNow(const SubjectReading& reading) const {
  const v1::Event& event = item_.event;
  Text text;
  if (event.kind() == v1::Event::KIND_OPENED || event.kind() == v1::Event::KIND_EDITED) {
    text.source = "post";
    text.now = reading.snapshot.body();
    text.author = reading.snapshot.author();
    return text;
  }
  if (const std::string& button = event.chat().button(); !button.empty()) {
    // A button works once for each person, however often they press it.
    text.source = absl::StrCat("b", ShortDigestOf({button, event.actor()}));
    text.now = event.text();
    text.author = event.text_author();
    return text;
  }
  // A comment without an id is known by the delivery that brought it.
  text.source = event.comment().empty() ? absl::StrCat("d", item_.delivery) : absl::StrCat("c", event.comment());
  text.now = event.text();
  text.author = event.text_author();
  for (const v1::Comment& comment : reading.snapshot.comments()) {
    if (event.comment().empty() || absl::StrCat(comment.id()) != event.comment()) continue;
    text.now = comment.body();
    text.author = comment.author();
    text.by_bot = comment.author_is_bot() || text.author.ends_with("[bot]");
    return text;
  }
  // It was edited and is gone since, and its author is unknown: no rights can be checked.
  if (event.kind() == v1::Event::KIND_COMMENT_EDITED && text.author.empty()) text.now.clear();
  return text;
}

TextCommands CommandWork::Parse(std::string_view text) const {
  // It was read before unless something has changed since.
  const bool chat = item_.event.has_chat();
  const bool same = !chat && text == item_.event.text() && run_.route().pack == item_.routes.front().pack &&
                    run_.login() == item_.commands_login;
  if (same) return item_.commands;
  const CrashMarks::Computing computing(run_.env().marks, item_.delivery);
  return run_.env().command_parser->Parse({run_.subject(), *run_.pack(), run_.login(), chat}, text);
}

store::CommandsOfText CommandWork::RequestsOf(const Text& text, const TextCommands& commands) const {
  // What the actor wrote, or left as it was: the event's text.
  std::map<std::string, int, std::less<>> theirs;
  for (const auto& command : Parse(item_.event.text())) ++theirs[std::string(command->fingerprint())];
  store::CommandsOfText asked;
  asked.subject = run_.subject();
  asked.source = text.source;
  asked.actor = item_.event.actor();
  asked.delivery = item_.delivery;
  for (const auto& command : commands) {
    const std::string fingerprint(command->fingerprint());
    asked.asked.push_back({fingerprint, std::string(command->id()), theirs[fingerprint]-- > 0});
  }
  return asked;
}

Outcome CommandWork::Run() {
  SubjectReading reading;
  const bool chat = item_.event.has_chat();
  if (chat) {
    const ChatSaying* bar = nullptr;
    RETURN_UNLESS_DONE(FindChatLookBar(run_, item_.event.chat(), bar));
    if (bar != nullptr) return Tell(*bar);
  }
  if (Outcome read = run_.Read(reading); !read.done()) {
    if (!chat || read.kind != Outcome::Kind::kIgnored) return read;
    return Tell(kNoSuchSubject);
  }
  const Text text = TextNow(reading);
  // Known only now, perhaps: text of our own holds no commands.
  if (run_.account().IsOurs(text.author)) return Outcome::Ignored(reasons::kOwnAction);
  if (text.by_bot) return Outcome::Ignored(reasons::kBot);
  TextCommands commands = Parse(text.now);
  if (commands.size() > kMaxCommandsInText) commands.resize(kMaxCommandsInText);
  if (commands.empty() && chat) return Tell(kNotUnderstood);
  if (commands.empty()) return Outcome::Ignored(reasons::kKnownCommands, "they are no longer there");
  const absl::StatusOr<std::vector<std::optional<store::StoredCommand>>> taken =
      run_.env().commands.Take(RequestsOf(text, commands));
  if (!taken.ok()) return Outcome::OfStore(taken.status());
  if (!item_.event.chat().button().empty() &&
      absl::c_none_of(*taken, [](const auto& row) { return row.has_value(); })) {
    return TellUsed(text);
  }
  Outcome all = Outcome::Ignored(reasons::kKnownCommands);
  for (size_t i = 0; i < taken->size(); ++i) {
    if (!(*taken)[i].has_value()) continue;
    Outcome one = RunOne(*(*taken)[i], *commands[i], text);
    if (!one.final()) return one;
    // Whether another one depends on it is for the planner to say.
    all = MoreUrgent(all, one);
  }
  return all;
}

Outcome CommandWork::TellUsed(const Text& text) {
  const absl::StatusOr<std::vector<store::StoredCommand>> list = run_.env().commands.List(run_.subject());
  if (!list.ok()) return Outcome::OfStore(list.status());
  // This press used it: its answer was given, and we died before noting that.
  const bool ours = absl::c_any_of(*list, [&](const store::StoredCommand& command) {
    return command.source == text.source && command.delivery == item_.delivery;
  });
  return ours ? Outcome() : Tell(kUsedButton);
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> CommandWork::Earlier(
    const store::StoredCommand& command) const {
  ASSIGN_OR_RETURN(const std::vector<store::StoredCommand> list, run_.env().commands.List(run_.subject()));
  std::vector<std::pair<std::string, std::string>> earlier;
  for (const store::StoredCommand& other : list) {
    if (other.source == command.source && other.progress == store::CommandProgress::kSettled) {
      earlier.emplace_back(other.fingerprint, other.outcome);
    }
  }
  return earlier;
}

Outcome CommandWork::RunOne(const store::StoredCommand& command, const TextCommand& parsed, const Text& text) {
  // Each command sees what the ones before it did.
  SubjectReading reading;
  RETURN_UNLESS_DONE(run_.Read(reading));
  absl::StatusOr<std::vector<std::pair<std::string, std::string>>> earlier = Earlier(command);
  if (!earlier.ok()) return Outcome::OfStore(earlier.status());
  v1::Event event = item_.event;
  event.set_actor(command.actor);
  event.set_text_author(text.author);
  // Planned for who may confirm it elsewhere; nothing of it is carried out here.
  if (event.chat().unproved() && !event.chat().claimed().empty()) event.set_actor(event.chat().claimed());
  const bool apply = run_.mode() == v1::MODE_APPLY;
  const CommandInput input{parsed, *std::move(earlier), absl::StrCat("command-", text.source, "-", command.slot),
                           command.revision, run_.forge().has_reactions()};

  // 1. People see that somebody works on it; what is to be done is decided, once.
  v1::CommandPlan kept;
  CommandKeeper keeper(run_, run_.mode(), command, kept);
  const auto acknowledge = [&](const v1::Plan& acknowledgement) {
    Execution execution;
    return Execute(run_, effects_, acknowledgement, {.started = item_.started, .person = command.actor}, execution);
  };
  const auto working = [&] { return TellWorking(event, input); };
  v1::Plan plan;
  Outcome decided = Decide(run_,
                           {.event = event,
                            .planner = *run_.env().command_planner,
                            .trigger = Trigger::kManual,
                            .mode = run_.mode(),
                            .reading = reading,
                            .command = &input,
                            .keeper = &keeper,
                            .acknowledge = acknowledge,
                            .working = working,
                            .asked_plan = kept.mutable_asked()},
                           plan);
  // Another bot's command, as the repository says: taken, so that it is not looked at again.
  const bool skipped = decided.kind == Outcome::Kind::kIgnored;
  if (!skipped && !decided.done()) return decided;

  // 2. Do it, and answer.
  std::string failures;
  const bool writes = apply && !IsBarred(item_.event);
  if (!skipped && !writes && item_.event.has_chat()) RETURN_UNLESS_DONE(ExecuteAnswer(kept.plan()));
  if (!skipped && writes) RETURN_UNLESS_DONE(ExecutePlans(kept, command.actor, failures));
  // What the platform had no room for before the answer is not said after it.
  if (const std::optional<v1::ChatMessage> late = WorkingMessage(event, input); late.has_value()) {
    const absl::Status ended = effects_.RefuseIfUnsent(run_.subject(), ChatMessageKey(*late));
    if (!ended.ok()) return Outcome::OfStore(ended);
  }
  const std::string outcome =
      absl::StrCat(apply ? "" : "dry-run: ", skipped            ? decided.reason
                                             : failures.empty() ? plan.outcome()
                                                                : absl::StrCat("failed: ", failures));
  const absl::Status settled = run_.env().commands.Settle(command.id, outcome);
  if (!settled.ok()) return Outcome::OfStore(settled);
  run_.env().logger.Info("command answered", {{"command", command.command.empty() ? "?" : command.command},
                                              {"subject", SubjectKey(run_.subject())},
                                              {"actor", command.actor},
                                              {"outcome", outcome}});
  return {};
}

std::optional<v1::ChatMessage> CommandWork::WorkingMessage(const v1::Event& event, const CommandInput& input) const {
  const ChatBridge* const chat = run_.env().chat;
  if (!event.has_chat() || chat == nullptr || !chat->CanChange(event.chat().platform())) return std::nullopt;
  // What is done at once needs no word before it.
  if (run_.env().clock.Now() - item_.started < kWorkingAfter) return std::nullopt;
  const std::string cause = absl::StrCat(input.name, "-", input.revision);
  const bool chinese = IsInChinese(event);
  return FollowMessage(*FollowInChat(event, cause, chinese), /*revision=*/0,
                       std::string(chinese ? kWorking.zh : kWorking.en));
}

Outcome CommandWork::TellWorking(const v1::Event& event, const CommandInput& input) {
  std::optional<v1::ChatMessage> message = WorkingMessage(event, input);
  if (!message.has_value()) return {};
  v1::Plan plan;
  *plan.mutable_subject() = run_.subject();
  *plan.add_actions()->mutable_chat_message() = *std::move(message);
  return ExecuteAnswer(plan);
}

Outcome CommandWork::Tell(const ChatSaying& saying) {
  v1::Plan plan;
  *plan.mutable_subject() = run_.subject();
  v1::ChatMessage& message = *plan.add_actions()->mutable_chat_message();
  message.set_platform(item_.event.chat().platform());
  message.set_channel(item_.event.chat().channel());
  message.set_cause(absl::StrCat("d", item_.delivery));
  message.set_body(std::string(IsInChinese(item_.event) ? saying.zh : saying.en));
  return ExecuteAnswer(plan);
}

Outcome CommandWork::ExecuteAnswer(const v1::Plan& plan) {
  v1::Plan answer = plan;
  answer.set_mode(v1::MODE_APPLY);
  answer.clear_actions();
  for (const v1::Action& action : plan.actions()) {
    const bool told = action.has_chat_message() || action.has_await_confirmation() ||
                      (action.has_chat_link() && !item_.event.chat().unproved());
    if (told || (action.has_chat_subscription() && !IsBarred(item_.event))) *answer.add_actions() = action;
  }
  Execution execution;
  return Execute(run_, effects_, answer, {.started = item_.started, .person = {}}, execution);
}

Outcome CommandWork::ExecutePlans(const v1::CommandPlan& plan, const std::string& person, std::string& failures) {
  Execution execution;
  Outcome outcome;
  if (plan.has_asked()) {
    RETURN_UNLESS_DONE(Execute(run_, effects_, plan.asked(), {.started = item_.started, .person = {}}, execution));
  }
  outcome = Execute(run_, effects_, plan.plan(), {.started = item_.started, .person = person}, execution);
  failures = std::move(execution.failures);
  if (outcome.failed()) outcome.reason = reasons::WithDetail(reasons::kEffectFailed, outcome.reason);
  return outcome;
}

}  // namespace yardmaster
