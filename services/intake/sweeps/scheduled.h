// What schedules run over the configured repositories: sweeps, and asking for deliveries that never arrived.
#ifndef YARDMASTER_SERVICES_INTAKE_SWEEPS_SCHEDULED_H_
#define YARDMASTER_SERVICES_INTAKE_SWEEPS_SCHEDULED_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "services/intake/plans/subject_run.h"
#include "services/intake/sweeps/sweep_runner.h"

namespace yardmaster {

// Repositories of the configuration.
struct RepositoryFilter {
  std::string forge;       // empty: of every forge
  std::string repository;  // "owner/name" or "owner/*"; empty: all
};

// What the work of a schedule stands on.
struct JobEnvironment {
  const IntakeEnvironment& intake;
  SweepRunner& sweeps;
};
// Does the work and says in one line what came of it. `stopping` turns true when it should end soon.
using Job = std::function<absl::StatusOr<std::string>(const JobEnvironment& env, const RepositoryFilter& filter,
                                                      const std::function<bool()>& stopping)>;
// By what schedules call them.
using JobTable = std::map<std::string, Job, std::less<>>;

// Sweeps each, one after the other, and says what came of it. An entry "owner/*" is swept by listing what the owner
// has.
absl::StatusOr<std::string> SweepRepositories(const IntakeEnvironment& env, SweepRunner& sweeps,
                                              const RepositoryFilter& filter, const std::function<bool()>& stopping);

// Asks for missed deliveries of every configured hook.
absl::StatusOr<std::string> RedeliverAllMissed(const IntakeEnvironment& env, const std::string& forge);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SWEEPS_SCHEDULED_H_
