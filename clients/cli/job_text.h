// Jobs and runners of the server, as JSON for scripts and as tables for people.
#ifndef YARDMASTER_CLIENTS_CLI_JOB_TEXT_H_
#define YARDMASTER_CLIENTS_CLI_JOB_TEXT_H_

#include <google/protobuf/repeated_field.h>

#include <nlohmann/json.hpp>
#include <string>

#include "clients/cli/output.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::cli {

using JobRows = google::protobuf::RepeatedPtrField<v1::SuiteJob>;
using RunnerRows = google::protobuf::RepeatedPtrField<v1::RunnerInfo>;

// "shard 2/4 of j-1"; of a job that does all of its run: empty.
std::string ShardText(const v1::JobSpec& spec);

nlohmann::ordered_json TextList(const google::protobuf::RepeatedPtrField<std::string>& texts);

// {job, suite, state, verdict: null|…, attempt, runner, queued_seconds, cause, notes, …}. The state of a job that has
// ended is its verdict.
nlohmann::ordered_json JobJson(const v1::SuiteJob& job);
std::string JobTable(const JobRows& jobs, const Output& output);
// Everything about one.
std::string JobText(const v1::SuiteJob& job, const Output& output);

// {reason, position, nearest: {runner, missing}|null, estimate_seconds: null|…}
nlohmann::ordered_json WaitingJson(const v1::ExplainPendingResponse& waiting);
std::string WaitingText(const v1::ExplainPendingResponse& waiting, const Output& output);

// {name, state, pool, devices: [{kind, model, total, leased, state}], runs: [{job, attempt}], …}
nlohmann::ordered_json RunnerJson(const v1::RunnerInfo& runner);
std::string RunnerTable(const RunnerRows& runners, const Output& output);
std::string DeviceTable(const RunnerRows& runners, const Output& output);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_JOB_TEXT_H_
