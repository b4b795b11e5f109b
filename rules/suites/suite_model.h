// A suite as its manifest says it: what is built and tested, how it is started, what it needs, and how its outcome is
// read. Plain values; rules/schema/suites.schema.json documents every key. Texts may hold placeholders "${NAME}" that a
// run fills in (placeholders.h lists them).
#ifndef YARDMASTER_RULES_SUITES_SUITE_MODEL_H_
#define YARDMASTER_RULES_SUITES_SUITE_MODEL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yardmaster::rules {

enum class DeviceKind : uint8_t { kCpu, kGpu, kNpu };

// Devices that a suite, a layer or a cell of the matrix is run on.
struct DeviceRequest {
  DeviceKind kind = DeviceKind::kCpu;
  // How many; placeholders are allowed ("${matrix.world_size}"). Empty: 1.
  std::string count;
  // Globs on the model's name, any of them; empty: any model.
  std::vector<std::string> models;
  // Conditions on the compute capability (GPU), all of them: ">=8.0", "!=9.0".
  std::vector<std::string> capability;
  // Memory of each device, MiB; 0: any.
  uint64_t memory_mb = 0;
  // All within one group that reach each other fast (a switch, NVLink, HCCS). For whoever places a run on a machine.
  bool same_group = false;

  friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

// What must be there; what is absent makes the layer, step or cell "not run" with the reason, never passed.
struct Requirement {
  enum class Kind : uint8_t {
    kTool,      // a program in PATH (of the suite's environment); `name`
    kModule,    // a Python module that the interpreter can import; `name`
    kFile,      // a file or folder; `name` is its path, placeholders allowed
    kVariable,  // an environment variable that is set and not empty; `name`
    kDevice,    // `device`
  };
  Kind kind = Kind::kTool;
  std::string name;
  // Condition on the version that the tool or module says: ">=12.0"; empty: any.
  std::string version;
  DeviceRequest device;
  // Holds only in cells of the matrix with these values: {"backend": "nccl"}; empty: always.
  std::map<std::string, std::string> when;

  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// Either words, started as they are, or a line for bash.
struct CommandLine {
  std::vector<std::string> words;
  std::string shell;

  friend bool operator==(const CommandLine&, const CommandLine&) = default;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

// Without a launcher that starts ranks by itself: one process and no ranks, or one process a rank, which the worker
// starts with RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.
inline constexpr std::string_view kNoLauncher = "none";
inline constexpr std::string_view kPlainLauncher = "plain";

struct LauncherModel {
  // One of these two, or the name of a launcher of services/worker/launch. The schema lists them.
  std::string kind = std::string(kNoLauncher);
  // Ranks; placeholders allowed. Empty: 1. What is expected comes from here, never from the reports found.
  std::string world_size;
  // Ranks may share processors and devices where there are fewer than ranks.
  bool oversubscribe = false;

  bool has_ranks() const { return kind != kNoLauncher; }

  friend bool operator==(const LauncherModel&, const LauncherModel&) = default;
};

enum class ReportFormat : uint8_t {
  kJunit,       // pytest's JUnit XML
  kGoogleTest,  // GoogleTest's XML; its text on stdout is read where the file is missing
  kCtest,       // ctest --output-junit, checked against its text and exit code
  kMarkers,     // lines of the output that `pass`, `fail` and `line` match
};

struct ReportModel {
  ReportFormat format = ReportFormat::kJunit;
  // The file; with ranks it must hold ${RANK}, so that no rank overwrites another. Empty for markers: they are in the
  // output.
  std::string file;
  // Markers, RE2: the step has passed only if it exits with 0, `pass` is found (by each rank) and `fail` is not.
  std::string pass;
  std::string fail;
  // RE2 with the groups "name" and "verdict" (PASS… or anything else), and perhaps "seconds" and "message": one test a
  // line.
  std::string line;
  // RE2 with the groups "passed", "failed" and "total": must agree with the lines.
  std::string summary;
  // RE2 with the groups "name" and "value", and perhaps "unit": a number that a benchmark measured. It decides nothing.
  std::string number;

  friend bool operator==(const ReportModel&, const ReportModel&) = default;
};

struct Tolerance {
  double rtol = 0;
  double atol = 0;

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

// Tensors that the tests write to ${TENSORS}: NAME.actual.npy and NAME.expected.npy, compared by the worker itself.
// An element is off where |actual - expected| > atol + rtol * |expected|, or where one of them is NaN.
struct ComparisonModel {
  // By dtype: "float32", "bfloat16", …; a name may say the dtype that a tensor was computed in: NAME@bfloat16.
  std::map<std::string, Tolerance> tolerances;
  // True: a step without any tensors is an error.
  bool required = false;

  friend bool operator==(const ComparisonModel&, const ComparisonModel&) = default;
};

struct LimitsModel {
  std::chrono::seconds build{1800};  // each build step
  std::chrono::seconds step{1800};   // each test step
  std::chrono::seconds silence{0};   // without any output; 0: no limit
  std::chrono::seconds grace{10};    // between SIGTERM and SIGKILL
  uint64_t memory_mb = 0;            // of all processes of one step; 0: no limit
  uint64_t disk_mb = 512;            // free space that a run wants before it starts

  friend bool operator==(const LimitsModel&, const LimitsModel&) = default;
};

struct SuiteStep {
  std::string id;     // unique in the suite
  std::string title;  // one line; empty: the id
  CommandLine command;
  std::string directory;  // relative to the source; empty: the source itself
  Variables variables;
  LauncherModel launcher;
  // Names of the matrix's axes over which this step is repeated; each combination is a cell.
  std::vector<std::string> axes;
  // Repeated so often, each with ${SHARD} (from 0) and ${SHARDS}; GoogleTest's and pytest-shard's variables are set
  // too.
  size_t shards = 1;
  std::vector<ReportModel> reports;
  std::optional<ComparisonModel> comparison;
  std::vector<Requirement> requirements;
  // Globs below ${OUT} that are kept as artifacts besides logs and reports.
  std::vector<std::string> artifacts;
  // Tests that must have run at least, over all ranks; a step whose reports name fewer is an error. Default 1 where
  // there is a report that names tests (all but markers without `line`), else 0.
  size_t tests_at_least = 0;
  // Exit codes that mean "skipped".
  std::vector<int> skip_codes;
  // How often a step of tests that failed or ran out of time is run again; a pass makes it flaky.
  size_t retries = 0;
  // Overrides of the suite's limits.
  std::optional<std::chrono::seconds> timeout;
  std::optional<uint64_t> memory_mb;

  friend bool operator==(const SuiteStep&, const SuiteStep&) = default;
};

// What kind of question a layer answers; in this order they usually come.
enum class LayerKind : uint8_t { kBuild, kImport, kSmoke, kCorrectness, kModule, kRoundTrip, kBoundary, kBenchmark };

struct SuiteLayer {
  std::string id;
  std::string title;
  LayerKind kind = LayerKind::kCorrectness;
  // Layers that must have passed; where one has not, this one is not run and says which. A layer that was not run for
  // want of a device or a tool does not hold up others unless it is `required`.
  std::vector<std::string> after;
  // Not run means that the whole run is not run.
  bool required = false;
  std::vector<Requirement> requirements;
  std::vector<SuiteStep> steps;

  friend bool operator==(const SuiteLayer&, const SuiteLayer&) = default;
};

struct SourceModel {
  // One of Yardmaster's own suites: the folder tests/suites/<own> of the source tree, installed as
  // share/yardmaster/suites/<own>.
  std::string own;
  // Or a repository, "github:OWNER/REPO" or "gitcode:OWNER/REPO", and what of it.
  std::string repository;
  std::string ref;
  bool submodules = false;
  // Or a folder of the machine on which somebody runs a suite of their own; never on an attached machine.
  std::string path;

  friend bool operator==(const SourceModel&, const SourceModel&) = default;
};

struct EnvironmentModel {
  std::string interpreter;           // Python; empty: python3 in PATH. ${PYTHON} stands for it.
  std::vector<std::string> scripts;  // sourced by bash before each command, without `set -u`: set_env.sh of CANN
  Variables variables;
  std::vector<std::string> unset;
  // Variables of the worker's own environment that reach the job; nothing else does besides PATH, HOME, LANG, TZ, TERM
  // and the like.
  std::vector<std::string> pass;

  friend bool operator==(const EnvironmentModel&, const EnvironmentModel&) = default;
};

// How to get tools and modules that a suite requires.
struct InstallModel {
  std::string by;                   // for people: a command
  std::vector<std::string> brings;  // as they are required

  friend bool operator==(const InstallModel&, const InstallModel&) = default;
};

struct MatrixModel {
  // In the order of the manifest; values as texts.
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  std::vector<std::map<std::string, std::string>> exclude;

  friend bool operator==(const MatrixModel&, const MatrixModel&) = default;
};

// What a pull request's gate runs of a suite, and how it runs a part of it.
struct SuiteGate {
  std::string kind;                // "ut" or "st"; empty: no gate runs the suite
  std::vector<std::string> tests;  // globs of the files that are its tests
  std::string variable;            // holds those that are to run, separated by spaces; unset: all

  friend bool operator==(const SuiteGate&, const SuiteGate&) = default;
};

// Another name of a suite in commands, and what of it the name means.
struct SuiteName {
  std::string name;                 // may hold one "{word}": letters, digits and "_"
  std::vector<std::string> layers;  // only these and what they come after; empty: all
  Variables variables;              // set for every command; values may hold "{word}"

  friend bool operator==(const SuiteName&, const SuiteName&) = default;
};

// How people ask for a suite in comments on pull requests.
struct SuiteCommands {
  std::string kind;    // "ut" or "st", instead of the gate's; empty: the gate's, or neither
  bool usual = false;  // it runs where no suite is named, as one with a gate does
  std::vector<SuiteName> names;

  friend bool operator==(const SuiteCommands&, const SuiteCommands&) = default;
};

struct SuiteModel {
  std::string pack;  // the one whose file says it; a pack that extends this one has it, too
  std::string id;
  std::string title;
  std::string description;
  SourceModel source;
  EnvironmentModel environment;
  DeviceRequest devices;
  MatrixModel matrix;
  LimitsModel limits;
  // Where runs are contained it has the host's network; else only a loopback of its own.
  bool network = false;
  std::vector<Requirement> requirements;
  InstallModel install;
  SuiteGate gate;
  SuiteCommands commands;
  std::vector<SuiteStep> build;
  std::vector<SuiteLayer> layers;
  // Ids of recipes (recipes.json of the pack and of what it extends) that may be applied, each once with one retry.
  // Empty: none.
  std::vector<std::string> recipes;
  // SHA-256 of the manifest, hexadecimal.
  std::string digest;

  friend bool operator==(const SuiteModel&, const SuiteModel&) = default;
};

// What a failure means.
enum class FailureClass : uint8_t {
  kCode,            // what is tested is at fault
  kEnvironment,     // software around it: fix it, run again
  kInfrastructure,  // a device, a host: run elsewhere
  kVictim,          // another rank failed first
};

// A text by which a failure is known. rules/schema/signatures.schema.json.
struct FailureSignature {
  std::string id;
  std::string title;
  FailureClass cls = FailureClass::kCode;
  std::vector<std::string> patterns;  // RE2, case-insensitive, one line each
  // Lower comes first: device and driver faults < fatal signals < exceptions < … < victims.
  int priority = 0;
  // The device is gone: what comes later on it is not run.
  bool device_fatal = false;
  // A test, or a file of tests, passed its limit: the verdict is timed_out.
  bool time_limit = false;
  // Looked for only in the line that is quoted as the reason of a failure which nothing else explains: its words are
  // too common to be searched in all of the output.
  bool reason_only = false;
  // Only in steps of this phase: "build", "test" or "fetch"; empty: all.
  std::string phase;
  std::string advice;
  std::string source;

  friend bool operator==(const FailureSignature&, const FailureSignature&) = default;
};

// What fixes an environment. rules/schema/recipes.schema.json; only recipes with `apply` can be applied by a run.
struct RecoveryRecipe {
  std::string id;
  std::string title;
  std::vector<std::string> symptoms;  // RE2
  std::string cause;
  std::vector<std::string> steps;  // for people
  // What a run does by itself before it tries once more.
  bool applicable = false;
  Variables variables;               // set for the retry
  std::vector<std::string> unset;    // removed for the retry
  std::vector<std::string> scripts;  // sourced for the retry
  std::vector<CommandLine> commands;

  friend bool operator==(const RecoveryRecipe&, const RecoveryRecipe&) = default;
};

// What a pack and those that it extends say about suites; the same id replaces what is inherited.
struct SuiteSet {
  std::string pack;
  std::vector<SuiteModel> suites;            // by id
  std::vector<FailureSignature> signatures;  // by priority, then as written; those of `common` always among them
  std::vector<RecoveryRecipe> recipes;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_SUITES_SUITE_MODEL_H_
