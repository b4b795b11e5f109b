// The commands of people in the pipe: reads them out of texts, says who may give them, plans what they do, and answers.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_PLANNER_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_PLANNER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/phrases/phrase_set.h"
#include "services/commands/pipe/requests.h"
#include "services/core/config/config.h"
#include "services/intake/command_planner.h"
#include "services/packs/registry/pack_registry.h"

namespace yardmaster::commands {

struct PlannerEnvironment {
  const Config& config;
  // The packs in service; null: rules and profiles of repository files are checked in form only.
  std::function<std::shared_ptr<const PackSet>()> packs;
  // Free text behind a mention of the bot; null, or a pack without phrases: it is not understood.
  std::function<std::shared_ptr<const rules::PhraseSet>(std::string_view pack)> find_phrases;
};

class CommandsPlanner final : public CommandPlanner {
 public:
  explicit CommandsPlanner(PlannerEnvironment environment) : env_(std::move(environment)) {}

  std::vector<FoundCommand> Find(const CommandContext& context, std::string_view text) const override;
  absl::Status Acknowledge(const CommandInput& input, SubjectView& view, v1::Plan& plan) const override;
  absl::Status Plan(const CommandInput& input, SubjectView& view, v1::CommandPlan& plan) const override;
  void Fail(const CommandInput& input, std::string_view reason, v1::Plan& plan) const override;

 private:
  class Job;
  // What a text asks for.
  RequestReader ReaderFor(const CommandContext& context) const;
  // The command that the input speaks of; nullopt if the text has it no longer.
  std::optional<Request> FindRequest(const CommandInput& input) const;

  const PlannerEnvironment env_;
};

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_PLANNER_H_
