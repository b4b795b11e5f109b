#include <algorithm>
#include <deque>
#include <fstream>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/time/time.h"
#include "services/core/clock.h"
#include "services/core/ids.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/worker/errors.h"
#include "services/worker/launch/environment.h"
#include "services/worker/launch/shell_text.h"
#include "services/worker/run/chosen_tests.h"
#include "services/worker/run/folder_lock.h"
#include "services/worker/run/foresight.h"
#include "services/worker/run/host_info.h"
#include "services/worker/run/installs.h"
#include "services/worker/run/run.h"
#include "services/worker/run/source.h"
#include "services/worker/run/step_director.h"
#include "services/worker/run/suite_context.h"

namespace yardmaster::worker {
namespace {

std::string TimeText(std::chrono::system_clock::time_point time, const char* format) {
  return absl::FormatTime(format, absl::FromChrono(time), absl::UTCTimeZone());
}

class SuiteRun {
 public:
  SuiteRun(const rules::SuiteSet& set, const rules::SuiteModel& suite, const RunOptions& options,
           const RunDependencies& dependencies, RunObserver& observer, const std::atomic<bool>& cancel)
      : set_(set),
        options_(options),
        dependencies_(dependencies),
        observer_(observer),
        cancel_(cancel),
        whole_(suite),
        director_(context_) {}

  absl::StatusOr<RunResult> Run() {
    ASSIGN_OR_RETURN(rules::SuiteModel part,
                     rules::SelectPart(whole_, options_.select, options_.layers, options_.before_layers));
    suite_ = std::move(part);
    rules::OverrideDevices(options_.devices, suite_);
    RETURN_IF_ERROR(CheckSteps());
    RETURN_IF_ERROR(SetUp());

    std::string blocked = Blocker();
    if (blocked.empty()) blocked = RunSteps(kFetchLayer, "Source", FetchSteps());
    if (blocked.empty()) {
      if (source_.fetch.has_value()) ReadCommit();
      CompareWithRunBefore();
      blocked = Foresee();
    }
    if (blocked.empty()) blocked = Build();
    if (blocked.empty() && !suite_.build.empty()) requirements_->Refresh();
    for (const rules::SuiteLayer& layer : suite_.layers) RunLayer(layer, blocked);
    return Finish(blocked);
  }

 private:
  // --- Before ---

  absl::Status SetUp() {
    std::error_code error;
    if (std::filesystem::exists(options_.out, error) && !std::filesystem::is_empty(options_.out, error)) {
      return worker_errors::ResultDirectoryNotEmpty(options_.out.native());
    }
    context_.began = std::chrono::steady_clock::now();
    std::string problem;
    context_.signatures = CompileSignatures(set_.signatures, problem);
    if (context_.signatures == nullptr) return worker_errors::SignaturesUnusable(problem);
    for (const rules::RecoveryRecipe& recipe : set_.recipes) {
      const bool allowed = absl::c_linear_search(suite_.recipes, recipe.id);
      if (allowed) context_.recipes.push_back(&recipe);
    }
    // The source before the result directory: a wrong option leaves nothing behind.
    if (suite_.source.repository.empty() || !options_.source.empty()) {
      ASSIGN_OR_RETURN(SourcePlan source, PlanSource(suite_.source, options_, {}));
      source_ = std::move(source);
    }
    ASSIGN_OR_RETURN(std::unique_ptr<Workspace> workspace, Workspace::Make(options_, result_.notes));
    workspace_ = std::move(workspace);
    if (source_.folder.empty()) {
      ASSIGN_OR_RETURN(SourcePlan source, PlanSource(suite_.source, options_, workspace_->kept()));
      source_ = std::move(source);
    }
    FillResult();
    FillContext();
    if (!source_.fetch.has_value()) ReadCommit();
    return absl::OkStatus();
  }

  void FillResult() {
    static const SystemClock kSystemClock;
    const Clock& clock = dependencies_.clock == nullptr ? kSystemClock : *dependencies_.clock;
    result_.started_at = TimeText(clock.Now(), "%Y-%m-%dT%H:%M:%SZ");
    result_.job = options_.job.empty() ? NewJob(clock) : options_.job;
    result_.suite = suite_.pack.empty() ? suite_.id : suite_.pack + "/" + suite_.id;
    result_.suite_digest = suite_.digest;
    if (options_.before.has_value()) result_.rerun_of = options_.before->job;
    result_.host = ThisHost();
  }

  void FillContext() {
    context_.suite = &suite_;
    context_.options = &options_;
    context_.processes = dependencies_.processes;
    context_.tools = dependencies_.tools;
    context_.debuggers = dependencies_.debuggers;
    context_.launchers = dependencies_.launchers;
    context_.observer = &observer_;
    context_.cancel = &cancel_;
    context_.workspace = workspace_.get();
    context_.result = &result_;
    context_.source = source_.folder;
    context_.processors = std::max(1U, std::thread::hardware_concurrency());
    leases_ =
        std::make_unique<DeviceLeases>(dependencies_.probes, [this](std::string_view text) { observer_.Note(text); });
    context_.leases = leases_.get();
    ChoosePython();

    const std::string key = result_.suite + "\n" + suite_.digest + "\n" + source_.folder.native();
    build_ = !options_.build.empty() ? options_.build
             : workspace_->kept() == workspace_->out()
                 ? workspace_->out() / "build"
                 : workspace_->kept() / "build" / (FileNameOf(suite_.id) + "-" + ShortDigest(key));
    context_.values = {{"SOURCE", source_.folder.native()},
                       {"BUILD", build_.native()},
                       {"PYTHON", context_.python},
                       {"JOBS", std::to_string(context_.processors)}};
    RequirementContext probes;
    probes.processes = dependencies_.processes;
    probes.scripts = suite_.environment.scripts;
    probes.unset = suite_.environment.unset;
    probes.python = context_.python;
    probes.source = source_.folder;
    probes.values = context_.values;
    probes.environment = ProbeEnvironment(probes.empty);
    for (std::string& script : probes.scripts) {
      std::string error;
      script = rules::Substitute(script, context_.values, error).value_or(script);
    }
    requirements_ = std::make_unique<Requirements>(std::move(probes));
    requirements_->ExpectModules(suite_);
    foresight_ = std::make_unique<Foresight>(suite_, *requirements_);
    context_.requirements = requirements_.get();
  }

  // "python3" in a suite's shell lines is the suite's, too. Not by a link: a virtual environment knows itself by the
  // path that it is started by.
  void ChoosePython() {
    context_.python = suite_.environment.interpreter.empty() ? "python3" : suite_.environment.interpreter;
    if (context_.python.find('/') == std::string::npos) return;
    const std::filesystem::path folder = workspace_->temp() / "bin";
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    for (const char* name : {"python", "python3"}) {
      std::ofstream(folder / name) << "#!/bin/sh\nexec " << ShellQuoted(context_.python) << " \"$@\"\n";
      std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all, error);
    }
    context_.first_in_path = folder;
  }

  Environment ProbeEnvironment(std::filesystem::path& empty) {
    EnvironmentRequest request;
    request.worker = WorkerEnvironment();
    if (const auto folder = workspace_->MakeTempFolder("probe"); folder.ok()) empty = *folder;
    request.home = request.temp = empty;
    request.pass = suite_.environment.pass;
    request.secrets = options_.secrets;
    request.first_in_path = context_.first_in_path;
    std::vector<std::string> notes;
    Environment environment = BaseEnvironment(request, notes);
    for (const auto& [name, value] : suite_.environment.variables) {
      std::string error;
      if (const auto filled = rules::Substitute(value, context_.values, error); filled.has_value()) {
        environment[name] = *filled;
      }
    }
    for (const auto& [name, value] : options_.variables) environment[name] = value;
    for (const std::string& name : suite_.environment.unset) environment.erase(name);
    return environment;
  }

  // Why nothing is run at all; empty: it is.
  std::string Blocker() {
    for (const std::string& note : result_.notes) observer_.Note(note);
    const auto lock = [&](const std::filesystem::path& folder) {
      locks_.push_back(LockFolder(folder, cancel_, [this](std::string_view text) { observer_.Note(text); }));
      return locks_.back().ok();
    };
    const uint64_t wanted = suite_.limits.disk_mb * kBytesPerMiB;
    for (const std::filesystem::path& disk : {workspace_->out(), workspace_->kept(), workspace_->temp()}) {
      const uint64_t room = FreeBytes(disk);
      if (room >= wanted) continue;
      RunError(rules::FailureClass::kInfrastructure, "disk-full",
               "there are " + std::to_string(room / kBytesPerMiB) + " MiB free at " + disk.native() +
                   ", and the suite wants " + std::to_string(suite_.limits.disk_mb),
               "make room, or choose another folder for results or cache");
      return "too little free disk";
    }
    if (!lock(build_) || (source_.fetch.has_value() && !lock(source_.folder))) {
      if (cancel_.load()) return std::string(kRunCancelled);
      RunError(rules::FailureClass::kInfrastructure, "not-started", "the folder " + build_.native() + " can't be used",
               "");
      return "its folders can't be used";
    }
    const std::string& python = suite_.environment.interpreter;
    if (python.find('/') != std::string::npos && python.find("${") == std::string::npos &&
        !requirements_->HasTool(python)) {
      RunError(rules::FailureClass::kEnvironment, "missing-program",
               "a program is missing: there is no interpreter '" + python + "'",
               "Install it, or correct the interpreter in the environment of the suite.");
      return "its interpreter is missing";
    }
    // What the whole suite needs, before anything is fetched or built for it.
    for (const rules::Requirement& requirement : suite_.requirements) {
      if (!requirement.when.empty()) continue;
      // A file of the source or of the build is not there yet.
      if (requirement.kind == rules::Requirement::Kind::kFile && !requirement.name.starts_with("/")) continue;
      if (requirement.kind == rules::Requirement::Kind::kModule && MayCome(requirement.name)) continue;
      if (const auto reason = requirements_->WhyNot(requirement, {}); reason.has_value()) return *reason;
      if (requirement.kind != rules::Requirement::Kind::kDevice) continue;
      if (std::string reason = WhyNoDevice(requirement.device); !reason.empty()) return reason;
    }
    return WhyNoDevice(suite_.devices);
  }

  // What would end a build or a test after much work, before any of it: the source is there now.
  std::string Foresee() {
    const auto brings = [this](const std::string& module) { return BuildMayBring(suite_, source_.folder, module); };
    std::string blocked = ErrorOf(foresight_->MissingForTests(source_.folder, brings));
    return blocked.empty() ? ErrorOf(foresight_->MissingForBuild(source_.folder)) : blocked;
  }

  // Why nothing is built; empty: nothing is foreseen.
  std::string ErrorOf(const std::optional<ForeseenLack>& lack) {
    if (!lack.has_value()) return {};
    RunError(rules::FailureClass::kEnvironment, lack->signature,
             "the step " + lack->step + " can't go well: " + lack->because + ", and " + lack->why,
             "install it for the interpreter that the suite names, or name it in the suite's requirements");
    error_->step = lack->step;
    return error_->message;
  }

  bool MayCome(const std::string& module) const {
    // What is not fetched yet is not looked into.
    return BuildMayBring(suite_, source_.fetch.has_value() ? std::filesystem::path() : source_.folder, module);
  }

  // Whether there is any; how many must be there is a matter of the step and its cell.
  std::string WhyNoDevice(const rules::DeviceRequest& request) {
    std::string error;
    const size_t count = rules::ResolveCount(request.count, {}, error).value_or(1);
    const LeaseAnswer answer = leases_->Lease(request, count, true, cancel_);
    if (answer.state == LeaseAnswer::State::kGranted) return {};
    if (answer.state == LeaseAnswer::State::kUnknown) {
      RunError(rules::FailureClass::kInfrastructure, "device-discovery", answer.reason,
               "look at the vendor's tool on this machine; run the suite elsewhere meanwhile");
    }
    return answer.reason;
  }

  // An error of the run as a whole, whatever its layers say.
  void RunError(rules::FailureClass cls, std::string signature, std::string message, std::string advice) {
    error_ = CauseOf(cls, std::move(signature), std::move(message), std::move(advice));
  }

  // --- Source and build ---

  std::vector<rules::SuiteStep> FetchSteps() const {
    if (!source_.fetch.has_value()) return {};
    return {*source_.fetch};
  }

  // Asked once, before anything of the suite runs: a build may write what it likes into its tree. What lies around a
  // tree says something of it only where it is our own, or that of somebody at this machine.
  void ReadCommit() {
    const bool above = options_.local || (options_.source.empty() && !suite_.source.own.empty());
    result_.commit = CommitOf(source_.folder, above);
  }

  void CompareWithRunBefore() {
    if (!options_.before.has_value()) return;
    // What was changed may be what makes it pass.
    const EarlierRun& before = *options_.before;
    const bool changed = before.suite_digest != result_.suite_digest || before.commit != result_.commit ||
                         (!source_.fetch.has_value() && ChangedSince(source_.folder, before.ended));
    again_ = !changed;
    std::string note = "run again after " + before.job;
    if (!before.directory.empty()) note += ": " + before.directory + "/report.html";
    context_.Note(note + (changed ? "; sources, commit or suite were changed since" : ""));
  }

  size_t LayerCount() const {
    return suite_.layers.size() + (suite_.build.empty() ? 0 : 1) + (source_.fetch.has_value() ? 1 : 0);
  }

  // Steps that come before all layers; the first that fails ends the run. Returns why the layers are not run.
  std::string RunSteps(std::string_view id, std::string_view title, const std::vector<rules::SuiteStep>& steps) {
    if (steps.empty()) return {};
    rules::SuiteLayer layer;
    layer.id = id;
    layer.title = title;
    layer.kind = rules::LayerKind::kBuild;
    layer.steps = steps;
    observer_.LayerBegins(layer.id, ++layer_number_, LayerCount());
    const auto began = std::chrono::steady_clock::now();
    std::vector<StepResult> results;
    std::string blocked;
    for (const rules::SuiteStep& step : layer.steps) {
      for (const StepCell& cell : CellsOf(suite_, step, nullptr, id)) {
        results.push_back(director_.Run(cell));
        const StepResult& result = results.back();
        if (result.verdict == Verdict::kPassed || result.verdict == Verdict::kFlaky) continue;
        blocked = result.verdict == Verdict::kNotRun
                      ? result.reason
                      : "the step " + result.name + " ended as " + std::string(VerdictName(result.verdict));
        break;
      }
      if (!blocked.empty()) break;
    }
    EndLayer(layer, std::move(results), {}, began);
    return blocked;
  }

  // What an earlier run left must not be why a build fails.
  std::string Build() {
    std::error_code error;
    const bool goes_on = !options_.build.empty() && !std::filesystem::is_empty(build_, error) && !error;
    const size_t layers = result_.layers.size();
    const size_t steps = result_.steps.size();
    std::string blocked = RunSteps(kBuildLayer, "Build", suite_.build);
    if (blocked.empty() || !goes_on || cancel_.load() || !context_.ended.empty()) return blocked;
    context_.Note("the build in the folder of an earlier run did not pass: it is begun again from nothing");
    result_.layers.erase(result_.layers.begin() + static_cast<ptrdiff_t>(layers), result_.layers.end());
    result_.steps.erase(result_.steps.begin() + static_cast<ptrdiff_t>(steps), result_.steps.end());
    --layer_number_;
    for (std::filesystem::directory_iterator entry(build_, error), end; !error && entry != end;
         entry.increment(error)) {
      RemoveFolder(entry->path());
    }
    return RunSteps(kBuildLayer, "Build", suite_.build);
  }

  // --- Layers ---

  bool IsNamed(const std::string& layer) const { return absl::c_linear_search(options_.layers, layer); }

  // Steps that were chosen are there.
  absl::Status CheckSteps() const {
    if (options_.steps.empty()) return absl::OkStatus();
    std::vector<std::string> known;
    for (const rules::SuiteLayer& layer : suite_.layers) {
      if (!IsNamed(layer.id)) continue;
      for (const rules::SuiteStep& step : layer.steps) {
        for (const StepCell& cell : CellsOf(suite_, step, &layer, layer.id)) known.push_back(cell.name);
      }
    }
    for (const StepChoice& choice : options_.steps) {
      if (!absl::c_linear_search(known, choice.step)) return rules::StepUnknown(choice.step, known);
    }
    return absl::OkStatus();
  }

  // The step as it is run; nothing: it is left out. What a chosen layer comes after is run as a whole.
  std::optional<StepCell> Chosen(const StepCell& cell) {
    if (options_.steps.empty() || !IsNamed(cell.layer_id)) return cell;
    const auto choice = absl::c_find_if(options_.steps, [&](const StepChoice& one) { return one.step == cell.name; });
    if (choice == options_.steps.end()) return std::nullopt;
    StepCell chosen = cell;
    narrowed_.push_back(*cell.step);
    ChooseTests(choice->tests, narrowed_.back());
    chosen.step = &narrowed_.back();
    return chosen;
  }

  // Why a layer is not run for the sake of those before it; empty: it is.
  std::string WhyBlocked(const rules::SuiteLayer& layer) const {
    for (const std::string& id : layer.after) {
      const auto before = layers_.find(id);
      if (before == layers_.end()) continue;
      const LayerState& state = before->second;
      if (state.verdict == Verdict::kPassed || state.verdict == Verdict::kFlaky) continue;
      if (state.verdict == Verdict::kNotRun) {
        // For want of a device or a tool: others need not have it.
        if (!state.blocked && !state.required) continue;
        return "the layer " + id + " was not run";
      }
      if (!options_.keep_going) return "the layer " + id + " ended as " + std::string(VerdictName(state.verdict));
    }
    return {};
  }

  void RunLayer(const rules::SuiteLayer& layer, const std::string& blocked) {
    observer_.LayerBegins(layer.id, ++layer_number_, LayerCount());
    const auto began = std::chrono::steady_clock::now();
    LayerState& state = layers_[layer.id];
    state.required = layer.required;
    std::string reason = blocked;
    if (reason.empty()) reason = context_.ended;
    if (reason.empty()) reason = WhyBlocked(layer);
    state.blocked = !reason.empty();
    if (reason.empty()) reason = WhyNotHere(layer);

    std::vector<StepResult> results;
    if (reason.empty()) {
      for (const rules::SuiteStep& step : layer.steps) {
        for (const StepCell& cell : CellsOf(suite_, step, &layer, layer.id)) {
          const std::optional<StepCell> chosen = Chosen(cell);
          if (!chosen.has_value()) continue;
          results.push_back(director_.Run(*chosen));
          if (again_) MarkAfterFailure(*options_.before, results.back(), result_.tests);
        }
      }
    }
    state.verdict = EndLayer(layer, std::move(results), reason, began);
  }

  // What the layer needs in every cell.
  std::string WhyNotHere(const rules::SuiteLayer& layer) {
    for (const rules::Requirement& requirement : layer.requirements) {
      if (!requirement.when.empty()) continue;
      if (const auto reason = requirements_->WhyNot(requirement, {}); reason.has_value()) return *reason;
      if (requirement.kind != rules::Requirement::Kind::kDevice) continue;
      const LeaseAnswer answer = leases_->Lease(requirement.device, 1, true, cancel_);
      // One that can't be asked about is an error, which the steps say.
      if (answer.state == LeaseAnswer::State::kAbsent) return answer.reason;
    }
    return {};
  }

  Verdict EndLayer(const rules::SuiteLayer& layer, std::vector<StepResult> results, std::string_view reason,
                   std::chrono::steady_clock::time_point began) {
    std::vector<const StepResult*> steps;
    steps.reserve(results.size());
    for (const StepResult& step : results) steps.push_back(&step);
    std::vector<const TestResult*> tests;
    for (const TestResult& test : result_.tests) {
      if (test.layer == layer.id) tests.push_back(&test);
    }
    LayerResult judged = JudgeLayer(layer, steps, tests, reason);
    judged.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    absl::c_move(results, std::back_inserter(result_.steps));
    observer_.LayerEnds(judged);
    result_.layers.push_back(judged);
    return judged.verdict;
  }

  // --- After ---

  RunResult Finish(const std::string& blocked) {
    if (!result_.steps.empty() && !*context_.cancel) requirements_->NoteToolchain();
    // Only when a suite's own program asks for modules is Python started for its version.
    result_.versions = requirements_->versions();
    result_.devices = leases_->used();
    const bool can_be_installed = absl::c_any_of(
        suite_.install.brings, [&](const std::string& name) { return requirements_->missing().contains(name); });
    if (can_be_installed) context_.Note("to install what is missing here: " + suite_.install.by);
    JudgeRun(suite_, result_);
    NoteWhatWasComposed();
    if (error_.has_value()) {
      result_.verdict = Verdict::kError;
      result_.reason = error_->message;
      result_.cause = std::move(error_);
    }
    // Steps that were never begun say nothing of it.
    if (cancel_.load() && (context_.ended == kRunCancelled || blocked == kRunCancelled)) {
      result_.verdict = Verdict::kCancelled;
      result_.reason = kRunCancelled;
    }
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - context_.began).count();
    std::error_code ignored;
    std::filesystem::remove(build_, ignored);  // if nothing was built
    return std::move(result_);
  }

  // What tests did in place of what a backend lacks, each once: a pass says less then, and the result says so.
  void NoteWhatWasComposed() {
    constexpr size_t kMostNotes = 20;
    std::map<std::string, size_t> composed;
    for (const TestResult& test : result_.tests) {
      if (test.verdict == Verdict::kPassed && test.message.rfind("composed: ", 0) == 0) ++composed[test.message];
    }
    size_t left = kMostNotes;
    for (const auto& [what, tests] : composed) {
      if (left-- == 0) break;
      result_.notes.push_back(what + " (" + std::to_string(tests) + (tests == 1 ? " test)" : " tests)"));
    }
  }

  struct LayerState {
    Verdict verdict = Verdict::kNotRun;
    bool blocked = false;
    bool required = false;
  };

  const rules::SuiteSet& set_;
  const RunOptions& options_;
  const RunDependencies& dependencies_;
  RunObserver& observer_;
  const std::atomic<bool>& cancel_;
  const rules::SuiteModel& whole_;
  rules::SuiteModel suite_;
  std::deque<rules::SuiteStep> narrowed_;  // steps of suite_, with some of their tests
  RunResult result_;
  std::unique_ptr<Workspace> workspace_;
  SourcePlan source_;
  std::filesystem::path build_;
  std::vector<UniqueFd> locks_;
  std::unique_ptr<DeviceLeases> leases_;
  std::unique_ptr<Requirements> requirements_;
  std::unique_ptr<Foresight> foresight_;
  SuiteContext context_;
  StepDirector director_;
  std::map<std::string, LayerState> layers_;
  std::optional<Cause> error_;
  bool again_ = false;  // with nothing changed since the run before
  size_t layer_number_ = 0;
};

}  // namespace

std::string NewJob(const Clock& clock) {
  constexpr size_t kLetters = 4;
  return TimeText(clock.Now(), "%Y%m%d-%H%M%S-") + NewId("").substr(0, kLetters);
}

absl::StatusOr<RunResult> RunSuite(const rules::SuiteSet& set, const rules::SuiteModel& suite,
                                   const RunOptions& options, const RunDependencies& dependencies,
                                   RunObserver& observer, const std::atomic<bool>& cancel) {
  return SuiteRun(set, suite, options, dependencies, observer, cancel).Run();
}

}  // namespace yardmaster::worker
