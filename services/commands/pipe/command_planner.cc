#include "services/commands/pipe/command_planner.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/commands/pipe/command_planning.h"
#include "services/commands/pipe/direct_text.h"
#include "services/commands/pipe/handler_tools.h"
#include "services/commands/pipe/requests.h"
#include "services/core/messages/timestamps.h"
#include "services/core/reasons.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"

namespace yardmaster::commands {
namespace {

using rules::CommandParameterType;

constexpr std::string_view kAcknowledgement = "eyes";

// The command on the subject that waits for this person's yes, the latest one of those that `code` means; nullopt: none
// does any more.
absl::StatusOr<std::optional<v1::AwaitConfirmation>> FindAwaited(const PlanInput& input, const std::string& code) {
  ASSIGN_OR_RETURN(const std::vector<v1::Action> written, input.view.Written(kAwaitConfirmationKind));
  for (const v1::Action& action : written) {
    const v1::AwaitConfirmation& wait = action.await_confirmation();
    if (!SameLogin(wait.by(), input.event.actor()) || wait.code() != code) continue;
    const bool waits = !wait.ended() && ToTimestamp(input.now).seconds() <= wait.until().seconds();
    return waits ? std::optional(wait) : std::nullopt;
  }
  return std::nullopt;
}

// A command that works on a thread and does not take its number: in chat people name it all the same.
bool TakesNoThread(const Request& request) {
  return request.command.kind == ParsedCommand::Kind::kCommand && request.command.command != nullptr &&
         absl::c_none_of(request.command.command->parameters, [](const rules::CommandParameter& parameter) {
           return parameter.type == CommandParameterType::kIssue || parameter.type == CommandParameterType::kPull;
         });
}

}  // namespace

TextCommands CommandPlanner::Parse(const CommandContext& context, std::string_view text) const {
  GrammarOptions options;
  std::string said;
  if (context.direct) {
    said = DirectText(text, context.own_login);
    text = said;
  }
  if (!context.own_login.empty()) options.own_logins = {std::string(context.own_login)};
  if (context.direct && context.own_login.empty()) options.own_logins = {std::string(kDirectLogin)};
  const RepositoryConfig* entry = env_.config.FindRepository(context.subject.forge(), context.subject.repository());
  options.bot_commands = entry != nullptr ? entry->commands.bot_commands : env_.config.commands.bot_commands;
  std::shared_ptr<const rules::PhraseSet> phrases;
  if (env_.find_phrases != nullptr) phrases = env_.find_phrases(context.pack.model().name);
  const std::shared_ptr<const rules::CommandTable> table = context.pack.commands();
  TextCommands commands;
  const RequestReader reader(table, options, std::move(phrases), context.subject);
  std::vector<Request> requests = reader.Read(text);
  if (context.direct && context.subject.number() > 0 && absl::c_any_of(requests, TakesNoThread)) {
    requests = reader.Read(WithoutSubject(text, context.subject));
  }
  for (Request& request : requests) {
    commands.push_back(std::make_shared<ReadCommand>(std::move(request), table));
  }
  return commands;
}

TriggerResult CommandPlanner::TriggerFor(const RoutedEvent&, const rules::PackModel&,
                                         const std::vector<std::string>*) const {
  return {Trigger::kNone, reasons::kNoTrigger};
}

std::string_view CommandPlanner::SkipReason(const PlanInput& input) const {
  CommandPlanning planning(env_, input);
  // An error comes again when the plan is made.
  return planning.Load().ok() && planning.IsOtherBots() ? reasons::kOtherBot : std::string_view();
}

absl::Status CommandPlanner::Acknowledge(const PlanInput& input, v1::Plan& plan) const {
  CommandPlanning planning(env_, input);
  // What is misspelt may not be meant for us at all; its answer comes at once anyway.
  if (planning.command().kind == ParsedCommand::Kind::kUnknown) return absl::OkStatus();
  // The receipt was given by the platform's own answer.
  if (input.event.has_chat()) return absl::OkStatus();
  if (input.command->reactions) {
    v1::React& react = *plan.add_actions()->mutable_react();
    react.set_comment(input.event.comment());
    react.set_content(std::string(kAcknowledgement));
    return absl::OkStatus();
  }
  planning.AddAnswer(/*revision=*/0, plan).set_body(planning.answers().Working(planning.asked()));
  return absl::OkStatus();
}

absl::Status CommandPlanner::Plan(const PlanInput& input, v1::Plan& plan) const {
  CommandPlanning planning(env_, input);
  RETURN_IF_ERROR(planning.Load());
  if (planning.command().id() != kConfirmCommand) return planning.Run(plan);
  if (planning.RunBarred(plan)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<v1::AwaitConfirmation> awaited,
                   FindAwaited(input, OneSlot(planning.command(), "code")));
  if (!awaited.has_value()) return planning.RunUnawaited(plan);
  const std::shared_ptr<const rules::CommandTable> table = input.pack->commands();
  const std::vector<Request> requests =
      RequestReader(table, {}, nullptr, input.snapshot.subject()).Read(awaited->command());
  if (requests.empty()) return planning.RunUnawaited(plan);
  // Everything is looked at again: who may, and whether the pull request is still what was shown.
  CommandPlanning confirmed(env_, input, requests.front(), &*awaited);
  RETURN_IF_ERROR(confirmed.Load());
  v1::AwaitConfirmation& ended = *plan.add_actions()->mutable_await_confirmation();
  ended = *awaited;
  ended.set_ended(true);
  return confirmed.Run(plan);
}

}  // namespace yardmaster::commands
