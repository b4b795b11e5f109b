// What the pipe asks of a service that makes plans. A planner is pure: it looks at what it is given and nothing else.
// Services implement it, main.cc passes the table.
#ifndef YARDMASTER_SERVICES_INTAKE_SUBJECT_PLANNER_H_
#define YARDMASTER_SERVICES_INTAKE_SUBJECT_PLANNER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "rules/engine/compiled_pack.h"
#include "services/intake/event.h"
#include "services/intake/repository_choice.h"
#include "services/intake/subject_view.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// What an event asks a planner for.
enum class Trigger : uint8_t {
  kNone,    // nothing
  kPlan,    // a plan, unless the subject is already decided
  kReply,   // a plan if we wait for an answer on this subject: then the comments count as further text
  kManual,  // a plan, decided or not: a person wants it
};

struct TriggerResult {
  Trigger trigger = Trigger::kNone;
  // kNone: a word of services/core/reasons.h.
  std::string_view reason;
  // The work begins so much later, and another event with such a wait takes the place of this one.
  std::chrono::milliseconds debounce{0};
};

// A command that a text gives, known or misspelt, as the service that reads commands understood it.
class TextCommand {
 public:
  virtual ~TextCommand() = default;
  // Equal for what asks for the same, whatever is written around it.
  virtual std::string_view fingerprint() const = 0;
  // Its id; empty if it is unknown.
  virtual std::string_view id() const = 0;
};
using TextCommands = std::vector<std::shared_ptr<const TextCommand>>;

// Where a text stands, for reading commands out of it.
struct CommandContext {
  const v1::Subject& subject;
  const rules::CompiledPack& pack;
  std::string_view own_login;  // what mentions of us look like; empty if unknown
  bool direct = false;         // said to us, as in chat: no mention is needed, and the thread may be named anywhere
};

// Thread-safe, and pure.
class CommandParser {
 public:
  virtual ~CommandParser() = default;
  // What a text asks for, in order, at most kMaxCommandsInText. Cheap: asked of every comment.
  virtual TextCommands Parse(const CommandContext& context, std::string_view text) const = 0;
};

// Where AnswerComment.body_on_failure wants the reason: U+FFFC.
inline constexpr std::string_view kFailureReasonPlace = "\xef\xbf\xbc";

// A command that is to be planned, and where it stands.
struct CommandInput {
  const TextCommand& command;
  // Those of the same text that were taken before it and are settled: fingerprint and outcome.
  std::vector<std::pair<std::string, std::string>> earlier;
  std::string name;        // names the command and its answer: AnswerComment.name
  int64_t revision = 0;    // how often another command stood in its place
  bool reactions = false;  // the forge has them
};

// Everything a plan is made from.
struct PlanInput {
  // Of a command: the actor is who asks, whoever edited what stands around it.
  const v1::Event& event;
  Trigger trigger = Trigger::kPlan;
  // Read from the forge for this plan; labels are known.
  const v1::IssueSnapshot& snapshot;
  bool open = true;
  std::shared_ptr<const rules::CompiledPack> pack;
  v1::Mode mode = v1::MODE_DRY_RUN;
  // What the repository's own file says.
  const RepositoryChoice& choice;
  // When the snapshot was read.
  std::chrono::system_clock::time_point now;
  // Labels on the subject that we put there.
  std::vector<std::string> our_labels = {};
  // kManual: how the person wants it.
  AskOptions asked = {};
  // Null unless a command is planned.
  const CommandInput* command = nullptr;
  // For what lies beyond the snapshot. Errors of it end the plan.
  SubjectView& view;
};

// Thread-safe: methods are const and keep nothing.
class Planner {
 public:
  virtual ~Planner() = default;

  // For logs, and for those who ask it by name.
  virtual std::string_view name() const = 0;

  // Whether the planner works on this kind of subject under this pack.
  virtual bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const = 0;

  // What an event asks for, by itself. `seen_labels`: the labels when the subject was last seen; null if it never was.
  // Cheap; asked before anything is read from the forge.
  virtual TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                                   const std::vector<std::string>* seen_labels) const = 0;

  // Why nothing is planned for the subject as it stands now: a word of services/core/reasons.h, or empty. Not asked
  // about earlier decisions.
  virtual std::string_view SkipReason(const PlanInput& input) const = 0;

  // What a decision about this input is known by: the same digest under the same pack revision would decide the same.
  virtual std::string Digest(const PlanInput& input) const = 0;

  // What is written at once, before the work, so that people see that it is in work. `plan` is empty but for
  // subject, pack and mode.
  virtual absl::Status Acknowledge(const PlanInput&, v1::Plan&) const { return absl::OkStatus(); }

  // Whether its plan follows from the input alone, the pack included: then another revision of the pack can be asked
  // what it would plan.
  virtual bool FollowsFromPack() const { return false; }

  // Makes the plan. `plan` is empty but for subject, pack and mode; everything else but id and created_at is filled.
  virtual absl::Status Plan(const PlanInput& input, v1::Plan& plan) const = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SUBJECT_PLANNER_H_
