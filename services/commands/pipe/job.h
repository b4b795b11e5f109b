// One command with everything that its work looks at.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_JOB_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_JOB_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/commands/answers.h"
#include "services/commands/grammar.h"
#include "services/intake/command_planner.h"

namespace yardmaster::commands {

struct Work {
  const CommandInput& input;
  const ParsedCommand& command;
  const Answers& answers;
  const AskedBy& asked;
  const SettingLayers& layers;
  const std::vector<std::string>& packs;  // that the repository may use
  SubjectView& view;
  v1::CommandPlan& plan;  // actions before the answer go into plan.plan
};

// What came of it.
struct WorkDone {
  bool done = true;     // false: `text` is the reason why not
  std::string text;     // Markdown of our own, echoes defanged
  std::string outcome;  // for lists
};

// How a command of the table that works here does its work; nullptr for one that nobody has written yet.
using WorkFunction = absl::StatusOr<WorkDone> (*)(const Work& work);
WorkFunction FindWork(std::string_view command);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_JOB_H_
