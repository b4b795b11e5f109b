// The outcome of a run. One shape for the verdict's code, the JSON of the contract, JUnit and the HTML report.
#ifndef YARDMASTER_SERVICES_WORKER_RESULTS_RUN_RESULT_H_
#define YARDMASTER_SERVICES_WORKER_RESULTS_RUN_RESULT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/logs/log.h"

namespace yardmaster::worker {

enum class Verdict : uint8_t { kPassed, kFlaky, kNotRun, kFailed, kTimedOut, kError, kCancelled };
// "passed", "flaky", "not_run", "failed", "timed_out", "error", "cancelled".
std::string_view VerdictName(Verdict verdict);
std::optional<Verdict> VerdictNamed(std::string_view name);

// Why something did not pass: what is to blame, and the lines that show it.
struct Cause {
  rules::FailureClass cls = rules::FailureClass::kCode;
  std::string signature;  // id of the failure signature, or of our own finding: "exit", "signal", "precision",
                          // "compile", "hang", "oom", "disk-full", "budget", "missing-program", "no-report",
                          // "no-tests", …
  std::string message;    // one sentence: what happened, where
  std::string advice;     // what helps; may be empty
  std::string step;       // id of the cell's step
  int rank = kNoRank;
  std::string test;   // may be empty
  std::string log;    // path of the log, relative to the result directory
  uint64_t line = 0;  // of the log, the line that shows it; 0: none
  std::vector<LogLine> excerpt;
  std::vector<int> victims;  // ranks that failed only because of it
};

// One that no log shows.
Cause CauseOf(rules::FailureClass cls, std::string signature, std::string message, std::string advice);

struct TestResult {
  std::string id;  // "file::name[param]", "Suite.Case"
  std::string layer;
  std::string step;  // with its cell: "all_reduce[dtype=float32,world_size=8]"
  int rank = kNoRank;
  Verdict verdict = Verdict::kPassed;
  bool skipped = false;  // verdict is kNotRun then
  double seconds = 0;
  std::string message;  // first lines of the failure, or the reason of the skip
};

// Whether it ran and did not pass: what passed after a failure did not, either.
inline bool HasFailed(const TestResult& test) {
  return !test.skipped && test.verdict != Verdict::kPassed && test.verdict != Verdict::kNotRun;
}

// Errors of one tensor on one rank, as compared by the worker.
struct TensorResult {
  std::string name;
  std::string step;
  int rank = kNoRank;
  std::string dtype;
  std::vector<uint64_t> shape;
  rules::Tolerance tolerance;
  uint64_t elements = 0;
  uint64_t off = 0;  // elements beyond the tolerance
  uint64_t not_a_number = 0;
  double max_abs = 0;
  double mean_abs = 0;
  double max_rel = 0;
  double rms = 0;
  // The worst element: flat index, and both values.
  uint64_t worst = 0;
  double worst_actual = 0;
  double worst_expected = 0;
  uint64_t first_off = 0;
  // Elements by error in units of the tolerance: up to 1/1000, to 1/100, to 1/10, to 1, to 10, to 100, beyond; those
  // off are in the last three.
  std::vector<uint64_t> histogram;
  bool ok() const { return off == 0; }
};

// Where a rank stood when its step was stopped for want of progress, as far as anything could tell.
struct RankStand {
  std::string text;           // a clause for people: "waits in all_reduce (train.py:12 in main), sleeps"
  std::string doing;          // "waits_for_others", "waits_for_device", "elsewhere", "unknown", …
  std::string operation;      // that it waits in: "all_reduce"; may be empty
  std::string place;          // "train.py:12 in main"; may be empty
  std::string state;          // of its first process: "runs", "sleeps", "is stopped by a signal", …
  std::string waits_in;       // the kernel's function that this sleeps in; may be empty
  std::optional<double> cpu;  // processors that all its processes used
  size_t processes = 0;       // that were looked at
};

struct RankResult {
  int rank = kNoRank;
  std::optional<int> exit_code;  // none: never started, or still there when all were stopped
  int signal = 0;
  int64_t begin_micros = 0;  // since the run began
  int64_t end_micros = 0;
  int64_t first_error_micros = -1;  // of the first line that a signature or report marks; -1: none
  int64_t last_output_micros = -1;  // when it last said something before it ended or was stopped; -1: never
  Verdict verdict = Verdict::kPassed;
  bool victim = false;
  std::optional<RankStand> stood;  // where it was stopped for want of progress
};

// One command, in one cell of the matrix and one shard.
struct StepResult {
  std::string id;     // of the step
  std::string cell;   // "dtype=float32,world_size=8"; empty without axes
  std::string name;   // id with cell and shard
  std::string layer;  // "build" for build steps
  Verdict verdict = Verdict::kPassed;
  std::string reason;        // why not run, or the first line of the cause
  int64_t begin_micros = 0;  // since the run began
  int64_t end_micros = 0;
  std::vector<RankResult> ranks;
  std::string log;  // relative to the result directory; empty: nothing was started
  std::vector<std::string> artifacts;
  int attempts = 1;
  std::string recipe;  // that was applied before the second attempt
  std::optional<Cause> cause;
};

struct LayerResult {
  std::string id;
  std::string title;
  Verdict verdict = Verdict::kPassed;
  std::string reason;
  size_t tests = 0;
  size_t failed = 0;
  size_t skipped = 0;
  double seconds = 0;
};

// A number that a benchmark of one rank measured.
struct NumberResult {
  std::string step;
  int rank = kNoRank;
  std::string name;
  double value = 0;
  std::string unit;  // may be empty
};

// The machine that the run was on. Its name only where the system says one.
struct HostInfo {
  std::string name;
  std::string system;        // "Linux 6.1.0 x86_64"
  std::string architecture;  // "x86_64"
  size_t processors = 0;
  uint64_t memory_mb = 0;  // 0: not known
};

struct RunResult {
  std::string job;
  std::string suite;   // "pack/id"
  std::string commit;  // of the source; empty if it is none of git's
  std::string suite_digest;
  std::string rerun_of;  // the job of an earlier run that this one does again; empty: it is none
  Verdict verdict = Verdict::kNotRun;
  std::string reason;
  std::vector<LayerResult> layers;
  std::vector<StepResult> steps;
  std::vector<TestResult> tests;
  std::vector<TensorResult> tensors;
  std::vector<NumberResult> numbers;
  HostInfo host;
  std::vector<Device> devices;
  std::optional<Cause> cause;  // the first
  std::string started_at;      // RFC 3339, UTC
  double seconds = 0;
  std::map<std::string, std::string> versions;  // "python" → "3.11.2", "torch" → …
  std::vector<std::string> notes;               // what was fixed, composed, left behind
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RESULTS_RUN_RESULT_H_
