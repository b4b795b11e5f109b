// What the pipe asks of a service that makes plans. A planner is pure: it looks at what it is given and nothing else.
// Services implement it, main.cc passes the table.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANNER_H_
#define YARDMASTER_SERVICES_INTAKE_PLANNER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "rules/engine/compiled_pack.h"
#include "services/intake/router.h"
#include "services/intake/subject_view.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// What an event asks a planner for.
enum class Trigger {
  kNone,   // nothing
  kPlan,   // a plan, unless the subject is already decided
  kReply,  // a plan if we wait for an answer on this subject: then the comments count as further text
  kAsked,  // a plan, decided or not: a person asked
};

struct TriggerResult {
  Trigger trigger = Trigger::kNone;
  // kNone: a word of reasons.h.
  std::string_view reason;
};

// Everything a plan is made from.
struct PlanInput {
  const v1::Event& event;
  Trigger trigger = Trigger::kPlan;
  // Read from the forge for this plan; labels are known.
  const v1::IssueSnapshot& snapshot;
  bool open = true;
  std::shared_ptr<const rules::CompiledPack> pack;
  v1::Mode mode = v1::MODE_DRY_RUN;
  // Labels on the subject that we put there.
  std::vector<std::string> our_labels;
  // kAsked: how the person wants it.
  AskOptions asked = {};
  // For what lies beyond the snapshot; null where the caller has nothing but that. Errors of it end the plan.
  SubjectView* view = nullptr;
};

// Thread-safe: methods are const and keep nothing.
class Planner {
 public:
  virtual ~Planner() = default;

  // For logs.
  virtual std::string_view name() const = 0;

  // Whether the planner works on this kind of subject under this pack.
  virtual bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const = 0;

  // What an event asks for, by itself. `seen_labels`: the labels when the subject was last seen, nullopt if it never
  // was. Cheap; asked before anything is read from the forge.
  virtual TriggerResult Wants(const RoutedEvent& event, const rules::PackModel& pack,
                              const std::optional<std::vector<std::string>>& seen_labels) const = 0;

  // Why the subject is left alone as it stands now, or empty: a word of reasons.h. Not asked about decisions.
  virtual std::string_view LeaveAlone(const PlanInput& input) const = 0;

  // What a decision about this input is known by: the same digest under the same pack revision would decide the same.
  virtual std::string Digest(const PlanInput& input) const = 0;

  // Makes the plan; `plan` is empty before. Everything but id and created_at is filled.
  virtual absl::Status Plan(const PlanInput& input, v1::Plan& plan) const = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANNER_H_
