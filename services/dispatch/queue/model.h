// What dispatch knows: jobs, leases and runners, as plain values. What is marked "kept" survives a restart of the
// daemon.
#ifndef YARDMASTER_SERVICES_DISPATCH_QUEUE_MODEL_H_
#define YARDMASTER_SERVICES_DISPATCH_QUEUE_MODEL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace yardmaster::dispatch {

// One instant on both clocks: people read the wall clock, which may jump; silence and running times are measured on the
// other.
struct Moment {
  std::chrono::system_clock::time_point wall;
  std::chrono::steady_clock::time_point steady;
};

using WallTime = std::chrono::system_clock::time_point;

enum class Priority : uint8_t { kLow, kNormal, kHigh };

// Devices that a run gets, all of them on one runner and at once.
struct Demand {
  std::string pool = "trusted";
  std::vector<std::string> labels;      // the runner has all of them
  std::string kind = "cpu";             // "cpu", "gpu", "npu"
  std::vector<std::string> models;      // globs, any of them; empty: any model
  std::vector<std::string> capability;  // conditions on the compute capability, all of them: ">=8.0"
  uint32_t count = 1;
  uint64_t memory_mib = 0;  // of each device; 0: any
  bool same_group = false;  // all within one topology group

  friend bool operator==(const Demand&, const Demand&) = default;
};

// queued ─▶ leased ─▶ running ─▶ finishing ─▶ ended, and back to queued from the middle three. CheckTransition
// (states.h) is the whole truth.
enum class JobState : uint8_t { kQueued, kLeased, kRunning, kFinishing, kEnded };
inline constexpr size_t kJobStates = 5;

enum class Verdict : uint8_t { kNone, kPassed, kFailed, kError, kFlaky, kNotRun, kCancelled, kTimedOut };

// Why a job ended as it did; the classes are those of a local result ("code", "infrastructure", …).
struct Cause {
  std::string class_name;
  std::string text;
};

// A device of a runner. A processor is one, too: "cpu-0", "cpu-1", …
struct Device {
  std::string id;  // unique on the runner: a UUID, or an index where there is none
  std::string kind;
  std::string model;
  std::string capability;  // compute capability of a GPU, "9.0"; empty: not known
  uint64_t memory_mib = 0;
  std::string group;  // devices of one group reach each other fast (a switch, NVLink, HCCS); empty: not known
  bool healthy = true;
  std::string why;           // not healthy: what is wrong
  bool quarantined = false;  // people took it out of service
  std::string quarantine_why;
  WallTime gone_at;  // since when its worker does not name it any more; epoch: it does

  // It may be given to runs.
  bool InService() const { return healthy && !quarantined; }
  // What is wrong with it, for people; empty: nothing.
  std::string Fault() const { return quarantined ? "quarantined: " + quarantine_why : healthy ? "" : why; }

  friend bool operator==(const Device&, const Device&) = default;
};

// A request to run a suite. Kept.
struct Job {
  std::string id;
  int64_t number = 0;  // in the order of submission, from 1
  // Opaque to the queue: what to run.
  std::string request;
  // "pack/id": what jobs of one suite do has parts in common, however much of it each does.
  std::string suite;
  // Share alike: what a repository and a person use counts against their next job.
  std::string repository;
  std::string submitter;
  std::string source;  // digest of its tree; empty: its suite names one
  std::string commit;  // of that tree, where the server has fetched it itself
  // Alike in jobs that take the same time, and in jobs of which one that passed answers for all; empty: in none.
  std::string shape;
  std::string answer_key;
  Priority priority = Priority::kNormal;
  Demand demand;
  // How long a run takes, and what it may take at most; 0: not known.
  std::chrono::seconds expected{0};
  std::chrono::seconds limit{0};

  JobState state = JobState::kQueued;
  Verdict verdict = Verdict::kNone;
  Cause cause;
  std::vector<std::string> notes;
  std::string result;     // opaque to the queue: what the last run left
  uint32_t attempt = 0;   // runs begun, the present one included
  uint32_t declined = 0;  // runs that a runner gave back before their first process
  uint64_t fence = 0;     // of the newest lease; rises with each
  std::string last_runner;
  std::string model;          // of the devices of the newest lease
  std::string environment;    // of its runner: drivers and toolkits; empty: not known
  std::string answered_by;    // the job whose result it has; empty: its own
  std::string failed_before;  // the job that it runs again, whose code failed; empty: none
  bool cancel_requested = false;
  WallTime queued_at;      // of the submission
  WallTime waiting_since;  // when it last began to wait for devices
  WallTime started_at;     // first process of the first run; epoch: none yet
  WallTime run_began_at;   // first process of the newest run
  WallTime ended_at;
  // Not placed before; later than now after a runner has declined it. Not kept.
  std::chrono::steady_clock::time_point ready_at{};
};

enum class LeaseState : uint8_t { kGranted, kRunning, kFinishing };

// The right of one runner to one run of a job. Only live ones are known: an ended one is a line in the history. Kept.
struct Lease {
  std::string job;
  uint64_t fence = 0;
  uint32_t attempt = 0;
  std::string runner;
  std::vector<std::string> devices;
  LeaseState state = LeaseState::kGranted;
  // The runner has said that it has the run: if it says later that it has not, the run is lost.
  bool accepted = false;
  WallTime granted_at;
  // When it came into its state, or this daemon began. Not kept.
  std::chrono::steady_clock::time_point since{};
};

// Where a runner has come with a run that it was told to do.
enum class RunPhase : uint8_t { kPreparing, kRunning, kFinishing };

// A run as the runner reports it.
struct ReportedRun {
  std::string job;
  uint64_t fence = 0;
  RunPhase phase = RunPhase::kPreparing;
  std::vector<std::string> devices;
  std::string progress = {};  // opaque to the queue, and nothing depends on it: it is not compared

  friend bool operator==(const ReportedRun& a, const ReportedRun& b) {
    return a.job == b.job && a.fence == b.fence && a.phase == b.phase && a.devices == b.devices;
  }
};

// A worker process and its devices. Kept, so that what no runner could ever do is known also while they are away.
struct Runner {
  std::string name;
  std::string session;  // of the process: differs after each start
  std::string pool = "trusted";
  std::vector<std::string> labels;
  std::vector<Device> devices;
  bool drained_by_people = false;
  bool draining = false;  // the worker itself takes nothing new
  bool quarantined = false;
  std::string quarantine_why;
  WallTime last_seen;
  std::string token;        // the name of the one that it reports by: the runner's name belongs to it
  std::string environment;  // drivers and toolkits with their versions; empty: not known
  // Not kept: a runner is online when it has reported to this daemon.
  bool online = false;
  std::chrono::steady_clock::time_point seen{};
  std::vector<ReportedRun> runs;
};

// What a worker says about itself, all of it each time.
struct RunnerReport {
  std::string name;
  std::string session;
  std::string pool;
  std::vector<std::string> labels;
  std::vector<Device> devices;
  bool draining = false;
  std::vector<ReportedRun> runs;
  std::string token;
  std::string environment;
};

// What a lease came to, for the history of its job.
enum class LeaseEnd : uint8_t { kFinished, kLost, kDeclined, kGivenBack, kCancelled };
struct EndedLease {
  Lease lease;
  LeaseEnd end = LeaseEnd::kFinished;
  std::string why;
  WallTime at;
};

// What a decision changes: values that replace those known. It is made durable as a whole and applied afterwards.
struct Changes {
  std::vector<Job> jobs;
  std::vector<Lease> leases;      // new, or changed
  std::vector<EndedLease> ended;  // no longer live
  std::vector<Runner> runners;
  std::vector<std::string> forgotten = {};  // runners

  bool empty() const { return jobs.empty() && leases.empty() && ended.empty() && runners.empty() && forgotten.empty(); }
};

struct Limits {
  uint32_t max_attempts = 3;
  uint32_t max_declines = 10;
  std::chrono::seconds lease{30};
  // Nothing that waits is called unsatisfiable before the runners have been the same for so long: after a start they
  // come one by one.
  std::chrono::seconds runners_settle{10};
  // A device that its worker does not name any more is out of order for so long, and then forgotten.
  std::chrono::hours gone_devices{24};
  // What passes one of these comes to an end: waiting for devices as an error, a lease as a run that is lost. The last
  // two count from the state before; `run` is for jobs whose suite says no limit.
  std::chrono::seconds queue{24 * 3'600};
  std::chrono::seconds start{30 * 60};
  std::chrono::seconds run{24 * 3'600};
  std::chrono::seconds finish{2 * 3'600};
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_QUEUE_MODEL_H_
