#include "services/worker/run/step_director.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/limits.h"
#include "services/worker/launch/environment.h"
#include "services/worker/process/ports.h"
#include "services/worker/run/evidence.h"

namespace yardmaster::worker {
namespace {

// Pause before a source is fetched once more.
constexpr std::chrono::seconds kFetchPause{2};
// HCCL listens on so many ports from its base port up.
constexpr size_t kHcclPorts = 16;
constexpr std::string_view kPortPlaceholder = "${PORT}";
constexpr const char* kCudaCompiler = "nvcc";

bool IsTest(const StepCell& cell) { return cell.layer_id != kBuildLayer && cell.layer_id != kFetchLayer; }

bool Mentions(const rules::Variables& variables, std::string_view text) {
  return absl::c_any_of(variables, [&](const auto& entry) { return entry.second.find(text) != std::string::npos; });
}

bool NeedsPort(const rules::SuiteModel& suite, const rules::SuiteStep& step) {
  if (step.launcher.has_ranks()) return true;
  return step.command.shell.find(kPortPlaceholder) != std::string::npos ||
         absl::c_any_of(step.command.words,
                        [](const std::string& word) { return word.find(kPortPlaceholder) != std::string::npos; }) ||
         Mentions(step.variables, kPortPlaceholder) || Mentions(suite.environment.variables, kPortPlaceholder);
}

// How programs count the devices that they are shown: "0,1".
std::string Renumbered(size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) absl::StrAppend(&out, i == 0 ? "" : ",", i);
  return out;
}

}  // namespace

StepResult StepDirector::Run(const StepCell& cell) {
  if (context_.ended.empty() && context_.cancel->load()) context_.ended = kRunCancelled;
  if (!context_.ended.empty()) {
    StepResult result = NotRunStep(cell, context_.ended);
    context_.observer->StepEnds(result);
    return result;
  }
  Needs needs = Prepare(cell);
  if (needs.instead.has_value()) {
    context_.observer->StepEnds(*needs.instead);
    return *std::move(needs.instead);
  }
  context_.observer->StepBegins(cell.layer_id, cell.name);
  StepJudgement judgement = Try(cell, needs, 1);
  std::string recipe;
  if (MayTryAgain(judgement, recipe)) {
    StepJudgement second = Try(cell, needs, 2);
    second.result.recipe = recipe;
    second.result = MergeAttempts(judgement.result, second.result);
    judgement = std::move(second);
  }
  for (size_t again = 0; again < cell.step->retries && MayRetry(cell, judgement); ++again) {
    context_.Note(judgement.result.name + ": " + std::string(VerdictName(judgement.result.verdict)) +
                  "; the suite asks for another attempt");
    StepJudgement next = Try(cell, needs, judgement.result.attempts + 1);
    next.result = MergeAttempts(judgement.result, next.result);
    MarkFlaky(judgement.tests, next.tests);
    judgement = std::move(next);
  }
  for (const std::string& note : judgement.notes) context_.Note(note);
  if (judgement.device_lost) context_.ended = kDeviceLost;
  if (context_.cancel->load()) context_.ended = kRunCancelled;
  context_.observer->TestsEnd(judgement.tests);
  RunResult& run = *context_.result;
  absl::c_move(judgement.tests, std::back_inserter(run.tests));
  absl::c_move(judgement.tensors, std::back_inserter(run.tensors));
  absl::c_move(judgement.numbers, std::back_inserter(run.numbers));
  context_.observer->StepEnds(judgement.result);
  return std::move(judgement.result);
}

// All that is asked for in this cell: of a build step only its own, of others also the suite's and the layer's.
std::vector<const rules::Requirement*> StepDirector::RequirementsOf(const StepCell& cell) const {
  std::vector<const rules::Requirement*> all;
  const auto add = [&](const std::vector<rules::Requirement>& list) {
    for (const rules::Requirement& requirement : list) {
      if (rules::CellHas(cell.cell, requirement.when)) all.push_back(&requirement);
    }
  };
  if (IsTest(cell)) {
    add(context_.suite->requirements);
    add(cell.layer->requirements);
  }
  add(cell.step->requirements);
  return all;
}

StepDirector::Needs StepDirector::Prepare(const StepCell& cell) {
  Needs needs;
  for (const rules::Requirement* requirement : RequirementsOf(cell)) {
    if (const auto reason = context_.requirements->WhyNot(*requirement, cell.cell); reason.has_value()) {
      needs.instead = NotRunStep(cell, *reason);
      return needs;
    }
  }
  if (!IsTest(cell)) return needs;
  std::string error;
  const std::optional<size_t> ranks = rules::ResolveCount(cell.step->launcher.world_size, cell.cell, error);
  if (!ranks.has_value()) {
    needs.instead = ErrorStep(cell, rules::FailureClass::kEnvironment, "manifest",
                              "the world size is unclear: " + error, "fix the suite");
    return needs;
  }
  needs.world_size = *ranks;
  if (LeaseDevices(cell, needs)) CheckToolkit(cell, needs);
  return needs;
}

// All devices that the suite, the layer and the step ask for in this cell. False: `needs.instead` says why not.
bool StepDirector::LeaseDevices(const StepCell& cell, Needs& needs) {
  std::vector<const rules::DeviceRequest*> requests = {&context_.suite->devices};
  for (const rules::Requirement* requirement : RequirementsOf(cell)) {
    if (requirement->kind == rules::Requirement::Kind::kDevice) requests.push_back(&requirement->device);
  }
  std::vector<std::pair<size_t, const rules::DeviceRequest*>> counted;
  for (const rules::DeviceRequest* request : requests) {
    std::string error;
    const std::optional<size_t> count = rules::ResolveCount(request->count, cell.cell, error);
    if (!count.has_value()) {
      needs.instead = ErrorStep(cell, rules::FailureClass::kEnvironment, "manifest",
                                "the number of devices is unclear: " + error, "fix the suite");
      return false;
    }
    counted.emplace_back(*count, request);
  }
  // The most first: a lease that grows may have to give back what it had.
  absl::c_stable_sort(counted, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [count, request] : counted) {
    const bool shared = cell.step->launcher.oversubscribe;
    const LeaseAnswer answer = context_.leases->Lease(*request, count, shared, *context_.cancel);
    if (answer.state == LeaseAnswer::State::kAbsent) {
      needs.instead = NotRunStep(cell, answer.reason);
      return false;
    }
    if (answer.state == LeaseAnswer::State::kUnknown) {
      needs.instead = ErrorStep(cell, rules::FailureClass::kInfrastructure, "device-discovery", answer.reason,
                                "look at the vendor's tool on this machine; run the suite elsewhere meanwhile");
      return false;
    }
    if (request->kind == rules::DeviceKind::kCpu) continue;
    for (const Device& device : answer.devices) {
      const bool known = absl::c_any_of(needs.devices, [&](const Device& other) { return other.id == device.id; });
      if (!known) needs.devices.push_back(device);
    }
  }
  SortDevices(needs.devices);
  return true;
}

// Programs of a toolkit that is newer than the driver fail in ways that look like the code's fault. Where the suite
// does not ask for the toolkit, its programs may well have brought a CUDA of their own: then it is only said.
bool StepDirector::CheckToolkit(const StepCell& cell, Needs& needs) {
  const auto asks = [](const rules::Requirement& requirement) {
    return requirement.kind == rules::Requirement::Kind::kTool && requirement.name == kCudaCompiler;
  };
  const bool asked =
      absl::c_any_of(RequirementsOf(cell), [&](const rules::Requirement* requirement) { return asks(*requirement); }) ||
      absl::c_any_of(context_.suite->build,
                     [&](const rules::SuiteStep& step) { return absl::c_any_of(step.requirements, asks); });
  for (const Device& device : needs.devices) {
    if (device.kind != rules::DeviceKind::kGpu || !context_.requirements->HasTool(kCudaCompiler)) continue;
    const std::optional<std::string> problem = DriverTooOld(device, context_.requirements->ToolVersion(kCudaCompiler));
    if (!problem.has_value()) continue;
    if (!asked) {
      context_.Note(*problem);
      continue;
    }
    needs.instead = ErrorStep(cell, rules::FailureClass::kEnvironment, "driver-too-old", *problem,
                              "install a newer driver, or build with an older toolkit");
    return false;
  }
  return true;
}

absl::StatusOr<LaunchPlan> StepDirector::Plan(const StepCell& cell, const Needs& needs,
                                              const std::filesystem::path& folder, const std::filesystem::path& temp,
                                              const std::string& port) {
  const rules::EnvironmentModel& model = context_.suite->environment;
  EnvironmentRequest request;
  request.worker = WorkerEnvironment();
  request.home = temp / "home";
  request.temp = temp / "tmp";
  request.pass = model.pass;
  request.secrets = context_.options->secrets;
  request.visible_devices = VisibleDeviceVariables(needs.devices);
  request.first_in_path = context_.first_in_path;
  if (cell.layer_id == kFetchLayer) {
    for (const char* name : {"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
                             "SSL_CERT_FILE", "GIT_SSL_CAINFO"}) {
      request.pass.emplace_back(name);
    }
  }

  LaunchRequest launch;
  launch.step = cell.step;
  launch.launchers = context_.launchers;
  launch.world_size = needs.world_size;
  launch.shard = cell.shard;
  launch.values = context_.values;
  rules::AddCellValues(cell.cell, launch.values);
  launch.build = !IsTest(cell);
  if (!launch.build) {
    launch.values["PORT"] = port;
    launch.values["DEVICES"] = Renumbered(std::max<size_t>(1, needs.devices.size()));
  }
  std::vector<std::string> notes;
  launch.environment = BaseEnvironment(request, notes);
  std::vector<std::string> held_back;
  launch.overrides = WithoutSecrets({context_.options->variables.begin(), context_.options->variables.end()},
                                    request.secrets, held_back);
  for (const std::string& name : held_back) notes.push_back("the variable " + name + " was not set: it holds a secret");
  for (const std::string& note : notes) context_.Note(note);
  launch.variables = model.variables;
  launch.variables.insert(launch.variables.end(), context_.applied.variables.begin(), context_.applied.variables.end());
  launch.scripts = model.scripts;
  launch.scripts.insert(launch.scripts.end(), context_.applied.scripts.begin(), context_.applied.scripts.end());
  launch.unset = model.unset;
  launch.unset.insert(launch.unset.end(), context_.applied.unset.begin(), context_.applied.unset.end());
  // Fetching is ours: nothing of the suite takes part in it.
  if (cell.layer_id == kFetchLayer) {
    launch.variables.clear();
    launch.scripts.clear();
    launch.unset.clear();
    launch.overrides.clear();
  }
  launch.source = context_.source;
  launch.folder = folder;
  launch.control = temp / "ranks";
  launch.processors = context_.processors;
  return PlanLaunch(launch);
}

StepJudgement StepDirector::Try(const StepCell& cell, const Needs& needs, int number) {
  const auto unable = [&](const absl::Status& status) {
    StepJudgement judgement;
    judgement.result =
        ErrorStep(cell, rules::FailureClass::kInfrastructure, "not-started", std::string(status.message()), "");
    return judgement;
  };
  const std::filesystem::path& out = context_.workspace->out();
  const absl::StatusOr<std::filesystem::path> folder =
      context_.workspace->MakeStepFolder(number == 1 ? cell.name : absl::StrCat(cell.name, "-attempt-", number));
  if (!folder.ok()) return unable(folder.status());
  const absl::StatusOr<std::filesystem::path> temp = context_.workspace->MakeTempFolder("s");
  if (!temp.ok()) return unable(temp.status());
  std::error_code error;
  for (const char* name : {"home", "tmp", "ranks"}) std::filesystem::create_directory(*temp / name, error);

  // Ports, until the step has ended.
  std::unique_ptr<PortLease> ports;
  std::unique_ptr<PortLease> hccl_ports;
  std::string port = "0";
  if (IsTest(cell) && NeedsPort(*context_.suite, *cell.step)) {
    absl::StatusOr<std::unique_ptr<PortLease>> taken = PortLease::Take({});
    if (!taken.ok()) return unable(taken.status());
    ports = *std::move(taken);
    port = std::to_string(ports->ports().front());
  }
  absl::StatusOr<LaunchPlan> plan = Plan(cell, needs, *folder, *temp, port);
  if (!plan.ok()) return unable(plan.status());
  const bool npus =
      absl::c_any_of(needs.devices, [](const Device& device) { return device.kind == rules::DeviceKind::kNpu; });
  if (npus) {
    PortRequest request;
    request.count = kHcclPorts;
    request.consecutive = true;
    absl::StatusOr<std::unique_ptr<PortLease>> taken = PortLease::Take(request);
    if (!taken.ok()) return unable(taken.status());
    hccl_ports = *std::move(taken);
    constexpr std::string_view kVariable = "HCCL_IF_BASE_PORT=";
    for (PlannedProcess& process : plan->processes) {
      std::vector<std::string>& lines = process.spec.environment;
      const bool given = absl::c_any_of(lines, [&](const std::string& line) { return line.starts_with(kVariable); });
      if (!given) lines.push_back(absl::StrCat(std::string(kVariable), hccl_ports->ports().front()));
    }
  }

  StepRequest request;
  request.step = cell.step;
  request.name = cell.name;
  request.layer = cell.layer_id;
  request.plan = *plan;
  request.log = *folder / "log";
  request.control = *temp / "ranks";
  request.disks = {out, context_.workspace->temp(), context_.workspace->kept()};
  const rules::LimitsModel& limits = context_.suite->limits;
  request.timeout = cell.step->timeout.value_or(IsTest(cell) ? limits.step : limits.build);
  // A compiler may well be quiet.
  if (IsTest(cell)) request.silence = limits.silence;
  request.grace = limits.grace;
  request.memory_bytes =
      LeastLimit(cell.step->memory_mb.value_or(limits.memory_mb), context_.options->memory_mb) * kBytesPerMiB;
  request.secrets = context_.options->secrets;
  if (!needs.devices.empty()) request.device_signatures = context_.signatures.get();
  request.source = context_.source;
  request.tools = context_.tools;
  request.debuggers = context_.debuggers;
  request.run_began = context_.began;

  const int64_t begin = context_.Micros();
  StepOutcome outcome = RunStep(request, *context_.processes, *context_.observer, *context_.cancel);
  const bool disk_full = outcome.evidence.stopped == Stopped::kDiskFull || outcome.evidence.log_lost;
  if (disk_full) {
    context_.workspace->FreeReserve();
    context_.ended = kDiskFull;
  }
  if (IsTest(cell)) GatherEvidence(*cell.step, plan->places, outcome);
  outcome.evidence.log_path = request.log.lexically_relative(out).native();
  ProbeDevices(needs, outcome.evidence);
  if (outcome.evidence.oom_kills > 0) {
    context_.Note(absl::StrCat(cell.name, ": the limit of ", request.memory_bytes / kBytesPerMiB,
                               " MiB of memory was reached (peak ", outcome.peak_memory_bytes / kBytesPerMiB, " MiB)"));
  }
  for (const std::string& note : outcome.notes) context_.Note(note);

  StepJudgement judgement = JudgeStep(outcome.evidence, *context_.signatures, context_.recipes);
  StepResult& result = judgement.result;
  result.id = cell.step->id;
  result.cell = rules::CellText(cell.cell);
  result.name = cell.name;
  result.layer = cell.layer_id;
  result.begin_micros = begin;
  result.end_micros = context_.Micros();
  result.log = outcome.log == nullptr ? std::string() : outcome.evidence.log_path;
  if (IsTest(cell)) {
    result.artifacts = KeepArtifacts(*cell.step, plan->places, judgement.tensors, out);
    std::filesystem::remove(*folder / "ranks", error);
  }
  outcome.log.reset();
  if (!RemoveFolder(*temp)) context_.Note("could not remove all of " + temp->native());
  return judgement;
}

// Right after a step that did not end well, while it is still clear whose doing it was.
void StepDirector::ProbeDevices(const Needs& needs, StepEvidence& evidence) {
  const bool well = evidence.start_error.ok() && evidence.stopped == Stopped::kNot &&
                    absl::c_all_of(evidence.ranks, [](const RankEvidence& rank) {
                      return rank.exit.has_value() && rank.exit->code == 0;
                    });
  if (well) return;
  for (const Device& device : needs.devices) {
    DeviceProbe* probe = context_.leases->ProbeOf(device.kind);
    std::string reason;
    if (probe == nullptr) continue;
    if (DeviceStillUsable(*probe, device, reason)) {
      if (!reason.empty()) context_.Note(reason);
      continue;
    }
    evidence.device_bad_after = true;
    evidence.device_reason = reason;
    return;
  }
}

// Once, and only for what is not the code's fault: with other ports, with what a recipe fixes, or, for a source that
// did not come over the line, after a pause.
bool StepDirector::MayRetry(const StepCell& cell, const StepJudgement& last) const {
  const Verdict verdict = last.result.verdict;
  return IsTest(cell) && (verdict == Verdict::kFailed || verdict == Verdict::kTimedOut) && !last.device_lost &&
         !context_.cancel->load() && context_.ended.empty();
}

bool StepDirector::MayTryAgain(const StepJudgement& first, std::string& recipe) {
  const StepResult& result = first.result;
  if (result.verdict != Verdict::kError || context_.cancel->load() || !context_.ended.empty()) return false;
  if (result.layer == kFetchLayer) {
    if (result.cause.has_value() && result.cause->cls == rules::FailureClass::kCode) return false;
    context_.Note("fetching the source failed; trying once more");
    const auto until = std::chrono::steady_clock::now() + kFetchPause;
    while (!context_.cancel->load() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return !context_.cancel->load();
  }
  if (!result.cause.has_value() || result.cause->cls != rules::FailureClass::kEnvironment) return false;
  if (const rules::RecoveryRecipe* remedy = first.recipe; remedy != nullptr) {
    if (!context_.applied.ids.insert(remedy->id).second) return false;
    recipe = remedy->id;
    context_.Note(result.name + ": " + remedy->title + "; trying once more");
    return Apply(*remedy);
  }
  if (result.cause->signature != kPortTaken) return false;
  context_.Note(result.name + ": a port was taken; trying once more with another");
  return true;
}

bool StepDirector::Apply(const rules::RecoveryRecipe& recipe) {
  AppliedRecipes& applied = context_.applied;
  applied.variables.insert(applied.variables.end(), recipe.variables.begin(), recipe.variables.end());
  applied.unset.insert(applied.unset.end(), recipe.unset.begin(), recipe.unset.end());
  applied.scripts.insert(applied.scripts.end(), recipe.scripts.begin(), recipe.scripts.end());
  for (const rules::CommandLine& command : recipe.commands) {
    rules::SuiteStep step;
    step.id = "recipe-" + recipe.id;
    step.command = command;
    StepCell cell;
    cell.step = &step;
    cell.layer_id = kBuildLayer;
    cell.name = step.id;
    const StepResult result = Try(cell, {}, 1).result;
    context_.result->steps.push_back(result);
    if (result.verdict != Verdict::kPassed) {
      context_.Note("the recipe " + recipe.id + " did not work: " + result.reason);
      return false;
    }
  }
  return true;
}

}  // namespace yardmaster::worker
