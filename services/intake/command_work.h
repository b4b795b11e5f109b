// The work on the commands of one text: taken once, acknowledged, planned, carried out, answered. A run that was cut
// short anywhere is run again: what is settled is left, what is planned goes on with its plan.
#ifndef YARDMASTER_SERVICES_INTAKE_COMMAND_WORK_H_
#define YARDMASTER_SERVICES_INTAKE_COMMAND_WORK_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "rules/engine/compiled_pack.h"
#include "services/core/store/commands.h"
#include "services/intake/command_planner.h"
#include "services/intake/forge_side.h"
#include "services/intake/snapshot.h"
#include "services/intake/subject_work.h"

namespace yardmaster {

// One run. Lives on the stack; needs an environment with `commands` and `command_planner`.
class CommandWork {
 public:
  // `choice`: what the repository's file chooses; `item` is as it says.
  CommandWork(const WorkEnvironment& env, const WorkItem& item, const RepositoryChoice& choice, ForgeSide& side,
              std::string own_login, std::shared_ptr<const rules::CompiledPack> pack)
      : env_(env),
        item_(item),
        choice_(choice),
        subject_(item.event.subject()),
        side_(side),
        own_login_(std::move(own_login)),
        pack_(std::move(pack)) {}

  // kSettled: done, failed (an answer could not be given), or ignored because nothing in the text was new.
  WorkResult Run();

 private:
  // The text as the forge has it now, and who wrote it; the event's own where the forge does not show it yet.
  struct Text {
    std::string source;
    std::string now;
    std::string author;
    bool by_bot = false;
  };
  Text TextNow(const SubjectReading& reading) const;
  // Commands that are still there and belong to the event's actor, among all of them.
  store::CommandsOfText Asked(const Text& text) const;
  WorkResult RunOne(const store::StoredCommand& command, const Text& text);
  // What came of the commands of the text that stand before one.
  absl::StatusOr<std::vector<EarlierCommand>> Earlier(const store::StoredCommand& command) const;
  WorkResult CarryOut(const CommandInput& input, const v1::CommandPlan& plan, std::string& failed);
  // The actions of another planner's plan; those of ours. kDone, also for what failed for good: `failed` says why.
  StepResult CarryOutAsked(const v1::Plan& plan, std::string& failed);
  StepResult CarryOutOwn(const CommandInput& input, const v1::Plan& plan, std::string& failed);
  StepResult Send(const v1::Plan& plan, const v1::Action& action);
  absl::StatusOr<AskedPlan> Ask(std::string_view planner_name, const AskOptions& options,
                                const SubjectReading& reading);

  ForgeCall ReadCall() const;

  const WorkEnvironment& env_;
  const WorkItem& item_;
  const RepositoryChoice& choice_;
  const v1::Subject& subject_;
  ForgeSide& side_;
  const std::string own_login_;
  const std::shared_ptr<const rules::CompiledPack> pack_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_COMMAND_WORK_H_
