// The work on the commands of one text: taken once, acknowledged, planned, executed, answered. A run that was cut
// short anywhere is run again: what is settled is left, what is planned goes on with its plan.
#ifndef YARDMASTER_SERVICES_INTAKE_PIPELINE_COMMAND_WORK_H_
#define YARDMASTER_SERVICES_INTAKE_PIPELINE_COMMAND_WORK_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/store/commands.h"
#include "services/intake/effects/effect_runner.h"
#include "services/intake/pipeline/chat_look.h"
#include "services/intake/pipeline/work_item.h"
#include "services/intake/plans/snapshot.h"
#include "services/intake/plans/subject_run.h"

namespace yardmaster {

// One run. Lives on the stack; needs an environment that knows commands, and SubjectRun::Choose before.
class CommandWork {
 public:
  CommandWork(SubjectRun& run, EffectRunner& effects, const WorkItem& item)
      : run_(run), effects_(effects), item_(item) {}

  // kDone; kFailed if an answer could not be given; kIgnored if nothing in the text was new.
  Outcome Run();

 private:
  // The text as the forge has it now, and who wrote it; the event's own where the forge does not show it yet.
  struct Text {
    std::string source;
    std::string now;
    std::string author;
    bool by_bot = false;
  };
  Text TextNow(const SubjectReading& reading) const;
  TextCommands Parse(std::string_view text) const;
  // The commands that are there now: what they ask for, and which of them belong to the event's actor.
  store::CommandsOfText RequestsOf(const Text& text, const TextCommands& commands) const;
  Outcome RunOne(const store::StoredCommand& command, const TextCommand& parsed, const Text& text);
  // What came of the commands of the text that stand before one.
  absl::StatusOr<std::vector<std::pair<std::string, std::string>>> Earlier(const store::StoredCommand& command) const;
  // A button was pressed that this person has used before.
  Outcome TellUsed(const Text& text);
  // Says in chat that a command takes a while, in the message that its answer will stand in.
  Outcome TellWorking(const v1::Event& event, const CommandInput& input);
  // What it says, where it says something.
  std::optional<v1::ChatMessage> WorkingMessage(const v1::Event& event, const CommandInput& input) const;
  // Says something in chat that no command leads to: nothing was understood, or there is no such thread.
  Outcome Tell(const ChatSaying& saying);
  // Of the plan what is no write to a forge: a dry run is answered in chat, and so is a message that may write nothing.
  Outcome ExecuteAnswer(const v1::Plan& plan);
  // Executes both plans, the one of another planner first.
  Outcome ExecutePlans(const v1::CommandPlan& plan, const std::string& person, std::string& failures);

  SubjectRun& run_;
  EffectRunner& effects_;
  const WorkItem& item_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PIPELINE_COMMAND_WORK_H_
