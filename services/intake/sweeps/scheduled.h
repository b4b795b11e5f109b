// What schedules run over the configured repositories: sweeps, and asking for deliveries that never arrived.
#ifndef YARDMASTER_SERVICES_INTAKE_SWEEPS_SCHEDULED_H_
#define YARDMASTER_SERVICES_INTAKE_SWEEPS_SCHEDULED_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/said_text.h"
#include "services/core/store/store.h"
#include "services/intake/plans/subject_run.h"
#include "services/intake/sweeps/sweep_runner.h"
#include "services/packs/registry/pack_registry.h"

namespace yardmaster {

class GateSource;

// Repositories of the configuration.
struct RepositoryFilter {
  std::string forge;       // empty: of every forge
  std::string repository;  // "owner/name" or "owner/*"; empty: all
};

struct NewsSource;

// What the work of a schedule stands on. Everything outlives it.
struct JobEnvironment {
  const IntakeEnvironment& intake;
  SweepRunner& sweeps;
  store::Store& store;
  const PackRegistry& packs;
  GateSource* gates = nullptr;                    // null: gates can't be read
  const std::vector<NewsSource>* news = nullptr;  // null: there are none
};

// One run of a schedule.
struct JobTurn {
  const ScheduleConfig& schedule;
  store::TimePoint due;                   // the time that it runs for: the same when it is begun again
  const std::function<bool()>& stopping;  // turns true when it should end soon

  RepositoryFilter filter() const { return {schedule.forge, schedule.repository}; }
};

// Does the work and returns a summary of one line.
using JobFunction = std::function<absl::StatusOr<std::string>(const JobEnvironment& env, const JobTurn& turn)>;
// By what schedules call them.
using JobTable = std::map<std::string, JobFunction, std::less<>>;

// Something that may be new about a repository, for the channels that are told of it. To add one, write its function
// and name it in the row of its service.
struct NewsSource {
  std::string topic;  // one of kNewsTopics
  // What happened after `from` and not after `until`, one line of Markdown each.
  std::function<absl::StatusOr<std::vector<SaidText>>(const JobEnvironment& env, const v1::Subject& repository,
                                                      store::TimePoint from, store::TimePoint until)>
      read;
  // It is about no repository: a channel is told once, however many repositories it is told of.
  bool everywhere = false;
};

// What came of each thing that a job looked at, for the summary of its run.
class JobOutcomes {
 public:
  void Note(const std::string& name, const absl::StatusOr<std::string>& said);
  bool empty() const { return outcomes_.empty(); }
  // Each with what was said of it; an error if any of them failed.
  absl::StatusOr<std::string> Summary() const;

 private:
  std::vector<std::string> outcomes_;
  bool failed_ = false;
};

// Whether a schedule is about a repository: one that names none is about all.
bool IsAbout(const ScheduleConfig& schedule, const v1::Subject& repository);

// A repository as the subject of what is told of it; its number is 0.
v1::Subject RepositorySubject(const std::string& forge, const std::string& repository);

// Visits each repository of the configuration that fits the schedule's; an entry "owner/*" by listing what the owner
// has. The summary names each with what was said of it. An error if any of them failed, after all were visited.
absl::StatusOr<std::string> EachRepository(
    const IntakeEnvironment& env, const JobTurn& turn,
    const std::function<absl::StatusOr<std::string>(const RepositoryConfig& entry, const v1::Subject& repository)>&
        visit);

// Sweeps each, one after the other, and says what came of it where the schedule wants it; channels are told of every
// sweep that ended, as news. An error where a sweep failed.
absl::StatusOr<std::string> SweepAndTell(const JobEnvironment& env, const JobTurn& turn);

// Asks for missed deliveries of every configured hook that fits the schedule's repositories. An error if that failed
// for any of them, after all were asked; a forge that keeps no record of what it sent is no error.
absl::StatusOr<std::string> RedeliverAllMissed(const JobEnvironment& job, const JobTurn& turn);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SWEEPS_SCHEDULED_H_
