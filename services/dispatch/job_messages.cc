#include "services/dispatch/job_messages.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/suites/versions.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/repository_name.h"
#include "services/core/sha256.h"
#include "services/core/status_macros.h"
#include "services/dispatch/errors.h"
#include "services/dispatch/part_files.h"
#include "services/dispatch/queue/states.h"
#include "services/dispatch/runner_state.h"

namespace yardmaster::dispatch {
namespace {

constexpr size_t kMaxPlainNameBytes = 128;
constexpr uint32_t kMaxDemandCount = 4096;

bool IsKind(std::string_view kind) { return kind == "cpu" || kind == "gpu" || kind == "npu"; }

absl::Status CheckTexts(std::string_view field, const google::protobuf::RepeatedPtrField<std::string>& texts,
                        size_t most = kMaxSpecTexts) {
  if (static_cast<size_t>(texts.size()) > most) {
    return errors::OverLimit(field, static_cast<size_t>(texts.size()), most, "texts");
  }
  for (const std::string& text : texts) {
    if (text.empty()) return errors::FieldInvalid(field, "texts that are not empty");
    if (text.size() > kMaxSpecTextBytes) return errors::OverLimit(field, text.size(), kMaxSpecTextBytes, "bytes");
  }
  return absl::OkStatus();
}

absl::Status CheckSteps(const v1::JobSpec& spec) {
  size_t texts = 0;
  for (const v1::StepChoice& choice : spec.steps()) {
    if (choice.step().empty()) return errors::FieldMissing("spec.steps.step");
    RETURN_IF_ERROR(CheckTexts("spec.steps.tests", choice.tests(), kMaxSpecTests));
    texts += 1 + static_cast<size_t>(choice.tests_size());
  }
  if (texts > kMaxSpecTests) return errors::OverLimit("spec.steps", texts, kMaxSpecTests, "steps and tests");
  return absl::OkStatus();
}

google::protobuf::Timestamp TimestampOf(WallTime time) {
  return google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
}

std::vector<std::string> TextsOf(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

RunPhase PhaseOf(v1::WorkerRun::Phase phase) {
  if (phase == v1::WorkerRun::PHASE_RUNNING) return RunPhase::kRunning;
  if (phase == v1::WorkerRun::PHASE_FINISHING) return RunPhase::kFinishing;
  return RunPhase::kPreparing;
}

template <typename Message>
std::string JsonText(const Message& message) {
  std::string text;
  // Texts of messages are UTF-8, which is all that could fail.
  if (!google::protobuf::util::MessageToJsonString(message, &text).ok()) text.clear();
  return text;
}

template <typename Message>
Message OfJsonText(const std::string& text) {
  Message message;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of a newer version
  // Our own text: what can't be read of it is left out.
  if (!text.empty() && !google::protobuf::util::JsonStringToMessage(text, &message, options).ok()) message.Clear();
  return message;
}

}  // namespace

bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxPlainNameBytes && name.front() != '.' && absl::c_all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
  });
}

std::string JobIdFor(std::string_view whose, std::string_view what) {
  constexpr size_t kDigits = 24;
  return absl::StrCat("j-", Sha256Hex(absl::StrCat(Abs(whose), "\n", Abs(what))).substr(0, kDigits));
}

absl::Status CheckSpec(const v1::JobSpec& spec) {
  if (spec.suite().empty()) return errors::FieldMissing("spec.suite");
  for (const std::string* text : {&spec.suite(), &spec.repository(), &spec.ref()}) {
    if (text->size() > kMaxSpecTextBytes) {
      return errors::OverLimit("a text of the specification", text->size(), kMaxSpecTextBytes, "bytes");
    }
  }
  if (!spec.source_digest().empty() && !IsDigest(spec.source_digest())) {
    return errors::FieldInvalid("spec.source_digest", "64 lower-case hex digits");
  }
  if (!spec.source_digest().empty() && !spec.repository().empty()) {
    return errors::FieldInvalid("spec.source_digest", "a repository or an uploaded tree, not both");
  }
  if (!spec.repository().empty()) {
    const size_t colon = spec.repository().find(':');
    if (colon == std::string::npos || !IsRepositoryName(spec.repository().substr(colon + 1))) {
      return errors::FieldInvalid("spec.repository", "forge:owner/name");
    }
  }
  if (!spec.priority().empty() && !PriorityFromName(spec.priority()).has_value()) {
    return errors::FieldInvalid("spec.priority", "\"low\", \"normal\" or \"high\"");
  }
  RETURN_IF_ERROR(CheckTexts("spec.labels", spec.labels()));
  RETURN_IF_ERROR(CheckTexts("spec.layers", spec.layers()));
  RETURN_IF_ERROR(CheckTexts("spec.select", spec.select()));
  RETURN_IF_ERROR(CheckTexts("spec.variables", spec.variables()));
  for (const std::string& variable : spec.variables()) {
    const size_t equals = variable.find('=');
    if (equals == 0 || equals == std::string::npos) return errors::FieldInvalid("spec.variables", "NAME=value");
  }
  RETURN_IF_ERROR(CheckSteps(spec));
  RETURN_IF_ERROR(CheckTexts("spec.devices.capability", spec.devices().capability()));
  for (const std::string& condition : spec.devices().capability()) {
    if (!rules::IsVersionCondition(condition)) {
      return errors::FieldInvalid("spec.devices.capability", "conditions like \">=8.0\"");
    }
  }
  return CheckTexts("spec.devices.models", spec.devices().models());
}

std::string RequestOf(const v1::JobSpec& spec) { return JsonText(spec); }
v1::JobSpec SpecOf(const Job& job) { return OfJsonText<v1::JobSpec>(job.request); }

absl::StatusOr<Demand> DemandFor(Demand suite, const v1::JobSpec& spec) {
  Demand demand = std::move(suite);
  const v1::DeviceDemand& devices = spec.devices();
  if (!devices.kind().empty()) {
    if (!IsKind(devices.kind())) return errors::FieldInvalid("spec.devices.kind", "\"cpu\", \"gpu\" or \"npu\"");
    // What the suite says of models is about its own kind.
    if (devices.kind() != demand.kind) {
      demand.models.clear();
      demand.capability.clear();
    }
    demand.kind = devices.kind();
  }
  if (devices.models_size() > 0) demand.models = TextsOf(devices.models());
  if (devices.count() > kMaxDemandCount) {
    return errors::OverLimit("spec.devices.count", devices.count(), kMaxDemandCount, "devices");
  }
  if (devices.count() > 0) demand.count = devices.count();
  if (devices.memory_mib() > 0) demand.memory_mib = devices.memory_mib();
  if (devices.capability_size() > 0) demand.capability = TextsOf(devices.capability());
  if (demand.kind != "gpu" && !demand.capability.empty()) {
    return errors::FieldInvalid("spec.devices.capability", "a demand for GPUs: nothing else has a compute capability");
  }
  demand.same_group = demand.same_group || devices.same_group();
  demand.labels = TextsOf(spec.labels());
  if (!spec.pool().empty()) demand.pool = spec.pool();
  return demand;
}

v1::SuiteJob JobMessage(const Job& job, WallTime now, const std::string& progress) {
  v1::SuiteJob out = OfJsonText<v1::SuiteJob>(job.result);  // its artifacts
  out.set_job(job.id);
  *out.mutable_spec() = SpecOf(job);
  out.mutable_spec()->clear_told();  // who asked for it in chat is nobody's matter
  // Where the tree is of that was kept for it.
  if (out.spec().repository().empty()) out.mutable_spec()->set_repository(job.repository);
  out.set_state(std::string(StateName(job.state)));
  out.set_verdict(std::string(VerdictName(job.verdict)));
  out.set_attempt(job.attempt);
  out.set_runner(job.last_runner);
  const bool started = job.started_at != WallTime();
  const WallTime until = started ? job.started_at : job.state == JobState::kEnded ? job.ended_at : now;
  out.set_queued_seconds(std::max(0.0, std::chrono::duration<double>(until - job.queued_at).count()));
  out.mutable_cause()->set_class_name(job.cause.class_name);
  out.mutable_cause()->set_text(job.cause.text);
  for (const std::string& note : job.notes) out.add_notes(note);
  out.set_submitter(job.submitter);
  *out.mutable_submitted_at() = TimestampOf(job.queued_at);
  if (started) *out.mutable_started_at() = TimestampOf(job.started_at);
  if (job.state == JobState::kEnded) *out.mutable_ended_at() = TimestampOf(job.ended_at);
  out.set_cancel_requested(job.cancel_requested && job.state != JobState::kEnded);
  if (!progress.empty() && !out.mutable_progress()->ParseFromString(progress)) out.clear_progress();
  out.set_answered_by(job.answered_by);
  out.set_expected_seconds(static_cast<uint64_t>(job.expected.count()));
  out.set_commit(job.commit);
  return out;
}

std::vector<v1::Artifact> ArtifactsOf(const Job& job) {
  const v1::SuiteJob kept = OfJsonText<v1::SuiteJob>(job.result);
  return {kept.artifacts().begin(), kept.artifacts().end()};
}

std::string StatementOf(const Job& job, const v1::SuiteJob& message) {
  nlohmann::ordered_json artifacts = nlohmann::ordered_json::object();
  for (const v1::Artifact& artifact : message.artifacts()) artifacts[artifact.path()] = artifact.digest();
  nlohmann::ordered_json statement = {{"version", 1}, {"job", job.id}, {"suite", message.spec().suite()}};
  if (message.spec().has_shard()) {
    const v1::JobShard& shard = message.spec().shard();
    statement["shard"] = {{"index", shard.index()}, {"count", shard.count()}, {"group", shard.group()}};
  }
  // Only what the server knows by itself is said without reserve.
  if (!job.commit.empty()) {
    statement["commit"] = job.commit;
  } else if (!message.spec().source_digest().empty() && !message.spec().ref().empty()) {
    statement["claimed_commit"] = message.spec().ref();
  }
  const nlohmann::ordered_json rest = {{"source_digest", message.spec().source_digest()},
                                       {"verdict", message.verdict()},
                                       {"attempt", job.attempt},
                                       {"lease", job.fence},
                                       {"runner", message.runner()},
                                       {"ended_at", google::protobuf::util::TimeUtil::ToString(message.ended_at())},
                                       {"artifacts", artifacts}};
  statement.update(rest);
  return statement.dump();
}

v1::ExplainPendingResponse WaitingMessage(const Waiting& waiting) {
  v1::ExplainPendingResponse out;
  out.set_reason(waiting.reason);
  out.set_position(static_cast<uint32_t>(waiting.position));
  out.set_nearest_runner(waiting.nearest_runner);
  for (const std::string& missing : waiting.nearest_missing) out.add_missing(missing);
  if (waiting.estimate.has_value()) out.set_estimate_seconds(static_cast<double>(waiting.estimate->count()));
  return out;
}

v1::RunnerInfo RunnerMessage(const RunnerStatus& status) {
  const Runner& runner = status.runner;
  v1::RunnerInfo out;
  out.set_name(runner.name);
  out.set_state(std::string(RunnerStateName(runner, !status.leases.empty())));
  out.set_pool(runner.pool);
  for (const std::string& label : runner.labels) out.add_labels(label);
  std::set<std::string_view> leased;
  for (const Lease& lease : status.leases) {
    leased.insert(lease.devices.begin(), lease.devices.end());
    v1::RunnerRun& run = *out.add_runs();
    run.set_job(lease.job);
    run.set_attempt(lease.attempt);
  }
  std::map<std::pair<std::string_view, std::string_view>, v1::DeviceCount> counts;
  for (const Device& device : runner.devices) {
    v1::DeviceCount& count = counts[{device.kind, device.model}];
    count.set_kind(device.kind);
    count.set_model(device.model);
    count.set_total(count.total() + 1);
    if (leased.contains(device.id)) count.set_leased(count.leased() + 1);
    if (count.state().empty()) count.set_state("ok");
    const std::string fault = device.Fault();
    if (!fault.empty()) count.set_state(fault);
    if (device.kind == "cpu") continue;
    v1::DeviceInfo& one = *out.add_each_device();
    one.set_id(device.id);
    one.set_kind(device.kind);
    one.set_model(device.model);
    one.set_state(fault.empty() ? "ok" : fault);
    one.set_leased(leased.contains(device.id));
  }
  for (auto& [key, count] : counts) *out.add_devices() = std::move(count);
  if (runner.last_seen != WallTime()) *out.mutable_last_seen() = TimestampOf(runner.last_seen);
  out.set_why(runner.quarantine_why);
  return out;
}

absl::StatusOr<RunnerReport> ReportOf(const v1::WorkRequest& request) {
  RunnerReport report;
  if (!IsPlainName(request.name())) {
    return errors::FieldInvalid("name", "1 to 128 letters, digits, \".\", \"-\" and \"_\"");
  }
  if (!IsPlainName(request.session())) {
    return errors::FieldInvalid("session", "1 to 128 letters, digits, \".\", \"-\" and \"_\"");
  }
  report.name = request.name();
  report.session = request.session();
  report.pool = request.pool().empty() ? "trusted" : request.pool();
  if (report.pool != "trusted" && report.pool != "untrusted") {
    return errors::FieldInvalid("pool", "\"trusted\" or \"untrusted\"");
  }
  RETURN_IF_ERROR(CheckTexts("labels", request.labels(), kMaxRunnerLabels));
  report.labels = TextsOf(request.labels());
  if (report.pool == "untrusted" && !absl::c_linear_search(report.labels, kContainedLabel)) {
    return PoolNotContained(report.name);
  }
  report.draining = request.draining();
  if (request.environment().size() > kMaxSpecTextBytes) {
    return errors::OverLimit("environment", request.environment().size(), kMaxSpecTextBytes, "bytes");
  }
  report.environment = request.environment();
  if (static_cast<size_t>(request.devices_size()) > kMaxRunnerDevices) {
    return errors::OverLimit("devices", static_cast<size_t>(request.devices_size()), kMaxRunnerDevices, "devices");
  }
  std::set<std::string_view> ids;
  report.devices.reserve(static_cast<size_t>(request.devices_size()));
  for (const v1::WorkerDevice& one : request.devices()) {
    if (one.id().empty() || one.id().size() > kMaxPlainNameBytes || !ids.insert(one.id()).second) {
      return errors::FieldInvalid("devices.id", "unique texts of 1 to 128 bytes");
    }
    if (!IsKind(one.kind())) return errors::FieldInvalid("devices.kind", "\"cpu\", \"gpu\" or \"npu\"");
    for (const std::string* text : {&one.model(), &one.group(), &one.fault(), &one.capability()}) {
      if (text->size() > kMaxSpecTextBytes) {
        return errors::OverLimit("a text of a device", text->size(), kMaxSpecTextBytes, "bytes");
      }
    }
    Device device;
    device.id = one.id();
    device.kind = one.kind();
    device.model = one.model();
    device.capability = one.capability();
    device.memory_mib = one.memory_mib();
    device.group = one.group();
    device.healthy = one.fault().empty();
    device.why = one.fault();
    report.devices.push_back(std::move(device));
  }
  if (static_cast<size_t>(request.runs_size()) > kMaxRunnerRuns) {
    return errors::OverLimit("runs", static_cast<size_t>(request.runs_size()), kMaxRunnerRuns, "runs");
  }
  report.runs.reserve(static_cast<size_t>(request.runs_size()));
  for (const v1::WorkerRun& run : request.runs()) {
    if (!IsPlainName(run.job())) return errors::FieldInvalid("runs.job", "the name of a job");
    if (run.phase() == v1::WorkerRun::PHASE_UNSPECIFIED || !v1::WorkerRun::Phase_IsValid(run.phase())) {
      return errors::FieldInvalid("runs.phase", "a phase");
    }
    if (static_cast<size_t>(run.devices_size()) > kMaxRunnerDevices) {
      return errors::OverLimit("runs.devices", static_cast<size_t>(run.devices_size()), kMaxRunnerDevices, "devices");
    }
    if (run.progress().ByteSizeLong() > kMaxProgressBytes) {
      return errors::OverLimit("runs.progress", run.progress().ByteSizeLong(), kMaxProgressBytes, "bytes");
    }
    report.runs.push_back(
        {run.job(), run.fence(), PhaseOf(run.phase()), TextsOf(run.devices()), run.progress().SerializeAsString()});
  }
  return report;
}

absl::StatusOr<RunOutcome> OutcomeOf(const v1::FinishRunRequest& request) {
  RunOutcome outcome;
  const std::optional<Verdict> verdict = VerdictFromName(request.verdict());
  if (!verdict.has_value()) return errors::FieldInvalid("verdict", "a verdict");
  outcome.verdict = *verdict;
  for (const std::string* text : {&request.cause().class_name(), &request.cause().text()}) {
    if (text->size() > kMaxSpecTextBytes) return errors::OverLimit("cause", text->size(), kMaxSpecTextBytes, "bytes");
  }
  outcome.cause = {request.cause().class_name(), request.cause().text()};
  RETURN_IF_ERROR(CheckTexts("notes", request.notes(), kMaxRunNotes));
  outcome.notes = TextsOf(request.notes());
  if (static_cast<size_t>(request.artifacts_size()) > kMaxRunArtifacts) {
    return errors::OverLimit("artifacts", static_cast<size_t>(request.artifacts_size()), kMaxRunArtifacts, "files");
  }
  v1::SuiteJob kept;
  for (const v1::Artifact& artifact : request.artifacts()) {
    const std::string& path = artifact.path();
    if (!IsDigest(artifact.digest())) return errors::FieldInvalid("artifacts.digest", "64 lower-case hex digits");
    // Whoever fetches it writes it below a folder of his.
    const bool plain = !path.empty() && path.size() <= kMaxSpecTextBytes && path.front() != '/' &&
                       path.find('\\') == std::string::npos && path.find('\0') == std::string::npos;
    bool up = false;
    for (size_t begin = 0; plain && begin <= path.size();) {
      const size_t end = std::min(path.find('/', begin), path.size());
      const std::string_view part = std::string_view(path).substr(begin, end - begin);
      up = up || part.empty() || part == "." || part == "..";
      begin = end + 1;
    }
    if (!plain || up) return errors::FieldInvalid("artifacts.path", "a relative path without \"..\"");
    *kept.add_artifacts() = artifact;
  }
  outcome.result = JsonText(kept);
  return outcome;
}

}  // namespace yardmaster::dispatch
