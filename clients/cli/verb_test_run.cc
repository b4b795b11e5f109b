// `yard test run|rerun`: a suite on this machine, or on an attached runner.
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/dispatch_client.h"
#include "clients/cli/interrupt.h"
#include "clients/cli/json_members.h"
#include "clients/cli/local_suite.h"
#include "clients/cli/server_run.h"
#include "clients/cli/test_progress.h"
#include "clients/cli/test_results.h"
#include "clients/cli/test_suites.h"
#include "clients/cli/test_text.h"
#include "clients/cli/verbs.h"
#include "rules/suites/selection.h"
#include "services/core/absl_view.h"
#include "services/core/clock.h"
#include "services/core/files.h"
#include "services/core/packs_dir.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/process/process.h"
#include "services/worker/results/exit_code.h"
#include "services/worker/results/result_files.h"
#include "services/worker/run/run.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

struct RunArguments {
  RunRequest request;
  std::string out;
  std::string cache;
  bool no_cache = false;
  bool allow_flaky = false;
  bool follow = false;
  // The run that is done again on this machine.
  std::optional<ListedResult> before;
  // Of runs on the server.
  std::string repository;
  std::string ref;
  std::string device;
  std::string priority;
  std::string pool;
  std::vector<std::string> labels;
  bool same_group = false;
  bool cached = false;
  int shards = 1;
  bool detach = false;
  bool watch = false;
};

absl::StatusOr<rules::Selection> SelectionOf(const std::vector<std::string>& texts) {
  absl::StatusOr<rules::Selection> select = rules::ParseSelection(texts);
  if (!select.ok()) return UsageError(absl::StrCat("--select ", select.status().message()));
  return select;
}

absl::StatusOr<std::map<std::string, std::string>> ParseAssignments(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> variables;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return UsageError(absl::StrCat("--set ", Quoted(text), ": expected VARIABLE=VALUE"));
    }
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

// What a job is given by name from the worker's own environment and what sounds like a secret must not be read in logs.
std::vector<std::string> SecretsOf(const Session& session, const rules::SuiteModel& suite) {
  constexpr size_t kLeastBytes = 6;  // shorter ones would blank out half of a log
  constexpr std::array<std::string_view, 6> kWords = {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "CREDENTIAL"};
  std::vector<std::string> secrets;
  const auto add = [&](const std::string& value) {
    if (value.size() >= kLeastBytes) secrets.push_back(value);
  };
  add(session.env.variable("YARD_TOKEN"));
  for (const std::string& name : suite.environment.pass) {
    const bool secret =
        absl::c_any_of(kWords, [&](std::string_view word) { return absl::StrContains(name, Abs(word)); });
    if (secret) add(session.env.variable(name.c_str()));
  }
  return secrets;
}

// Cancels the run when a signal comes, instead of ending this process with the run's processes still there.
class CancelOnSignal {
 public:
  CancelOnSignal(Session& session, TestProgress& progress) : interrupts_(session.env.interrupts) {
    if (interrupts_ == nullptr) return;
    interrupts_->CallInstead([this, &progress] {
      progress.Note(cancel_.exchange(true) ? "still stopping what was started" : "stopping what was started …");
    });
  }
  ~CancelOnSignal() {
    if (interrupts_ != nullptr) interrupts_->CallInstead(nullptr);
  }
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;

  const std::atomic<bool>& cancel() const { return cancel_; }

 private:
  Interrupts* interrupts_;
  std::atomic<bool> cancel_{false};
};

// What the worker is to do with the suite.
absl::StatusOr<worker::RunOptions> OptionsFor(const RunArguments& arguments, const rules::SuiteModel& suite,
                                              const Clock& clock, const Session& session) {
  const RunRequest& request = arguments.request;
  worker::RunOptions options;
  options.job = worker::NewJob(clock);
  std::error_code error;
  options.out =
      fs::absolute(arguments.out.empty() ? fs::path(kResultsFolder) / options.job : fs::path(arguments.out), error);
  if (!request.source.empty()) {
    options.source = fs::canonical(request.source, error);
    if (error || !fs::is_directory(options.source, error)) {
      return UsageError(absl::StrCat("--source: there is no folder ", Quoted(request.source, 400)));
    }
  }
  const std::string cache = arguments.cache.empty() ? session.env.variable("YARD_CACHE") : arguments.cache;
  if (!arguments.no_cache && !cache.empty()) options.cache = fs::absolute(cache, error);
  if (const absl::StatusOr<fs::path> own = LocateSuitesDir(session.env.executable); own.ok()) {
    options.own_suites = *own;
  } else if (!suite.source.own.empty() && options.source.empty()) {
    return UsageError(own.status().message());
  }
  ASSIGN_OR_RETURN(options.select, SelectionOf(request.select));
  ASSIGN_OR_RETURN(options.variables, ParseAssignments(request.assignments));
  options.layers = request.layers;
  for (const ChosenTests& chosen : request.steps) options.steps.push_back({chosen.step, chosen.tests});
  options.local = true;
  options.keep_going = request.keep_going;
  options.cpu_devices = request.cpu_devices;
  options.secrets = SecretsOf(session, suite);
  if (arguments.before.has_value()) options.before = EarlierRunOf(*arguments.before, options.out);
  return options;
}

// Runs the suite with its progress on stderr. `cancelled`: a signal came.
absl::StatusOr<worker::RunResult> RunHere(const ChosenSuite& chosen, const worker::RunOptions& options,
                                          const Clock& clock, bool follow, Session& session, bool& cancelled) {
  const std::unique_ptr<worker::ProcessStarter> processes = worker::MakeProcessStarter();
  const std::shared_ptr<worker::ToolRunner> tools = worker::MakeToolRunner();
  const size_t cpu_devices = options.cpu_devices > 0 ? options.cpu_devices : std::thread::hardware_concurrency();
  const std::unique_ptr<worker::DeviceProbe> cpu = worker::MakeCpuProbe(std::max<size_t>(cpu_devices, 1));
  const std::unique_ptr<worker::DeviceProbe> nvidia = worker::MakeNvidiaProbe(tools);
  const std::unique_ptr<worker::DeviceProbe> ascend = worker::MakeAscendProbe(tools);
  worker::RunDependencies dependencies;
  dependencies.processes = processes.get();
  dependencies.probes = {cpu.get(), nvidia.get(), ascend.get()};
  dependencies.clock = &clock;

  TestProgressOptions shown;
  shown.quiet = session.output.quiet();
  shown.terminal = session.env.err_is_terminal;
  shown.color = session.output.err_color();
  shown.columns = session.env.columns;
  shown.follow = follow;
  TestProgress progress(*session.env.err, clock, shown);
  const CancelOnSignal signal(session, progress);
  absl::StatusOr<worker::RunResult> run =
      worker::RunSuite(*chosen.set, *chosen.suite, options, dependencies, progress, signal.cancel());
  cancelled = signal.cancel();
  return run;
}

ServerRunOptions ServerOptionsOf(const RunArguments& arguments) {
  ServerRunOptions options;
  options.out = arguments.out;
  options.allow_flaky = arguments.allow_flaky;
  options.follow = arguments.follow;
  options.detach = arguments.detach;
  options.shards = arguments.shards > 1;
  return options;
}

// Before anything is asked for: what can't be written in the end.
absl::Status CheckServerArguments(const RunArguments& arguments) {
  if (arguments.detach && arguments.watch) return UsageError("--watch and --detach exclude each other");
  if (arguments.detach && !arguments.out.empty()) {
    return UsageError("--out needs the end of the run: with --detach use 'yard test fetch JOB --out DIR' later");
  }
  std::error_code error;
  if (!arguments.out.empty() && fs::exists(arguments.out, error) && !fs::is_empty(arguments.out, error)) {
    return UsageError(absl::StrCat("--out: ", Quoted(arguments.out, 400), " is not empty: name a new folder"));
  }
  if (!arguments.request.source.empty() && !arguments.repository.empty()) {
    return UsageError("--source and --repository exclude each other: a tree of yours, or one of a forge");
  }
  if (!arguments.ref.empty() && arguments.repository.empty()) return UsageError("--ref needs --repository");
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> RunSuiteOnServer(const RunArguments& arguments, Session& session) {
  RETURN_IF_ERROR(CheckServerArguments(arguments));
  const RunRequest& request = arguments.request;
  // What the server would refuse anyway is refused before a tree is sent.
  RETURN_IF_ERROR(SelectionOf(request.select).status());
  RETURN_IF_ERROR(ParseAssignments(request.assignments).status());
  v1::JobSpec spec;
  spec.set_suite(request.suite);
  spec.set_repository(arguments.repository);
  spec.set_ref(arguments.ref);
  spec.set_priority(arguments.priority);
  spec.set_pool(arguments.pool);
  spec.set_keep_going(request.keep_going);
  for (const std::string& label : arguments.labels) spec.add_labels(label);
  for (const std::string& layer : request.layers) spec.add_layers(layer);
  for (const std::string& select : request.select) spec.add_select(select);
  for (const std::string& variable : request.assignments) spec.add_variables(variable);
  if (!arguments.device.empty()) {
    ASSIGN_OR_RETURN(*spec.mutable_devices(), ParseDevices(arguments.device));
  } else if (request.cpu_devices > 0) {
    spec.mutable_devices()->set_kind("cpu");
    spec.mutable_devices()->set_count(static_cast<uint32_t>(request.cpu_devices));
  }
  if (arguments.same_group) spec.mutable_devices()->set_same_group(true);
  spec.set_from_cache(arguments.cached);
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/true));
  if (!request.source.empty()) {
    ASSIGN_OR_RETURN(const UploadedTree tree, UploadTree(server, request.source));
    spec.set_source_digest(tree.digest);
    spec.set_ref(tree.commit);
  }
  ASSIGN_OR_RETURN(const std::vector<v1::SuiteJob> jobs,
                   SubmitSpec(server, spec, static_cast<uint32_t>(arguments.shards)));
  if (jobs.size() < static_cast<size_t>(arguments.shards)) {
    session.output.Note(absl::StrCat("there are steps for ", jobs.size(), jobs.size() == 1 ? " job" : " jobs",
                                     ", and not for ", arguments.shards));
  }
  return FollowToResult(server, jobs, ServerOptionsOf(arguments), session);
}

absl::StatusOr<ExitCode> RunTestSuite(const RunArguments& arguments, Session& session) {
  if (!session.options.local) return RunSuiteOnServer(arguments, session);
  if (arguments.shards > 1) {
    return UsageError(
        "--shards shares a run among attached runners, and with --local there is only this machine",
        {"on the server: leave --local out", "here: leave --shards out; --layer and --select run a part"});
  }
  if (arguments.detach || !arguments.repository.empty() || !arguments.device.empty() || !arguments.labels.empty() ||
      !arguments.priority.empty() || !arguments.pool.empty() || arguments.same_group || arguments.cached) {
    return UsageError(
        "--repository, --device, --same-group, --labels, --priority, --pool, --cached and --detach are for runs on the "
        "server: leave them or --local out");
  }
  ASSIGN_OR_RETURN(const ChosenSuite chosen, ChooseSuite(session, arguments.request.suite));
  const rules::SuiteModel& suite = *chosen.suite;
  const SystemClock clock;
  ASSIGN_OR_RETURN(const worker::RunOptions options, OptionsFor(arguments, suite, clock, session));
  bool cancelled = false;
  const absl::StatusOr<worker::RunResult> run = RunHere(chosen, options, clock, arguments.follow, session, cancelled);
  if (!run.ok()) {
    const absl::Status& status = run.status();
    if (!cancelled) return absl::IsInvalidArgument(status) ? status : SystemError(status.message());
    session.output.Error(status.message());
    return ExitCode::kInterrupted;
  }

  // So that `test rerun` can do the same again, wherever it is called from.
  RunRequest request = arguments.request;
  request.suite = absl::StrCat(suite.pack, "/", suite.id);
  request.source = options.source.string();
  absl::Status written = worker::WriteResultFiles(options.out, *run);
  written.Update(WriteFileAtomically(options.out / "request.json", RequestJson(request).dump(1) + "\n"));

  const nlohmann::ordered_json result = worker::ResultJson(*run);
  if (session.options.json) {
    session.output.Json(result);
  } else {
    std::error_code error;
    const fs::path near = fs::relative(options.out, error);
    const bool below = !error && !near.empty() && !near.string().starts_with("..");
    session.output.out() << ResultText(result, below ? near : options.out, session.output);
  }
  if (!written.ok()) {
    session.output.Error(absl::StrCat("the result directory is not complete: ", written.message()));
    return cancelled ? ExitCode::kInterrupted : ExitCode::kSystem;
  }
  if (cancelled) return ExitCode::kInterrupted;
  return static_cast<ExitCode>(worker::ExitCodeOf(run->verdict, arguments.allow_flaky));
}

struct RerunArguments {
  std::string of;
  bool failed = false;
  bool flaky = false;
  RunArguments run;
};

// The layers of a result that did not pass.
std::vector<std::string> FailedLayers(const nlohmann::ordered_json& result) {
  std::vector<std::string> layers;
  for (const nlohmann::ordered_json& layer : ListMember(result, "layers")) {
    const std::string id = TextMember(layer, "id");
    if (!id.empty() && TextMember(layer, "verdict") != "passed") layers.push_back(id);
  }
  return layers;
}

absl::StatusOr<ExitCode> RerunOnServer(const RerunArguments& arguments, Session& session) {
  RETURN_IF_ERROR(CheckServerArguments(arguments.run));
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  ASSIGN_OR_RETURN(const v1::SuiteJob before, FindJobOnServer(server, arguments.of));
  v1::RerunJobRequest request;
  request.set_job(before.job());
  for (const std::string& layer : arguments.run.request.layers) request.add_layers(layer);
  request.set_failed_only(arguments.failed);
  request.set_flaky_only(arguments.flaky);
  const absl::StatusOr<v1::RerunJobResponse> answer = server.Call(&v1::DispatchService::Stub::RerunJob, request);
  // Nothing failed, or nothing is known of it any more: that is an answer.
  if (absl::IsFailedPrecondition(answer.status())) return NegativeError(answer.status().message());
  RETURN_IF_ERROR(answer.status());
  const v1::RerunJobResponse& response = *answer;
  return FollowToResult(server, {response.job()}, ServerOptionsOf(arguments.run), session);
}

absl::StatusOr<ExitCode> Rerun(const RerunArguments& arguments, Session& session) {
  if (arguments.failed && arguments.flaky) {
    return UsageError("--failed and --flaky: give one of them; --failed has what was flaky, too");
  }
  if (MeansServer(session, arguments.of)) return RerunOnServer(arguments, session);
  if (!session.options.local) {
    return UsageError("it is not said where to run it again",
                      {"on this machine: yard test rerun DIR --local", "on the server: yard test rerun JOB"});
  }
  ASSIGN_OR_RETURN(const ListedResult before, FindResult(arguments.of));
  std::optional<RunRequest> request = ReadRequest(before.directory);
  if (!request.has_value()) {
    return UsageError(absl::StrCat("how the run in ", Quoted(before.directory.string(), 400),
                                   " was asked for is not known: its request.json is missing or damaged"));
  }
  if (!arguments.run.request.layers.empty()) {
    request->layers = arguments.run.request.layers;
    request->steps.clear();
  }
  if (arguments.failed) {
    request->layers = FailedLayers(before.result);
    if (request->layers.empty()) {
      return NegativeError("every layer of that run has passed: there is nothing to run again");
    }
    request->steps = FailedSteps(before.result, request->layers);
  }
  if (arguments.flaky) {
    request->steps = FlakySteps(before.result, request->layers);
    if (request->steps.empty()) return NegativeError("no step of that run was flaky: there is nothing to run again");
  }
  RunArguments again = arguments.run;
  again.request = *std::move(request);
  again.request.rerun_of = TextMember(before.result, "job");
  again.before = before;
  return RunTestSuite(again, session);
}

void AddCommonOptions(Verb& verb, RunArguments& arguments) {
  verb.Value("--out", &arguments.out, "DIR",
             "Result directory; new or empty (default ./yard-results/JOB; on the server: not brought here)");
  verb.Value("--layer", &arguments.request.layers, "LAYER",
             "Only this layer and the layers that it depends on; may be repeated");
  verb.Value("--cache", &arguments.cache, "DIR",
             "Keep build folders and fetched sources here for the next run (YARD_CACHE)");
  verb.Flag("--no-cache", &arguments.no_cache, "Neither use nor keep them");
  verb.Flag("--allow-flaky", &arguments.allow_flaky, "A flaky run exits with 0");
  verb.Flag("--follow", &arguments.follow, "Also show what the tests print, on stderr");
  verb.Flag("--watch", &arguments.watch, "On the server: follow the run to its end (the default)");
  verb.Flag("--detach", &arguments.detach, "On the server: print the job and return");
}

}  // namespace

absl::StatusOr<worker::RunResult> RunLocalSuite(const LocalSuiteRun& wanted, Session& session) {
  RunArguments arguments;
  arguments.request.source = wanted.source.string();
  arguments.request.assignments = wanted.assignments;
  arguments.out = wanted.out.string();
  const SystemClock clock;
  ASSIGN_OR_RETURN(const worker::RunOptions options, OptionsFor(arguments, *wanted.chosen.suite, clock, session));
  bool cancelled = false;
  absl::StatusOr<worker::RunResult> run = RunHere(wanted.chosen, options, clock, /*follow=*/false, session, cancelled);
  if (cancelled) return absl::CancelledError("cancelled: what was started has ended");
  if (run.ok()) RETURN_IF_ERROR(worker::WriteResultFiles(options.out, *run));
  return run;
}

void AddTestRunVerbs(Verb& test) {
  Verb& run = test.Add(
      "run", "Build and test a suite on an attached runner, or on this machine with --local, and judge it",
      {"yard test run kernels", "yard test run hyper-parallel/mindspore-st --device npu:910B:8 --priority high",
       "yard test run pypto/ut-py --source . --detach --json", "yard test run kernels --shards 4 --out results",
       "yard test run kernels --local",
       "yard test run collectives --local --cpu-devices 8 --select dtype=float32,float64 --out results"},
      "Exit code: 0 passed; 1 failed, timed out or flaky; 4 error, not run or cancelled; 130 interrupted.");
  RunArguments& arguments = run.Runs(RunTestSuite);
  RunRequest& request = arguments.request;
  run.Argument("SUITE", &request.suite, "The suite: ID or PACK/ID ('yard suite list' shows them)").Required();
  AddCommonOptions(run, arguments);
  run.Value("--source", &request.source, "DIR", "A checkout to test instead of what the suite names");
  run.Value("--set", &request.assignments, "VARIABLE=VALUE", "Set a variable for every command; may be given again");
  run.Value("--select", &request.select, "AXIS=VALUE,…", "Only these values of the matrix; may be given again");
  run.Flag("--keep-going", &request.keep_going, "Run a layer even if one that it depends on has failed");
  run.Value("--cpu-devices", &request.cpu_devices, "N",
            "How many ranks may share the processors (default: the number of processors)");
  run.Value("--repository", &arguments.repository, "FORGE:OWNER/REPO", "On the server: where the sources are");
  run.Value("--ref", &arguments.ref, "R", "On the server: branch, tag or commit of --repository");
  run.Value(
      "--device", &arguments.device, "KIND:MODEL:N",
      "On the server: devices instead of those that the suite asks for; MODEL is a part of the name, or has * in it "
      "(npu:910B:8, gpu:A100:2, gpu:4, cpu)");
  run.Flag("--same-group", &arguments.same_group,
           "On the server: devices with a fast connection to each other (one switch, NVLink, HCCS)");
  run.Flag("--cached", &arguments.cached,
           "On the server: use an earlier pass with the same tree, suite, options, device model and environment");
  run.Value(
         "--shards", &arguments.shards, "N",
         "On the server: share the steps among up to N jobs that take equally long by earlier runs; --out has a folder "
         "shard-1, … for each, and the worst decides the exit code")
      .Between(1, 64);
  run.Value("--labels", &arguments.labels, "LABEL", "On the server: only runners with this label; may be repeated");
  run.Value("--priority", &arguments.priority, "P", "On the server: low, normal or high")
      .OneOf({"low", "normal", "high"});
  run.Value("--pool", &arguments.pool, "POOL", "On the server: trusted or untrusted").OneOf({"trusted", "untrusted"});

  Verb& rerun = test.Add("rerun", "Run a suite again as an earlier run was asked for",
                         {"yard test rerun j-1f2e3d4c5b6a7980 --failed", "yard test rerun --local",
                          "yard test rerun 20260102-030405-9f3c --failed --local"});
  RerunArguments& again = rerun.Runs(Rerun);
  rerun.Argument("JOB", &again.of,
                 "Job of the server; with --local result directory, or job in ./yard-results "
                 "(default: the newest)");
  rerun.Flag(
      "--failed", &again.failed,
      "Only failed steps, and of these only failed tests where tests can be chosen (pytest, GoogleTest); layers that "
      "they depend on run whole");
  rerun.Flag("--flaky", &again.flaky, "Only what was flaky: it passed after a failure");
  AddCommonOptions(rerun, again.run);
}

}  // namespace yardmaster::cli
