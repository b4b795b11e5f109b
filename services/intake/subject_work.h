// The work on one event about one subject: read it from the forge, decide, write what was decided. Every run starts
// from what the store and the forge say and remembers nothing else, so a run that was cut short anywhere, by a wait or
// by the death of the process, is simply run again.
#ifndef YARDMASTER_SERVICES_INTAKE_SUBJECT_WORK_H_
#define YARDMASTER_SERVICES_INTAKE_SUBJECT_WORK_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/clock.h"
#include "services/core/logging.h"
#include "services/core/store/commands.h"
#include "services/core/store/decisions.h"
#include "services/core/store/inbox.h"
#include "services/core/store/subjects.h"
#include "services/intake/command_planner.h"
#include "services/intake/crash_marks.h"
#include "services/intake/effect_runner.h"
#include "services/intake/forge_side.h"
#include "services/intake/planner.h"
#include "services/intake/recent_files.h"
#include "services/intake/repository_choice.h"

namespace yardmaster {

// What one pack makes of an event.
struct PackRoute {
  std::string pack;
  std::shared_ptr<const Planner> planner;  // null: nothing but commands, or nothing at all
  Trigger trigger = Trigger::kPlan;
  bool commands = false;     // the event's text holds some
  std::string_view why_not;  // neither planner nor commands: a word of reasons.h
};

// One event to work on.
struct WorkItem {
  int64_t delivery = 0;        // row id in the inbox
  int64_t attempts = 0;        // attempts that failed before
  store::TimePoint started{};  // when this process took the delivery up
  v1::Event event;
  // What is done with it, under the repository's default pack in the configuration or the one that was asked for.
  PackRoute route;
  // Under the other packs that the repository may use: its own file chooses.
  std::vector<PackRoute> others;
  // Whether that file is read at all.
  bool ask_file = false;
  // What the payload tells of the subject: noted if it turns out that nothing is done with the event.
  std::optional<store::SeenSubject> seen;
  v1::Mode mode = v1::MODE_DRY_RUN;
};

// How the work ended: what becomes of the delivery.
struct WorkResult {
  enum class Kind { kSettled, kWait, kRetry, kStopped };
  Kind kind = Kind::kSettled;
  store::DeliveryState state = store::DeliveryState::kDone;  // kSettled
  std::string reason;                                        // why ignored, failed, retried or waiting
  std::chrono::milliseconds delay{0};                        // kWait: exactly; kRetry: at least
};

// What the work stands on. References outlive it.
struct WorkEnvironment {
  store::Inbox& inbox;
  store::Decisions& decisions;
  store::Subjects& subjects;
  EffectRunner& effects;
  CrashMarks& marks;
  const Clock& clock;
  Logger& logger;
  // By forge name.
  std::map<std::string, ForgeSide*, std::less<>> forges;
  // The pack in service of that name; null if there is none (any more).
  std::function<std::shared_ptr<const rules::CompiledPack>(std::string_view name)> find_pack;
  // A new decision's id.
  std::function<std::string()> new_decision_id;
  // Told of every decision made, after it was stored; may be null.
  std::function<void(std::shared_ptr<const v1::Plan>)> on_decision;
  // Commands of people; null where nobody reads them.
  store::Commands* commands = nullptr;
  std::shared_ptr<const CommandPlanner> command_planner = nullptr;
  // Whom commands may ask for a plan, by name.
  std::vector<std::shared_ptr<const Planner>> planners = {};
  // What the repository's own file chooses; null: nothing.
  FindRepositoryChoice find_choice = nullptr;
  // May be null.
  RecentFiles* recent_files = nullptr;
};

// Thread-safe, as long as one thread works on one subject.
class SubjectWork {
 public:
  explicit SubjectWork(WorkEnvironment environment) : env_(std::move(environment)) {}

  WorkResult Run(const WorkItem& item);

  // The delivery is given up: nothing of it may stay open.
  absl::Status GiveUp(const v1::Subject& subject, int64_t delivery, std::string_view reason);

 private:
  class Attempt;
  const WorkEnvironment env_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SUBJECT_WORK_H_
