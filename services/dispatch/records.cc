#include "services/dispatch/records.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster::dispatch {
namespace {

using Json = nlohmann::json;

int64_t Micros(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}
WallTime TimeOf(const Json& json, const char* key) {
  return WallTime(std::chrono::microseconds(json.value(key, int64_t{0})));
}
std::string Text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
std::vector<std::string> Texts(const Json& json, const char* key) {
  return json.value(key, std::vector<std::string>());
}
template <typename Enum>
Enum EnumOf(const Json& json, const char* key, Enum last) {
  const int value = json.value(key, 0);
  // An enumerator that this version does not know is a damaged record.
  if (value < 0 || value > static_cast<int>(last)) throw std::out_of_range(key);
  return static_cast<Enum>(value);
}

Json JsonOf(const Demand& demand) {
  return {{"pool", demand.pool},
          {"labels", demand.labels},
          {"kind", demand.kind},
          {"models", demand.models},
          {"capability", demand.capability},
          {"count", demand.count},
          {"memory_mib", demand.memory_mib},
          {"same_group", demand.same_group}};
}
Demand DemandOfJson(const Json& json) {
  Demand demand;
  demand.pool = json.value("pool", demand.pool);
  demand.labels = Texts(json, "labels");
  demand.kind = json.value("kind", demand.kind);
  demand.models = Texts(json, "models");
  demand.capability = Texts(json, "capability");
  demand.count = json.value("count", demand.count);
  demand.memory_mib = json.value("memory_mib", demand.memory_mib);
  demand.same_group = json.value("same_group", demand.same_group);
  return demand;
}

Json JsonOf(const Job& job) {
  return {{"id", job.id},
          {"number", job.number},
          {"request", job.request},
          {"suite", job.suite},
          {"repository", job.repository},
          {"submitter", job.submitter},
          {"source", job.source},
          {"commit", job.commit},
          {"shape", job.shape},
          {"answer_key", job.answer_key},
          {"priority", static_cast<int>(job.priority)},
          {"demand", JsonOf(job.demand)},
          {"expected_s", job.expected.count()},
          {"limit_s", job.limit.count()},
          {"state", static_cast<int>(job.state)},
          {"verdict", static_cast<int>(job.verdict)},
          {"cause_class", job.cause.class_name},
          {"cause_text", job.cause.text},
          {"notes", job.notes},
          {"result", job.result},
          {"attempt", job.attempt},
          {"declined", job.declined},
          {"fence", job.fence},
          {"last_runner", job.last_runner},
          {"model", job.model},
          {"environment", job.environment},
          {"answered_by", job.answered_by},
          {"failed_before", job.failed_before},
          {"cancel_requested", job.cancel_requested},
          {"queued_at", Micros(job.queued_at)},
          {"waiting_since", Micros(job.waiting_since)},
          {"started_at", Micros(job.started_at)},
          {"run_began_at", Micros(job.run_began_at)},
          {"ended_at", Micros(job.ended_at)}};
}
Job JobOfJson(const Json& json) {
  Job job;
  job.id = json.at("id");
  job.number = json.at("number");
  job.request = json.value("request", "");
  job.suite = json.value("suite", "");
  job.repository = json.value("repository", "");
  job.submitter = json.value("submitter", "");
  job.source = json.value("source", "");
  job.commit = json.value("commit", "");
  job.shape = json.value("shape", "");
  job.answer_key = json.value("answer_key", "");
  job.priority = EnumOf(json, "priority", Priority::kHigh);
  job.demand = DemandOfJson(json.at("demand"));
  job.expected = std::chrono::seconds(json.value("expected_s", int64_t{0}));
  job.limit = std::chrono::seconds(json.value("limit_s", int64_t{0}));
  job.state = EnumOf(json, "state", JobState::kEnded);
  job.verdict = EnumOf(json, "verdict", Verdict::kTimedOut);
  job.cause = {json.value("cause_class", ""), json.value("cause_text", "")};
  job.notes = Texts(json, "notes");
  job.result = json.value("result", "");
  job.attempt = json.value("attempt", 0U);
  job.declined = json.value("declined", 0U);
  job.fence = json.value("fence", uint64_t{0});
  job.last_runner = json.value("last_runner", "");
  job.model = json.value("model", "");
  job.environment = json.value("environment", "");
  job.answered_by = json.value("answered_by", "");
  job.failed_before = json.value("failed_before", "");
  job.cancel_requested = json.value("cancel_requested", false);
  job.queued_at = TimeOf(json, "queued_at");
  // An older version did not write it.
  job.waiting_since = json.contains("waiting_since") ? TimeOf(json, "waiting_since") : job.queued_at;
  job.started_at = TimeOf(json, "started_at");
  job.run_began_at = TimeOf(json, "run_began_at");
  job.ended_at = TimeOf(json, "ended_at");
  return job;
}

Json JsonOf(const Lease& lease) {
  return {{"job", lease.job},           {"fence", lease.fence},
          {"attempt", lease.attempt},   {"runner", lease.runner},
          {"devices", lease.devices},   {"state", static_cast<int>(lease.state)},
          {"accepted", lease.accepted}, {"granted_at", Micros(lease.granted_at)}};
}
Lease LeaseOfJson(const Json& json) {
  Lease lease;
  lease.job = json.at("job");
  lease.fence = json.at("fence");
  lease.attempt = json.at("attempt");
  lease.runner = json.at("runner");
  lease.devices = Texts(json, "devices");
  lease.state = EnumOf(json, "state", LeaseState::kFinishing);
  lease.accepted = json.value("accepted", false);
  lease.granted_at = TimeOf(json, "granted_at");
  return lease;
}

Json JsonOf(const Runner& runner) {
  Json devices = Json::array();
  for (const Device& device : runner.devices) {
    devices.push_back({{"id", device.id},
                       {"kind", device.kind},
                       {"model", device.model},
                       {"capability", device.capability},
                       {"memory_mib", device.memory_mib},
                       {"group", device.group},
                       {"healthy", device.healthy},
                       {"why", device.why},
                       {"quarantined", device.quarantined},
                       {"quarantine_why", device.quarantine_why},
                       {"gone_at", Micros(device.gone_at)}});
  }
  return {{"name", runner.name},
          {"session", runner.session},
          {"pool", runner.pool},
          {"labels", runner.labels},
          {"devices", std::move(devices)},
          {"drained_by_people", runner.drained_by_people},
          {"draining", runner.draining},
          {"quarantined", runner.quarantined},
          {"quarantine_why", runner.quarantine_why},
          {"token", runner.token},
          {"environment", runner.environment},
          {"last_seen", Micros(runner.last_seen)}};
}
Runner RunnerOfJson(const Json& json) {
  Runner runner;
  runner.name = json.at("name");
  runner.session = json.value("session", "");
  runner.pool = json.value("pool", runner.pool);
  runner.labels = Texts(json, "labels");
  for (const Json& one : json.at("devices")) {
    Device device;
    device.id = one.at("id");
    device.kind = one.at("kind");
    device.model = one.value("model", "");
    device.capability = one.value("capability", "");
    device.memory_mib = one.value("memory_mib", uint64_t{0});
    device.group = one.value("group", "");
    device.healthy = one.value("healthy", true);
    device.why = one.value("why", "");
    device.quarantined = one.value("quarantined", false);
    device.quarantine_why = one.value("quarantine_why", "");
    device.gone_at = TimeOf(one, "gone_at");
    runner.devices.push_back(std::move(device));
  }
  runner.drained_by_people = json.value("drained_by_people", false);
  runner.draining = json.value("draining", false);
  runner.quarantined = json.value("quarantined", false);
  runner.quarantine_why = json.value("quarantine_why", "");
  runner.token = json.value("token", "");
  runner.environment = json.value("environment", "");
  runner.last_seen = TimeOf(json, "last_seen");
  return runner;
}

// What `read` makes of the record; what the JSON library throws becomes DATA_LOSS.
template <typename Read>
auto ReadRecord(std::string_view record, Read read) -> absl::StatusOr<decltype(read(Json()))> {
  try {
    return read(Json::parse(record));
  } catch (const std::exception& error) {
    return errors::StoredValueDamaged(error.what());
  }
}

}  // namespace

void AppendRows(const Changes& changes, store::JobRows& rows) {
  for (const Job& job : changes.jobs) {
    const bool ended = job.state == JobState::kEnded;
    rows.jobs.push_back(
        {job.id, job.number, job.repository, ended, ended ? Micros(job.ended_at) : 0, Text(JsonOf(job))});
  }
  // The old lease before the new one, which may be of the same job.
  for (const EndedLease& ended : changes.ended) {
    Json record = JsonOf(ended.lease);
    record["end"] = static_cast<int>(ended.end);
    record["why"] = ended.why;
    record["ended_at"] = Micros(ended.at);
    rows.leases.push_back({ended.lease.job, ended.lease.fence, false, Text(record)});
  }
  for (const Lease& lease : changes.leases) rows.leases.push_back({lease.job, lease.fence, true, Text(JsonOf(lease))});
  rows.forgotten_runners.insert(rows.forgotten_runners.end(), changes.forgotten.begin(), changes.forgotten.end());
  for (const Runner& runner : changes.runners) rows.runners.push_back({runner.name, Text(JsonOf(runner))});
}

absl::StatusOr<Changes> ChangesOf(const store::JobRows& rows) {
  Changes changes;
  for (const store::JobRow& row : rows.jobs) {
    ASSIGN_OR_RETURN(Job job, JobOfRecord(row.record));
    changes.jobs.push_back(std::move(job));
  }
  for (const store::LeaseRow& row : rows.leases) {
    ASSIGN_OR_RETURN(Lease lease, ReadRecord(row.record, LeaseOfJson));
    changes.leases.push_back(std::move(lease));
  }
  for (const store::RunnerRow& row : rows.runners) {
    ASSIGN_OR_RETURN(Runner runner, ReadRecord(row.record, RunnerOfJson));
    changes.runners.push_back(std::move(runner));
  }
  return changes;
}

absl::StatusOr<Job> JobOfRecord(std::string_view record) { return ReadRecord(record, JobOfJson); }

}  // namespace yardmaster::dispatch
