// One run of work on one subject: what it stands on, and how it reads. Every run starts from what the store and the
// forge say and remembers nothing else, so a run that was cut short anywhere, by a wait or by the end of the process,
// is run again.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_SUBJECT_RUN_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_SUBJECT_RUN_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/forge.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/logging.h"
#include "services/core/store/commands.h"
#include "services/core/store/decisions.h"
#include "services/core/store/inbox.h"
#include "services/core/store/ledger.h"
#include "services/core/store/shadows.h"
#include "services/core/store/subjects.h"
#include "services/intake/configured_forge.h"
#include "services/intake/crash_marks.h"
#include "services/intake/outcome.h"
#include "services/intake/plans/recent_files.h"
#include "services/intake/plans/recent_labels.h"
#include "services/intake/plans/snapshot.h"
#include "services/intake/repository_choice.h"
#include "services/intake/subject_planner.h"

namespace yardmaster {

class ChatBridge;
class JobDispatcher;
class LongWorkTable;

// What the work on subjects stands on. References outlive it.
struct IntakeEnvironment {
  const Config& config;
  store::Inbox& inbox;
  store::Ledger& ledger;
  store::Decisions& decisions;
  store::Subjects& subjects;
  store::Commands& commands;
  CrashMarks& marks;
  RecentFiles& recent_files;
  RecentLabels& recent_labels;
  Notices& notices;
  const Clock& clock;
  Logger& logger;
  ConfiguredForges forges;  // by name
  // The pack in service of that name; null if there is none (any more).
  std::function<std::shared_ptr<const rules::CompiledPack>(std::string_view name)> find_pack;
  std::function<std::string()> new_decision_id;
  // In order: the first that handles a subject under its pack and wants the event.
  std::vector<std::shared_ptr<const Planner>> planners;
  // Plans commands, and reads them out of what people write; null: there are none.
  std::shared_ptr<const Planner> command_planner = nullptr;
  std::shared_ptr<const CommandParser> command_parser = nullptr;
  // What the repository's own file chooses; null: nothing.
  FindRepositoryChoice find_choice = nullptr;
  // The pull request whose reviewed head this commit was last, for events that name the commit alone; 0 if there is
  // none. Null: unknown of all.
  std::function<absl::StatusOr<int64_t>(const v1::Subject& repository, std::string_view head)> find_pull = nullptr;
  // Where long work of planners goes on; null: in the thread that asks for it.
  LongWorkTable* long_work = nullptr;
  // The revision that runs in the shadow of a pack for a repository; null if there is none. Null: there are none.
  std::function<std::shared_ptr<const rules::CompiledPack>(const v1::Subject& subject, std::string_view pack)>
      find_shadow = nullptr;
  // Where it is kept what they would have done; null: nowhere, and none is asked.
  store::Shadows* shadows = nullptr;
  // Null: deliveries of chat are not worked on.
  ChatBridge* chat = nullptr;
  // Null: suites are not run.
  JobDispatcher* jobs = nullptr;
};

// What one pack makes of an event.
struct PackRoute {
  std::string pack;
  std::shared_ptr<const Planner> planner;  // null: nothing but commands, or nothing at all
  Trigger trigger = Trigger::kPlan;
  bool commands = false;                  // the event's text holds some
  std::string_view why_not;               // neither planner nor commands: a word of services/core/reasons.h
  std::chrono::milliseconds debounce{0};  // see TriggerResult
};

class SubjectRun {
 public:
  // References outlive the run. `delivery`: row in the inbox, 0 for work that no delivery asks for.
  SubjectRun(const IntakeEnvironment& env, const v1::Subject& subject, int64_t delivery, ForgePriority priority)
      : env_(env), subject_(subject), delivery_(delivery), priority_(priority) {}

  // The forge and who we are there. kFailed if the forge is not configured.
  Outcome Open();
  // The pack and the mode, as the repository's own file narrows them: one of `routes`, the first of which is the
  // default. `named`: somebody asked for that one pack. After Open.
  Outcome Choose(const std::vector<PackRoute>& routes, v1::Mode mode, bool named);
  // The subject as it is now.
  Outcome Read(SubjectReading& reading);

  const IntakeEnvironment& env() const { return env_; }
  const v1::Subject& subject() const { return subject_; }
  int64_t delivery() const { return delivery_; }
  ConfiguredForge& account() const { return *account_; }
  Forge& forge() const { return account_->forge(); }
  const std::string& login() const { return login_; }
  ForgeCall ReadCall() const;
  ForgeCall WriteCall() const;
  // What a failed read of the subject, or of something that belongs to it, means. A 404 may say that it is gone or that
  // we have no access: the repository is asked.
  Outcome ReadFailed(const absl::Status& error);

  // Labels of the repository, for adding `wanted`; null if they can't be read. Names those that are missing to the
  // operator.
  RecentLabels::Labels RepositoryLabels(const std::vector<std::string>& wanted);

  // After Choose.
  const PackRoute& route() const { return route_; }
  const std::shared_ptr<const rules::CompiledPack>& pack() const { return pack_; }
  v1::Mode mode() const { return mode_; }
  const RepositoryChoice& choice() const { return choice_; }

 private:
  const IntakeEnvironment& env_;
  const v1::Subject& subject_;
  const int64_t delivery_;
  const ForgePriority priority_;
  ConfiguredForge* account_ = nullptr;
  std::string login_;
  PackRoute route_;
  std::shared_ptr<const rules::CompiledPack> pack_;
  v1::Mode mode_ = v1::MODE_DRY_RUN;
  RepositoryChoice choice_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_SUBJECT_RUN_H_
