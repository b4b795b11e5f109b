// `yard test run|rerun`: a suite on this machine.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/cli/interrupt.h"
#include "clients/cli/test_progress.h"
#include "clients/cli/test_results.h"
#include "clients/cli/test_suites.h"
#include "clients/cli/test_text.h"
#include "clients/cli/verb_test.h"
#include "clients/cli/verbs.h"
#include "services/core/clock.h"
#include "services/core/files.h"
#include "services/core/packs_dir.h"
#include "services/core/readable.h"
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
};

// "axis=value,value,axis=value": a word without "=" is one more value of the axis before it.
bool ParseSelection(Session& session, const std::vector<std::string>& texts,
                    std::map<std::string, std::vector<std::string>>& select) {
  for (const std::string& text : texts) {
    std::string axis;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t comma = std::min(text.find(',', begin), text.size());
      std::string word = text.substr(begin, comma - begin);
      begin = comma + 1;
      const size_t equals = word.find('=');
      if (equals != std::string::npos) {
        axis = word.substr(0, equals);
        word = word.substr(equals + 1);
      }
      if (axis.empty() || word.empty()) {
        session.output.Error("--select " + Quoted(text) + ": expected AXIS=VALUE,…");
        return false;
      }
      select[axis].push_back(word);
    }
  }
  return true;
}

bool ParseAssignments(Session& session, const std::vector<std::string>& texts,
                      std::map<std::string, std::string>& variables) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      session.output.Error("--set " + Quoted(text) + ": expected VARIABLE=VALUE");
      return false;
    }
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return true;
}

// What a job is given by name from the worker's own environment and what sounds like a secret must not be read in logs.
std::vector<std::string> SecretsOf(Session& session, const rules::SuiteModel& suite) {
  constexpr size_t kLeastBytes = 6;  // shorter ones would blank out half of a log
  constexpr std::array<std::string_view, 6> kWords = {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "CREDENTIAL"};
  std::vector<std::string> secrets;
  const auto add = [&](const std::string& value) {
    if (value.size() >= kLeastBytes) secrets.push_back(value);
  };
  add(session.env.variable("YARD_TOKEN"));
  for (const std::string& name : suite.environment.pass) {
    const bool secret = std::any_of(kWords.begin(), kWords.end(),
                                    [&](std::string_view word) { return name.find(word) != std::string::npos; });
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

ExitCode Run(const RunArguments& arguments, Session& session) {
  if (!session.options.local) {
    session.output.Error("this version runs suites on this machine only");
    session.output.Hint("add --local: yard test run " + arguments.request.suite + " --local");
    return ExitCode::kUsage;
  }
  ChosenSuite chosen;
  ExitCode code = ExitCode::kDone;
  if (!ChooseSuite(session, arguments.request.suite, chosen, code)) return code;
  const rules::SuiteModel& suite = *chosen.suite;

  const SystemClock clock;
  worker::RunOptions options;
  options.job = worker::NewJob(clock);
  std::error_code error;
  options.out =
      fs::absolute(arguments.out.empty() ? fs::path(kResultsFolder) / options.job : fs::path(arguments.out), error);
  if (!arguments.request.source.empty()) {
    options.source = fs::canonical(arguments.request.source, error);
    if (error || !fs::is_directory(options.source, error)) {
      session.output.Error("--source: there is no folder " + Quoted(arguments.request.source, 400));
      return ExitCode::kUsage;
    }
  }
  const std::string cache = arguments.cache.empty() ? session.env.variable("YARD_CACHE") : arguments.cache;
  if (!arguments.no_cache && !cache.empty()) options.cache = fs::absolute(cache, error);
  if (const absl::StatusOr<fs::path> own = LocateSuitesDir(session.env.executable); own.ok()) {
    options.own_suites = *own;
  } else if (!suite.source.own.empty() && options.source.empty()) {
    session.output.Error(std::string(own.status().message()));
    return ExitCode::kUsage;
  }
  if (!ParseSelection(session, arguments.request.select, options.select)) return ExitCode::kUsage;
  if (!ParseAssignments(session, arguments.request.assignments, options.variables)) return ExitCode::kUsage;
  options.layers = arguments.request.layers;
  options.keep_going = arguments.request.keep_going;
  options.cpu_devices = arguments.request.cpu_devices;
  options.secrets = SecretsOf(session, suite);

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

  absl::StatusOr<worker::RunResult> run;
  bool cancelled = false;
  {
    TestProgressOptions shown;
    shown.quiet = session.output.quiet();
    shown.terminal = session.env.err_is_terminal;
    shown.color = session.env.err_is_terminal && session.env.variable("NO_COLOR").empty() &&
                  session.env.variable("TERM") != "dumb";
    shown.columns = session.env.columns;
    shown.follow = arguments.follow;
    TestProgress progress(*session.env.err, clock, shown);
    const CancelOnSignal signal(session, progress);
    run = worker::RunSuite(*chosen.set, suite, options, dependencies, progress, signal.cancel());
    cancelled = signal.cancel();
  }
  if (!run.ok()) {
    session.output.Error(std::string(run.status().message()));
    if (cancelled) return ExitCode::kInterrupted;
    return absl::IsInvalidArgument(run.status()) ? ExitCode::kUsage : ExitCode::kSystem;
  }

  // So that `test rerun` can do the same again, wherever it is called from.
  RunRequest request = arguments.request;
  request.suite = suite.pack + "/" + suite.id;
  request.source = options.source.string();
  absl::Status written = worker::WriteResultFiles(options.out, *run);
  const absl::Status request_written =
      WriteFileAtomically(options.out / "request.json", RequestJson(request).dump(1) + "\n");
  if (written.ok()) written = request_written;

  const nlohmann::ordered_json result = worker::ResultJson(*run);
  if (session.options.json) {
    session.output.Json(result);
  } else {
    const fs::path near = fs::relative(options.out, error);
    const bool below = !error && !near.empty() && !near.string().starts_with("..");
    session.output.out() << ResultText(result, below ? near : options.out, session.output);
  }
  if (!written.ok()) {
    session.output.Error("the result directory is not complete: " + std::string(written.message()));
    return cancelled ? ExitCode::kInterrupted : ExitCode::kSystem;
  }
  if (cancelled) return ExitCode::kInterrupted;
  return static_cast<ExitCode>(worker::ExitCodeOf(run->verdict, arguments.allow_flaky));
}

struct RerunArguments {
  std::string of;
  bool failed = false;
  RunArguments run;
};

// The layers of a result that did not pass.
std::vector<std::string> FailedLayers(const nlohmann::ordered_json& result) {
  std::vector<std::string> layers;
  const auto found = result.find("layers");
  if (found == result.end() || !found->is_array()) return layers;
  for (const nlohmann::ordered_json& layer : *found) {
    if (!layer.is_object() || !layer.contains("id") || !layer["id"].is_string()) continue;
    if (layer.contains("verdict") && layer["verdict"] == "passed") continue;
    layers.push_back(layer["id"].get<std::string>());
  }
  return layers;
}

ExitCode Rerun(const RerunArguments& arguments, Session& session) {
  const std::optional<ListedResult> before = FindResult(session, arguments.of);
  if (!before.has_value()) return ExitCode::kNegative;
  std::optional<RunRequest> request = ReadRequest(before->directory);
  if (!request.has_value()) {
    session.output.Error("how the run in " + Quoted(before->directory.string(), 400) +
                         " was asked for is not known: its request.json is missing or damaged");
    return ExitCode::kUsage;
  }
  RunArguments again = arguments.run;
  const std::vector<std::string> only = again.request.layers;
  again.request = *std::move(request);
  if (!only.empty()) again.request.layers = only;
  if (arguments.failed) {
    again.request.layers = FailedLayers(before->result);
    if (again.request.layers.empty()) {
      session.output.Error("every layer of that run has passed: there is nothing to run again");
      return ExitCode::kNegative;
    }
  }
  return Run(again, session);
}

void AddCommonOptions(CLI::App& verb, RunArguments& arguments) {
  verb.add_option("--out", arguments.out, "Result directory; new or empty (default ./yard-results/JOB)")
      ->type_name("DIR");
  verb.add_option("--layer", arguments.request.layers, "Only this layer and what it comes after; may be given again")
      ->type_name("LAYER");
  verb.add_option("--cache", arguments.cache,
                  "Keep build folders and fetched sources here for the next run (YARD_CACHE)")
      ->type_name("DIR");
  verb.add_flag("--no-cache", arguments.no_cache, "Neither use nor keep them");
  verb.add_flag("--allow-flaky", arguments.allow_flaky, "A flaky run exits with 0");
  verb.add_flag("--follow", arguments.follow, "Also show what the tests print, on stderr");
}

}  // namespace

void AddTestRunVerbs(CLI::App& test, Verb& chosen) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* run = AddVerb(test, "run", "Build and test a suite on this machine (with --local), and judge it",
                          "  yard test run kernels --local\n"
                          "  yard test run yardmaster/collectives --local --cpu-devices 8 --out results\n"
                          "  yard test run collectives --local --select dtype=float32,float64 --layer correctness\n"
                          "Exit code: 0 passed; 1 failed, timed out or flaky; 4 error, not run or cancelled; 130 "
                          "interrupted.");
  run->add_option("SUITE", arguments->request.suite, "The suite: ID or PACK/ID ('yard suite list' shows them)")
      ->required()
      ->type_name("");
  AddCommonOptions(*run, *arguments);
  run->add_option("--source", arguments->request.source, "A checkout to test instead of what the suite names")
      ->type_name("DIR");
  run->add_option("--set", arguments->request.assignments, "Set a variable for every command; may be given again")
      ->type_name("VARIABLE=VALUE");
  run->add_option("--select", arguments->request.select, "Only these values of the matrix; may be given again")
      ->type_name("AXIS=VALUE,…");
  run->add_flag("--keep-going", arguments->request.keep_going,
                "Run a layer even if one that it comes after has failed");
  run->add_option("--cpu-devices", arguments->request.cpu_devices,
                  "How many ranks may share the processors (default: the number of processors)")
      ->type_name("N");
  run->callback([&chosen, arguments] { chosen = [arguments](Session& session) { return Run(*arguments, session); }; });

  auto again = std::make_shared<RerunArguments>();
  CLI::App* rerun = AddVerb(test, "rerun", "Run a suite again as an earlier run was asked for (with --local)",
                            "  yard test rerun --local\n"
                            "  yard test rerun 20260102-030405-9f3c --failed --local");
  rerun->add_option("DIR", again->of, "Result directory, or job in ./yard-results (default: the newest)")
      ->type_name("");
  rerun->add_flag("--failed", again->failed, "Only layers that did not pass, and what they come after");
  AddCommonOptions(*rerun, again->run);
  rerun->callback([&chosen, again] { chosen = [again](Session& session) { return Rerun(*again, session); }; });
}

}  // namespace yardmaster::cli
