// Plans what people want done about the tests of a pull request: jobs with the code of its head and the suites of the
// packs, never of the pull request. Code of people without rights runs only where a person let this very commit, and
// only in the pool "untrusted".
#ifndef YARDMASTER_SERVICES_DISPATCH_PULLS_TEST_PLANNER_H_
#define YARDMASTER_SERVICES_DISPATCH_PULLS_TEST_PLANNER_H_

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_cache.h"
#include "services/core/config/config.h"
#include "services/dispatch/part_files.h"
#include "services/dispatch/suite_catalog.h"
#include "services/intake/configured_forge.h"
#include "services/intake/subject_planner.h"

namespace yardmaster::dispatch {

// What the planner stands on. References outlive it.
struct TestEnvironment {
  const Config& config;
  // By the forge's name; null or missing: its git server is not reached by HTTP.
  std::map<std::string, GitCache*, std::less<>> caches;
  const ConfiguredForges& forges;
  SuiteCatalog& suites;
  PartFiles& files;
  std::filesystem::path scratch;  // for archives while they are written
  // The specifications of up to `shards` jobs that share what this one says; see ShardsOf of job_shards.h.
  std::function<absl::StatusOr<std::vector<v1::JobSpec>>(const v1::JobSpec& spec, uint32_t shards,
                                                         const std::string& group)>
      share;
  // Why a job can't be submitted.
  std::function<absl::Status(const v1::SubmitJob& submit)> check;
  // Jobs of a pull request that wait or run.
  std::function<absl::StatusOr<std::vector<v1::SuiteJob>>(const v1::Subject& subject)> live;
  // A job by its name. NOT_FOUND if it is no longer known.
  std::function<absl::StatusOr<v1::SuiteJob>(const std::string& job)> find;
  // Narrows a specification to what failed in that job. FAILED_PRECONDITION: nothing did, or nobody knows what.
  std::function<absl::Status(const std::string& job, v1::JobSpec& spec)> narrow_to_failed;
};

// Says in steps: "refused" with a code, and "why" with the detail, where nothing is done; else "job" and "suite" for
// each job that is submitted, "running" for each that was there already, "cancelled" for each that is ended, and
// "pool".
class TestPlanner final : public Planner {
 public:
  static constexpr std::string_view kName = "tests";
  explicit TestPlanner(TestEnvironment environment) : env_(std::move(environment)) {}

  std::string_view name() const override { return kName; }
  bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const override;
  // Only for events that ask about tests.
  TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                           const std::vector<std::string>* seen_labels) const override;
  std::string_view SkipReason(const PlanInput&) const override { return {}; }
  std::string Digest(const PlanInput& input) const override;
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override;

 private:
  const TestEnvironment env_;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PULLS_TEST_PLANNER_H_
