// One command on its way to its plan: what is meant, who may, what it does, and the answer.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_COMMAND_PLANNING_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_COMMAND_PLANNING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/commands/answers.h"
#include "services/commands/pipe/command_planner.h"
#include "services/commands/pipe/requests.h"
#include "services/commands/pipe/settings.h"
#include "services/intake/subject_planner.h"

namespace yardmaster::commands {

// The command that confirms another.
inline constexpr std::string_view kConfirmCommand = "yes";

// A command as it was read, with the table that it points into.
class ReadCommand final : public TextCommand {
 public:
  ReadCommand(Request request, std::shared_ptr<const rules::CommandTable> table)
      : request_(std::move(request)), table_(std::move(table)) {}
  std::string_view fingerprint() const override { return request_.fingerprint; }
  std::string_view id() const override { return request_.command.id(); }
  const Request& request() const { return request_; }

 private:
  const Request request_;
  const std::shared_ptr<const rules::CommandTable> table_;
};

// That CommandPlanner::Parse has read.
inline const Request& RequestOf(const PlanInput& input) {
  return static_cast<const ReadCommand&>(input.command->command).request();
}

// Everything that it is given outlives it.
class CommandPlanning {
 public:
  CommandPlanning(const CommandEnvironment& env, const PlanInput& input)
      : CommandPlanning(env, input, RequestOf(input)) {}
  // Another command than the input's, which `confirmed` was; null: it needs no more than to be written.
  CommandPlanning(const CommandEnvironment& env, const PlanInput& input, const Request& request,
                  const v1::AwaitConfirmation* confirmed = nullptr);

  // What the files of repository and organisation say; before everything that follows.
  absl::Status Load();
  bool IsOtherBots() const;
  absl::Status Run(v1::Plan& plan);
  // True: what was said in chat may do nothing, and the plan says so. For a yes, before it uses up what waits for it.
  bool RunBarred(v1::Plan& plan) const;
  // A yes to nothing.
  absl::Status RunUnawaited(v1::Plan& plan) const;
  // The answer for the case that something before it fails; with the reason's place in it.
  std::string FailureText(std::string_view reason) const { return answers_.Failed(asked_, reason); }
  v1::AnswerComment& AddAnswer(int64_t revision, v1::Plan& plan) const;

  const ParsedCommand& command() const { return command_; }
  const AnsweredCommand& asked() const { return asked_; }
  const Answers& answers() const { return answers_; }

 private:
  const v1::Subject& subject() const { return input_.snapshot.subject(); }
  // The answer that asks back what free text means; nullopt: it is a command.
  std::optional<std::string> Question() const;
  // What may be meant by free text, as lines.
  std::vector<std::string> Ways() const;
  // The answer that says why something of a sentence is not done though it could be: what it depends on was not.
  std::optional<std::string> Stopped(v1::Plan& plan) const;
  // The answer that says why not; nullopt: everybody involved may.
  absl::StatusOr<std::optional<std::string>> Refusal(std::string& outcome);
  // The answer in chat that says why not, or what is missing, before the forge is asked about rights.
  std::optional<std::string> ChatBar(v1::Plan& plan) const;
  // What the channel or the message keeps a command in chat from doing: it is answered, and does nothing.
  bool IsHeld() const { return input_.event.chat().write_bar() != v1::ChatOrigin::WRITE_BAR_UNSPECIFIED && Acts(); }
  bool Acts() const { return command_.command != nullptr && command_.command->Acts(); }
  // Whether the account that an unproved message names may confirm on the forge what it asks for.
  bool MayConfirmOnForge() const;
  // The answer of a command that is held.
  std::string HeldAnswer(const CommandResult& done, v1::Plan& plan) const;
  absl::StatusOr<std::string> Answer(v1::Plan& plan);
  // Where the answer goes.
  void AddAnswerTo(std::string body, std::string body_on_failure, v1::Plan& plan) const;
  // Whether it is only done once the person has confirmed it.
  bool NeedsConfirmation() const;
  // Notes that it waits for that; AwaitConfirmation tells both.
  void Await(std::string stands_on, const std::string& code, v1::Plan& plan) const;

  const CommandEnvironment& env_;
  const PlanInput& input_;
  SubjectView& view_;
  const Request& request_;
  const ParsedCommand& command_;
  const v1::AwaitConfirmation* const confirmed_;
  const Answers answers_;
  AnsweredCommand asked_;
  LoadedSettings settings_;
  bool needs_yes_ = false;
  bool goes_on_ = false;  // the answer will be changed
};

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_COMMAND_PLANNING_H_
