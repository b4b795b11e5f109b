// From what was seen to a verdict, and to what is to blame for it. Pure: no files, no clock; logs are read through
// LogReader. A run passes only on evidence: every expected rank reported, tests ran, nothing was contradicted.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_VERDICT_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_VERDICT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"
#include "services/worker/launch/launcher.h"
#include "services/worker/logs/log.h"
#include "services/worker/process/process.h"
#include "services/worker/reports/report.h"
#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

inline constexpr double kMicrosPerSecond = 1e6;

// Failure signatures, compiled.
class Signatures {
 public:
  virtual ~Signatures() = default;
  struct Hit {
    const rules::FailureSignature* signature = nullptr;
    LogLine line;
    // An exception that the program got over: it only logged it, or printed much after it in which nothing tells of a
    // failure.
    bool got_over = false;
    // The line is part of what the exception in this line says; 0: of none.
    uint64_t said_in = 0;
  };
  // Of each signature on each rank the line that tells most, else the first by time; by priority, then time. `phase` is
  // "build", "test" or "fetch". None of those that only repeat that something failed.
  virtual std::vector<Hit> FindByRank(LogReader& log, std::string_view phase) const = 0;
  // Those that match one line, best priority first.
  virtual std::vector<const rules::FailureSignature*> Match(std::string_view line, std::string_view phase) const = 0;
  // Of those that are only for the line which is quoted as a reason (`reason_only`) the best that matches it; null:
  // none.
  virtual const rules::FailureSignature* Reason(std::string_view line, std::string_view phase) const = 0;
  // The byte of a line where a signature's text begins; 0 where it does not match.
  virtual size_t Place(const rules::FailureSignature& signature, std::string_view line) const = 0;
  // The device-fatal signature that matches one line, or null; for following a log (it ends the suite at once).
  virtual const rules::FailureSignature* DeviceFatal(std::string_view line) const = 0;
};
// Among them always what every program says when it fails: errors of compilers, uncaught exceptions, failed assertions,
// tensors that are not close. Null and `error` if a pattern is bad (which loading a pack has excluded).
std::shared_ptr<const Signatures> CompileSignatures(std::vector<rules::FailureSignature> signatures,
                                                    std::string& error);

// A process of a rank at the moment when its step was stopped for want of progress.
struct ProcessAtStop {
  int pid = 0;
  std::string name;                // as the kernel has it: "python3"
  char state = '?';                // "R", "S", "D", "T", … as in /proc/PID/stat
  std::string waits_in;            // the kernel's function that it sleeps in; empty: not known
  std::optional<double> cpu;       // processors that it used while it was looked at
  std::vector<std::string> stack;  // as the tools printed it, innermost frames first; empty: none could look
};

// What one rank left behind. Without ranks there is one, kNoRank.
struct RankEvidence {
  int rank = kNoRank;
  bool started = false;
  std::optional<ProcessExit> exit;  // none: it never ended by itself (see StepEvidence::stopped)
  int64_t begin_micros = 0;
  int64_t end_micros = 0;
  std::vector<Report> reports;
  std::vector<std::string> missing_reports;  // files that the manifest names and that are not there
  std::vector<std::string> bad_reports;      // that can't be read, with the reason
  std::vector<ReportTest> named;             // tests that the output names, where a file is missing
  int64_t last_line_micros = -1;             // when it last said something, since the log began; -1: never
  std::optional<Marks> marks;                // where there is a report of markers
  std::vector<TensorResult> tensors;
  std::vector<std::string> tensor_problems;
  std::vector<ProcessAtStop> at_stop;  // where it was stopped for want of progress; the outermost first
};

// Layers of steps that are no tests; anything else is one of the manifest's.
inline constexpr std::string_view kBuildLayer = "build";
inline constexpr std::string_view kFetchLayer = "fetch";

// Signature of a collision of ports (rules/packs/common/signatures.json): the same step may be tried once more with
// other ports, without a recipe.
inline constexpr std::string_view kPortTaken = "port-taken";

enum class Stopped : uint8_t { kNot, kTimeout, kSilence, kCancelled, kDeviceLost, kDiskFull };

struct StepEvidence {
  const rules::SuiteStep* step = nullptr;
  std::string name;   // with cell and shard
  std::string layer;  // kBuildLayer, kFetchLayer, or the manifest's
  // From the manifest, never from what was found.
  int expected_ranks = 0;  // 0: a step without ranks
  std::vector<RankEvidence> ranks;
  // When the step and its log began, in the time of the ranks: times of log lines are since then.
  int64_t begin_micros = 0;
  // That started the ranks, and how it ended; null: the worker started them.
  const Launcher* launched_by = nullptr;
  std::optional<ProcessExit> launcher;
  std::vector<ProcessAtStop> launcher_at_stop;  // where it was stopped for want of progress, before any rank was there
  // Nothing could be started: the status's message, e.g. a missing interpreter.
  absl::Status start_error;
  Stopped stopped = Stopped::kNot;
  int64_t stopped_micros = 0;
  int64_t oom_kills = 0;          // in the step's memory group
  int64_t host_oom_kills = 0;     // of the whole host while the step ran (/proc/vmstat oom_kill)
  bool log_lost = false;          // the log could not be written to its end
  bool device_bad_after = false;  // a probe right after the step found a leased device unusable
  std::string device_reason;
  int strays = 0;            // processes that outlived their rank
  LogReader* log = nullptr;  // null: nothing was started
  std::string log_path;
};

struct StepJudgement {
  StepResult result;  // verdict, reason, ranks, cause; times and paths are the caller's
  std::vector<TestResult> tests;
  std::vector<TensorResult> tensors;
  std::vector<NumberResult> numbers;
  // A device-fatal error: what comes later on these devices is not run.
  bool device_lost = false;
  // A retry may help: an environment failure whose recipe can be applied.
  const rules::RecoveryRecipe* recipe = nullptr;
  // What did not change the verdict and yet should be said: strays, a launcher's claim that the evidence refutes.
  std::vector<std::string> notes;
};

// `recipes`: those that the suite allows. Excerpts have at most 12 lines around the one that shows the cause.
StepJudgement JudgeStep(const StepEvidence& evidence, const Signatures& signatures,
                        const std::vector<const rules::RecoveryRecipe*>& recipes);

// Two attempts at one step: a pass after a failure of code is flaky; a pass after a fixed environment passes, and says
// what was fixed.
StepResult MergeAttempts(const StepResult& first, const StepResult& second);

// Tests that pass and failed in the attempt before are flaky and keep that failure's message.
void MarkFlaky(const std::vector<TestResult>& before, std::vector<TestResult>& tests);

// From the steps of a layer; `not_run_reason` not empty: none of them was started.
LayerResult JudgeLayer(const rules::SuiteLayer& layer, const std::vector<const StepResult*>& steps,
                       const std::vector<const TestResult*>& tests, std::string_view not_run_reason);

// The whole run, by the contract: not_run only if no correctness layer ran or a required one did not; else the worst
// verdict of those that ran. Fills verdict, reason and cause of `run` from its layers and steps.
void JudgeRun(const rules::SuiteModel& suite, RunResult& run);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_VERDICT_H_
