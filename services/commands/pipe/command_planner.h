// The commands of people in the pipe: reads them out of texts, says who may give them, plans what they do, and answers.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_COMMAND_PLANNER_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_COMMAND_PLANNER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/phrases/phrase_set.h"
#include "services/commands/pipe/command_handler.h"
#include "services/core/config/config.h"
#include "services/intake/subject_planner.h"
#include "services/packs/registry/pack_registry.h"

namespace yardmaster::commands {

struct CommandEnvironment {
  const Config& config;
  // The packs in service; null: rules and profiles of repository files are checked in form only.
  std::function<std::shared_ptr<const PackSet>()> packs;
  // Free text behind a mention of the bot; null, or a pack without phrases: it is not understood.
  std::function<std::shared_ptr<const rules::PhraseSet>(std::string_view pack)> find_phrases;
  CommandHandlers handlers;
};

// A planner like any other, of commands that it has read itself: PlanInput.command is never null, and one that Parse
// made.
class CommandPlanner final : public Planner, public CommandParser {
 public:
  explicit CommandPlanner(CommandEnvironment environment) : env_(std::move(environment)) {}

  TextCommands Parse(const CommandContext& context, std::string_view text) const override;

  std::string_view name() const override { return "commands"; }
  bool Handles(v1::SubjectKind, const rules::PackModel&) const override { return true; }
  TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                           const std::vector<std::string>* seen_labels) const override;
  // Which commands are another bot's, by the files of repository and organisation and the daemon's config.
  std::string_view SkipReason(const PlanInput& input) const override;
  // Commands are known by their place in a text, not by a digest.
  std::string Digest(const PlanInput&) const override { return {}; }
  absl::Status Acknowledge(const PlanInput& input, v1::Plan& plan) const override;
  // A permanent refusal of the forge is an answer; errors are temporary.
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override;

 private:
  const CommandEnvironment env_;
};

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_COMMAND_PLANNER_H_
