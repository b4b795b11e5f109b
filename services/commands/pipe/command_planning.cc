#include "services/commands/pipe/command_planning.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/forge_error.h"
#include "services/commands/permission.h"
#include "services/commands/pipe/handler_tools.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/messages/timestamps.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/core/utf8.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/effect.h"
#include "services/intake/outcome.h"

namespace yardmaster::commands {
namespace {

using rules::CommandParameterType;
using rules::LocalText;

constexpr std::string_view kLinkCommand = "link";
constexpr std::string_view kRefusedOutcome = "refused";
// Of a label on a button; Slack takes 75 characters.
constexpr size_t kMaxButtonLabel = 70;
// How long a command waits to be confirmed.
constexpr std::chrono::hours kConfirmWithin{1};
// A question back names so many ways to say it.
constexpr size_t kMaxChoices = 4;
// Of a sentence about what was not read.
constexpr size_t kMaxNoteBytes = 400;
// Of a code that tells apart what waits for a confirmation.
constexpr size_t kCodeLetters = 8;
constexpr std::string_view kDryRunOutcome = "dry-run: ";
// Commands that are about no thread.
constexpr std::string_view kWithoutThread[] = {"help", "link", "unlink"};

// Errors that pass end the plan; the others are answered.
bool Passes(const absl::Status& error) { return !Outcome::OfForge(error).failed(); }

rules::CommandPlace PlaceOf(const v1::Subject& subject) {
  return subject.kind() == v1::SUBJECT_KIND_PULL_REQUEST ? rules::kFromPull : rules::kFromIssue;
}

// Numbers and repositories that a command names besides the thread it stands in.
bool NamesAnother(const ParsedCommand& command, const v1::Subject& subject) {
  if (command.command != nullptr && command.command->names_target) return false;
  for (const std::string_view slot : {"pr", "issue"}) {
    const auto it = command.slots.find(slot);
    if (it == command.slots.end()) continue;
    const auto* number = std::get_if<int64_t>(&it->second);
    if (number != nullptr && *number != subject.number()) return true;
  }
  const auto repository = command.slots.find("repo");
  if (repository == command.slots.end()) return false;
  const auto* name = std::get_if<std::string>(&repository->second);
  return name != nullptr && !SameLogin(*name, subject.repository());
}

// A command about a channel: it needs no issue.
bool IsForChatOnly(const rules::CommandModel& command) { return command.places == rules::kFromChat; }

// Parameters that neither the words nor the thread give.
std::vector<LocalText> Missing(const ParsedCommand& command, const v1::Subject& subject) {
  std::vector<LocalText> out;
  const bool pull = subject.kind() == v1::SUBJECT_KIND_PULL_REQUEST;
  for (const rules::CommandParameter* parameter : command.missing) {
    if (parameter->type == CommandParameterType::kIssue) continue;
    if (parameter->type == CommandParameterType::kPull && pull) continue;
    out.push_back({absl::StrCat(parameter->name, " is missing: ", parameter->summary.en),
                   absl::StrCat("缺少 ", parameter->name, "：", parameter->summary.In(true))});
  }
  if (out.empty() && command.command->needs_pull && !pull && !command.slots.contains("pr")) {
    out.push_back({"it needs the number of a pull request", "需要 PR 编号"});
  }
  return out;
}

// What the forge says about a person; `hidden` is set if it does not tell us.
absl::StatusOr<PermissionDecision> Permit(const PermissionRequest& request, std::string_view login,
                                          const SettingLayers& layers, const v1::Subject& subject, SubjectView& view,
                                          bool& hidden) {
  const PermissionQuestions questions = QuestionsOf(request, login, layers);
  Person person;
  person.login = std::string(login);
  // Nobody's account has no rights, and there is nothing to ask.
  if (questions.permission && !login.empty()) {
    const absl::StatusOr<ForgeAccess> access = view.Access(login);
    if (access.ok()) {
      person.permission = std::string(ForgePermissionName(access->permission));
    } else {
      const std::optional<ForgeError> error = ForgeErrorOf(access.status());
      if (!error.has_value() || error->Transient() || error->reason == ForgeReason::kStopped ||
          error->reason == ForgeReason::kBudget || error->reason == ForgeReason::kRateLimited) {
        return access.status();
      }
      hidden = true;
    }
  }
  std::map<std::string, bool> teams;
  for (const std::string& team : login.empty() ? std::vector<std::string>() : questions.teams) {
    const size_t slash = team.find('/');
    const std::string owner = slash == std::string::npos
                                  ? subject.repository().substr(0, subject.repository().find('/'))
                                  : team.substr(0, slash);
    ASSIGN_OR_RETURN(const bool member,
                     view.IsTeamMember(owner, slash == std::string::npos ? team : team.substr(slash + 1), login));
    teams[team] = member;
  }
  person.is_member = [&teams](const std::string& team) {
    const auto it = teams.find(team);
    return it != teams.end() && it->second;
  };
  return Decide(request, person, layers);
}

}  // namespace

CommandPlanning::CommandPlanning(const CommandEnvironment& env, const PlanInput& input, const Request& request,
                                 const v1::AwaitConfirmation* confirmed)
    : env_(env),
      input_(input),
      view_(input.view),
      request_(request),
      command_(request_.command),
      confirmed_(confirmed),
      answers_(input.pack->commands()) {
  asked_.person = input.event.actor();
  asked_.written = request_.written;
  // A line with a slash has no language: what began it has.
  asked_.chinese = request_.chinese || input.event.chat().chinese() ||
                   (confirmed_ != nullptr && (confirmed_->chinese() || RequestOf(input).chinese));
  asked_.command = command_.command;
}

absl::Status CommandPlanning::Load() {
  const std::shared_ptr<const PackSet> packs = env_.packs == nullptr ? nullptr : env_.packs();
  return LoadSettings(view_, subject(), env_.config, packs.get(), settings_);
}

bool CommandPlanning::IsOtherBots() const {
  return !request_.IsNote() && !command_.name.empty() && IsOnList(command_.name, settings_.bot_commands);
}

bool CommandPlanning::MayConfirmOnForge() const {
  const v1::ChatOrigin& chat = input_.event.chat();
  return chat.write_bar() == v1::ChatOrigin::WRITE_BAR_UNPROVED && !chat.claimed().empty() && subject().number() > 0 &&
         !IsForChatOnly(*command_.command);
}

std::vector<std::string> CommandPlanning::Ways() const {
  const size_t count = command_.command == nullptr ? std::min(request_.choices.size(), kMaxChoices) : 0;
  return {request_.choices.begin(), request_.choices.begin() + static_cast<ptrdiff_t>(count)};
}

std::optional<std::string> CommandPlanning::Question() const {
  if (command_.command != nullptr) return std::nullopt;
  const std::vector<std::string> ways = Ways();
  LocalText sentence{"it is not clear what is meant", "不清楚具体要做什么"};
  if (!ways.empty()) {
    sentence.en = absl::StrCat("did you mean ", absl::StrJoin(ways, " or "), "? Write the one that you mean");
    sentence.zh = absl::StrCat("是指 ", absl::StrJoin(ways, " 还是 "), "？请直接写出其中一个命令");
  }
  return answers_.Ask(asked_, {sentence});
}

std::optional<std::string> CommandPlanning::Stopped(v1::Plan& plan) const {
  for (const Dependency& before : request_.before) {
    const auto& earlier = input_.command->earlier;
    const auto settled = absl::c_find_if(earlier, [&](const auto& one) { return one.first == before.fingerprint; });
    std::string_view outcome = settled == earlier.end() ? std::string_view() : std::string_view(settled->second);
    if (outcome.starts_with(kDryRunOutcome)) outcome.remove_prefix(kDryRunOutcome.size());
    if (outcome.starts_with("done")) continue;
    plan.set_outcome("stopped");
    return answers_.Failed(asked_,
                           absl::StrCat(asked_.chinese ? "前面的 " : "it comes behind ", EchoCode(before.written),
                                        asked_.chinese ? " 没有做成，所以没有继续" : ", which was not done"));
  }
  if (!request_.conditional || command_.command->access != rules::CommandAccess::kWrite) return std::nullopt;
  plan.set_outcome("asked-back");
  return answers_.Ask(asked_, {{"whether the condition holds is for people to say: write it on its own when it does",
                                "条件是否满足要由人判断，满足时请单独写出这个命令"}});
}

absl::StatusOr<std::optional<std::string>> CommandPlanning::Refusal(std::string& outcome) {
  PermissionRequest request;
  request.command = command_.command;
  const bool in_chat = input_.event.has_chat();
  const bool not_for_chat = (command_.command->places & rules::kFromChat) == 0;
  request.place = in_chat && (not_for_chat || subject().number() == 0 || IsForChatOnly(*command_.command))
                      ? rules::kFromChat
                      : PlaceOf(subject());
  // Who opened another thread is not known here.
  if (!NamesAnother(command_, subject())) request.author = input_.snapshot.author();
  // A person who edits another's text gets no rights of its author, and gives none.
  std::vector<std::string> people = {input_.event.actor()};
  const std::string& author = input_.event.text_author();
  if (!author.empty() && !SameLogin(author, input_.event.actor())) people.push_back(author);
  for (const std::string& login : people) {
    bool hidden = false;
    const v1::ChatOrigin& chat = input_.event.chat();
    // What an unproved message asks for is planned for who confirms it.
    const std::string& in_chat_as = IsHeld() && MayConfirmOnForge() ? chat.claimed() : chat.login();
    ASSIGN_OR_RETURN(const PermissionDecision decision,
                     Permit(request, in_chat ? in_chat_as : login, settings_.layers, subject(), view_, hidden));
    if (decision.allowed()) continue;
    if (hidden) {
      outcome = "refused: permissions can't be looked up";
      return answers_.Failed(asked_, asked_.chinese ? "机器人无权查询谁可以使用它，请联系机器人的维护者"
                                                    : "the forge does not let the bot look up who may give it; tell "
                                                      "whoever runs the bot");
    }
    outcome = absl::StrCat("refused: ", login);
    return answers_.Refused(asked_, decision);
  }
  return std::optional<std::string>();
}

std::optional<std::string> CommandPlanning::ChatBar(v1::Plan& plan) const {
  const v1::ChatOrigin& chat = input_.event.chat();
  const bool zh = asked_.chinese;
  if (subject().number() == 0 && !absl::c_linear_search(kWithoutThread, command_.command->id) &&
      !IsForChatOnly(*command_.command)) {
    plan.set_outcome("asked-back");
    return answers_.Ask(asked_, {{"which issue or pull request? Write its number behind it, as in `/why #12`",
                                  "是哪个 issue 或 PR？请在后面写上编号，例如 `/why #12`"}});
  }
  if (!IsHeld()) return std::nullopt;
  // What can be told without publishing it is told.
  if (command_.command->publishes && !command_.command->trusted_only &&
      chat.write_bar() != v1::ChatOrigin::WRITE_BAR_UNPROVED) {
    return std::nullopt;
  }
  if (MayConfirmOnForge() && command_.command->id != kConfirmCommand) return std::nullopt;
  LocalText why;
  switch (chat.write_bar()) {
    case v1::ChatOrigin::WRITE_BAR_CHANNEL:
      why = {
          "this channel is for reading. Write it on the forge, in a comment, or ask the operator for "
          "`\"may\": [\"write\"]` for this channel",
          "本频道只读。请在代码平台上用评论发出命令，或请运维为本频道配置 `\"may\": [\"write\"]`"};
      break;
    case v1::ChatOrigin::WRITE_BAR_NOBODY:
      why = {
          absl::StrCat("it writes, and nobody knows which account is yours. ",
                       chat.unproved() ? "Ask" : "Say `/yard link` to link it yourself, ask", " the operator to add ",
                       EchoCode(chat.user()), " to the platform's `users`, or write it on the forge, in a comment"),
          absl::StrCat("它会写入，而机器人不知道你的账号。",
                       chat.unproved() ? "" : "可以说 `/yard link` 自行关联，也可以",
                       "请运维在该平台的 `users` 中加入 ", EchoCode(chat.user()), "，或在代码平台上用评论发出命令")};
      break;
    case v1::ChatOrigin::WRITE_BAR_UNPROVED:
      why = {"it writes, and this platform does not prove who said it. Write it on the forge, in a comment",
             "它会写入，而这个聊天平台无法证明是谁说的。请在代码平台上用评论发出命令"};
      break;
    default:
      return std::nullopt;
  }
  plan.set_outcome("refused: chat");
  return answers_.Failed(asked_, zh ? why.zh : why.en);
}

absl::StatusOr<std::string> CommandPlanning::Answer(v1::Plan& plan) {
  // 1. What is meant.
  if (command_.kind == ParsedCommand::Kind::kUnknown) {
    if (request_.IsNote()) {
      plan.set_outcome("not read");
      return answers_.Failed(asked_, EchoText(request_.unread.In(asked_.chinese), kMaxNoteBytes));
    }
    plan.set_outcome("suggested");
    return answers_.Unknown(asked_, command_.suggestion);
  }
  if (command_.kind == ParsedCommand::Kind::kRequest) {
    if (std::optional<std::string> question = Question(); question.has_value()) {
      plan.set_outcome("asked-back");
      return *std::move(question);
    }
  }

  // 2. Who may.
  if (input_.event.has_chat()) {
    if (std::optional<std::string> barred = ChatBar(plan); barred.has_value()) return *std::move(barred);
  }
  std::string outcome;
  ASSIGN_OR_RETURN(std::optional<std::string> refusal, Refusal(outcome));
  if (refusal.has_value()) {
    plan.set_outcome(outcome);
    return *std::move(refusal);
  }

  if (std::optional<std::string> stopped = Stopped(plan); stopped.has_value()) return *std::move(stopped);

  // 3. Whether it can be done as it is written.
  if (!command_.problems.empty()) {
    std::vector<LocalText> sentences;
    sentences.reserve(command_.problems.size());
    for (const CommandProblem& problem : command_.problems) sentences.push_back(problem.message);
    plan.set_outcome("usage");
    return answers_.UsageError(asked_, sentences);
  }
  if (const std::vector<LocalText> missing = Missing(command_, subject()); !missing.empty()) {
    plan.set_outcome("asked-back");
    return answers_.Ask(asked_, missing);
  }
  const auto handler = env_.handlers.find(command_.command->id);
  if (command_.command->state != rules::CommandState::kWorks || handler == env_.handlers.end()) {
    plan.set_outcome(command_.command->state == rules::CommandState::kNotOffered ? "not-offered" : "not-yet");
    return answers_.Unavailable(asked_);
  }
  if (NamesAnother(command_, subject())) {
    plan.set_outcome("refused: another thread");
    return answers_.Failed(asked_, asked_.chinese
                                       ? "它只作用于所在的 issue 或 PR，请到那里使用"
                                       : "it works on the issue or pull request that it is written in: write "
                                         "it there");
  }

  // 4. Do it.
  const RepositoryConfig* entry = env_.config.FindRepository(subject().forge(), subject().repository());
  const std::vector<std::string> packs = entry == nullptr ? std::vector<std::string>() : entry->packs;
  const bool held = IsHeld();
  const bool preview = held || NeedsConfirmation();
  ASSIGN_OR_RETURN(const CommandResult done,
                   handler->second({input_, command_, answers_, asked_, settings_.layers, packs, plan, preview,
                                    confirmed_ == nullptr ? std::string() : confirmed_->stands_on()}));
  if (preview) plan.clear_actions();
  goes_on_ = done.done && done.goes_on && !preview && input_.mode == v1::MODE_APPLY;
  if (held && done.done) return HeldAnswer(done, plan);
  if (preview && done.done) {
    Await(done.stands_on, /*code=*/{}, plan);
    needs_yes_ = true;
    plan.set_outcome("asked-back: to be confirmed");
    return answers_.Confirm(asked_, done.text);
  }
  plan.set_outcome(done.outcome);
  return done.done ? answers_.Done(asked_, done.text) : answers_.Failed(asked_, done.text);
}

bool CommandPlanning::NeedsConfirmation() const {
  if (confirmed_ != nullptr || !command_.command->rewrites) return false;
  const RepositoryConfig* entry = env_.config.FindRepository(subject().forge(), subject().repository());
  const CommandSettings& settings = entry != nullptr ? entry->commands : env_.config.commands;
  switch (settings.confirm.value_or(ConfirmCommands::kSentences)) {
    case ConfirmCommands::kAlways:
      return true;
    case ConfirmCommands::kNever:
      return false;
    case ConfirmCommands::kSentences:
      break;
  }
  return command_.kind == ParsedCommand::Kind::kRequest;
}

std::string CommandPlanning::HeldAnswer(const CommandResult& done, v1::Plan& plan) const {
  if (!MayConfirmOnForge()) {
    plan.set_outcome("done: not published");
    const std::string_view note = asked_.chinese ? "本频道只读，或账号未关联，所以没有发布到 PR。"
                                                 : "Nothing was published: the channel is for reading, or nobody "
                                                   "knows which account is yours.";
    return answers_.Done(asked_, absl::StrCat(done.text, "\n\n", Abs(note)));
  }
  const std::string code = ShortDigestOf({EffectName(input_), request_.line}).substr(0, kCodeLetters);
  Await(done.stands_on, code, plan);
  plan.set_outcome("asked-back: to be confirmed on the forge");
  return answers_.ConfirmOnForge(asked_, done.text, code,
                                 absl::StrCat(subject().repository(), "#", subject().number()));
}

void CommandPlanning::Await(std::string stands_on, const std::string& code, v1::Plan& plan) const {
  v1::AwaitConfirmation& wait = *plan.add_actions()->mutable_await_confirmation();
  wait.set_code(code);
  wait.set_command(request_.line);
  wait.set_chinese(asked_.chinese);
  wait.set_by(input_.event.actor());
  *wait.mutable_until() = ToTimestamp(input_.now + kConfirmWithin);
  wait.set_cause(EffectName(input_));
  wait.set_stands_on(std::move(stands_on));
}

v1::AnswerComment& CommandPlanning::AddAnswer(int64_t revision, v1::Plan& plan) const {
  v1::AnswerComment& answer = *plan.add_actions()->mutable_answer_comment();
  answer.set_name(input_.command->name);
  answer.set_revision(2 * input_.command->revision + revision);
  return answer;
}

absl::Status CommandPlanning::Run(v1::Plan& plan) {
  absl::StatusOr<std::string> text = Answer(plan);
  if (!text.ok() && Passes(text.status())) return text.status();
  if (!text.ok()) {
    plan.clear_actions();
    plan.set_outcome(absl::StrCat("failed: ", text.status().message()));
    text = FailureText(EchoText(std::string(text.status().message())));
  }
  if (!request_.IsNote() && !request_.unread.en.empty()) {
    absl::StrAppend(&*text, "\n\n", EchoText(request_.unread.In(asked_.chinese), kMaxNoteBytes));
  }
  AddAnswerTo(*std::move(text), FailureText(kFailureReasonPlace), plan);
  return absl::OkStatus();
}

void CommandPlanning::AddAnswerTo(std::string body, std::string body_on_failure, v1::Plan& plan) const {
  if (!input_.event.has_chat()) {
    v1::AnswerComment& answer = AddAnswer(/*revision=*/1, plan);
    answer.set_body(std::move(body));
    answer.set_body_on_failure(std::move(body_on_failure));
    return;
  }
  const bool done = plan.outcome() == "done" || absl::StartsWith(plan.outcome(), "done: ");
  // What channels are told is no write to a forge, and is noted in a dry run, too.
  const bool would_write = Acts() && !IsHeld() && !IsForChatOnly(*command_.command);
  const bool dry_run = input_.mode != v1::MODE_APPLY && done && would_write;
  v1::ChatMessage& message = *plan.add_actions()->mutable_chat_message();
  message.set_platform(input_.event.chat().platform());
  message.set_channel(input_.event.chat().channel());
  message.set_direct(input_.event.chat().direct());
  message.set_cause(EffectName(input_));
  message.set_revision(kAnswerForm);
  // What a job or a gate comes to is told in the same message.
  message.set_changes(goes_on_);
  message.set_body(absl::StrCat(!dry_run         ? ""
                                : asked_.chinese ? "（演习模式，没有写入）"
                                                 : "(Dry run: nothing was written.) ",
                                body));
  message.set_body_on_failure(std::move(body_on_failure));
  if (input_.event.chat().recalled()) {
    const std::string about = EchoCode(absl::StrCat(subject().repository(), "#", subject().number()));
    for (std::string* text : {message.mutable_body(), message.mutable_body_on_failure()}) {
      if (text->empty()) continue;
      absl::StrAppend(text, asked_.chinese ? "\n\n（关于 " : "\n\n(about ", about, asked_.chinese ? "）" : ")");
    }
  }
  message.set_audience(command_.id() == kLinkCommand ? v1::ChatMessage::AUDIENCE_ASKER
                       : absl::StartsWith(plan.outcome(), Abs(kRefusedOutcome))
                           ? v1::ChatMessage::AUDIENCE_ASKER_BY_ADDRESS
                           : v1::ChatMessage::AUDIENCE_UNSPECIFIED);
  for (const std::string& way : Ways()) {
    v1::ChatButton& choice = *message.add_buttons();
    choice.set_label(std::string(CutUtf8(way, kMaxButtonLabel)));
    choice.set_says(way);
    choice.set_chinese(asked_.chinese);
  }
  if (!needs_yes_) return;
  v1::ChatButton& yes = *message.add_buttons();
  yes.set_label(asked_.chinese ? "确认" : "Confirm");
  yes.set_says(absl::StrCat("/", Abs(kConfirmCommand)));
  yes.set_chinese(asked_.chinese);
}

bool CommandPlanning::RunBarred(v1::Plan& plan) const {
  if (!input_.event.has_chat()) return false;
  std::optional<std::string> barred = ChatBar(plan);
  if (!barred.has_value()) return false;
  AddAnswerTo(*std::move(barred), {}, plan);
  return true;
}

absl::Status CommandPlanning::RunUnawaited(v1::Plan& plan) const {
  plan.set_outcome("refused: nothing to confirm");
  AddAnswerTo(answers_.Failed(asked_, asked_.chinese ? "没有等待你确认的命令，或者已经超过一小时"
                                                     : "no command of yours waits here to be confirmed, or it is more "
                                                       "than an hour old"),
              {}, plan);
  return absl::OkStatus();
}

}  // namespace yardmaster::commands
