// Jobs and runners as the messages of the contract, and what comes in by them.
#ifndef YARDMASTER_SERVICES_DISPATCH_JOB_MESSAGES_H_
#define YARDMASTER_SERVICES_DISPATCH_JOB_MESSAGES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/dispatch/dispatcher.h"
#include "services/dispatch/queue/job_queue.h"
#include "yardmaster/v1/dispatch.pb.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::dispatch {

inline constexpr size_t kMaxSpecTexts = 128;       // of each list of a specification
inline constexpr size_t kMaxSpecTextBytes = 4096;  // of each text
inline constexpr size_t kMaxRunnerLabels = 64;
// The label of runners that contain what they run by all means; see WorkRequest.
inline constexpr std::string_view kContainedLabel = "contained";
inline constexpr size_t kMaxRunnerDevices = 4096;
inline constexpr size_t kMaxRunnerRuns = 4096;
inline constexpr size_t kMaxRunNotes = 64;
inline constexpr size_t kMaxProgressBytes = 64 * 1024;
inline constexpr size_t kMaxSpecTests = 2'000;
inline constexpr size_t kMaxRunArtifacts = 4096;

// 1 to 128 letters, digits, ".", "-" and "_", not beginning with ".": what may become the name of a folder.
bool IsPlainName(std::string_view name);

// The name of the job that is made for these two: the same each time. "j-", and 24 hex digits.
std::string JobIdFor(std::string_view whose, std::string_view what);

// INVALID_ARGUMENT names what is wrong.
absl::Status CheckSpec(const v1::JobSpec& spec);
// What the job keeps of it, and back.
std::string RequestOf(const v1::JobSpec& spec);
v1::JobSpec SpecOf(const Job& job);
// The demand of the suite with what the specification says instead. INVALID_ARGUMENT for what is no demand.
absl::StatusOr<Demand> DemandFor(Demand suite, const v1::JobSpec& spec);

// `progress`: see Dispatcher::ProgressOf.
v1::SuiteJob JobMessage(const Job& job, WallTime now, const std::string& progress = {});
// What its last run left.
std::vector<v1::Artifact> ArtifactsOf(const Job& job);
// What a signature of its result is over, see v1.SignedResult.
std::string StatementOf(const Job& job, const v1::SuiteJob& message);
v1::ExplainPendingResponse WaitingMessage(const Waiting& waiting);
v1::RunnerInfo RunnerMessage(const RunnerStatus& status);

// INVALID_ARGUMENT names what is wrong.
absl::StatusOr<RunnerReport> ReportOf(const v1::WorkRequest& request);
absl::StatusOr<RunOutcome> OutcomeOf(const v1::FinishRunRequest& request);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_JOB_MESSAGES_H_
