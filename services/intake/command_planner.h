// What the pipe asks of the service that understands commands. Commands are planned one by one, unlike events: each is
// known by its place in a text, is taken once (store/commands.h), acknowledged at once, planned, carried out and
// answered. Services implement it, main.cc passes it.
#ifndef YARDMASTER_SERVICES_INTAKE_COMMAND_PLANNER_H_
#define YARDMASTER_SERVICES_INTAKE_COMMAND_PLANNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "rules/engine/compiled_pack.h"
#include "services/intake/subject_view.h"
#include "yardmaster/v1/event.pb.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// Where a text stands, for reading commands out of it.
struct CommandContext {
  const v1::Subject& subject;
  const rules::CompiledPack& pack;
  std::string_view own_login;  // what mentions of us look like; empty if unknown
};

// Something that a text asks us for, known or misspelt.
struct FoundCommand {
  std::string fingerprint;  // equal for what asks for the same
  std::string command;      // the id; empty for one that nobody knows
};

// A command before another one in the same text, and what came of it.
struct EarlierCommand {
  std::string fingerprint;
  std::string outcome;  // CommandPlan.outcome, or "failed: …"
};

// Everything that one command is planned from.
struct CommandInput {
  // The event's actor is who asks, whoever edited what stands around it.
  const v1::Event& event;
  std::string_view text;    // what the command stands in
  std::string fingerprint;  // which of its commands
  // Those of the text that were taken before it and are settled.
  std::vector<EarlierCommand> earlier;
  std::string name;      // names the command and its answer: AnswerComment.name
  int64_t revision = 0;  // how often another command stood in its place
  // Read from the forge for this plan; labels are known.
  const v1::IssueSnapshot& snapshot;
  bool open = true;
  std::shared_ptr<const rules::CompiledPack> pack;
  v1::Mode mode = v1::MODE_DRY_RUN;
  std::string own_login;
  bool reactions = false;  // the forge has them
};

// Thread-safe: methods are const and keep nothing.
class CommandPlanner {
 public:
  virtual ~CommandPlanner() = default;

  // What a text asks for, in order, at most kMaxCommandsInText. Pure and cheap: asked of every comment.
  virtual std::vector<FoundCommand> Find(const CommandContext& context, std::string_view text) const = 0;

  // What is written at once, before the work: a reaction, or "working" where the forge has none. Nothing for what turns
  // out to be another robot's. `plan` is empty but for subject, pack and mode.
  virtual absl::Status Acknowledge(const CommandInput& input, SubjectView& view, v1::Plan& plan) const = 0;

  // Looks, decides, and says what is to be done and answered. `plan` is empty but for subject, pack and mode.
  virtual absl::Status Plan(const CommandInput& input, SubjectView& view, v1::CommandPlan& plan) const = 0;

  // The answer for work that failed for good, in place of the planned one. `reason` may hold the forge's words.
  virtual void Fail(const CommandInput& input, std::string_view reason, v1::Plan& plan) const = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_COMMAND_PLANNER_H_
