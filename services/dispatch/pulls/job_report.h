// What is told at a pull request about a job that has ended. Pure.
#ifndef YARDMASTER_SERVICES_DISPATCH_PULLS_JOB_REPORT_H_
#define YARDMASTER_SERVICES_DISPATCH_PULLS_JOB_REPORT_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/repository_name.h"
#include "yardmaster/v1/check.pb.h"
#include "yardmaster/v1/dispatch.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::dispatch {

// Name of the check that tells of a suite, "pack/id".
std::string CheckNameOf(std::string_view suite);

// "github:owner/name#7".
std::string PullName(const v1::Subject& subject);
// Back; nullopt for anything else.
std::optional<v1::Subject> PullNamed(std::string_view name);

// A check that says that a job waits or runs.
v1::ReportCheck BegunCheck(const v1::JobSpec& spec, std::string_view job, std::string_view by);
// How far it is, as word number `progress`: a line for each layer.
v1::ReportCheck ProgressCheck(const v1::SuiteJob& job, int64_t progress);
// What came of it. `result`: the text of its result.json; empty where there is none. A fault of the machine is
// not the code's, and no pass: the check asks for action, and says so.
v1::ReportCheck EndedCheck(const v1::SuiteJob& job, std::string_view result);
// One line for chat: "repo/units, job j-1: passed: 12 tests, 0 failed"; of a job that waits or runs its state.
std::string JobLine(const v1::SuiteJob& job, std::string_view result, bool chinese);
// All that was asked for at a head, the newest job of each suite: a section of the summary comment, or a comment of its
// own on forges without checks. `jobs`: each with the text of its result.json, which may be empty.
std::string JobsText(const std::string& head, const std::vector<std::pair<v1::SuiteJob, std::string>>& jobs);
// What a job tells that tried on the base commit what `failed` had failed: which tests are broken there, too.
std::string TrunkComment(const v1::SuiteJob& job, std::string_view result, const v1::SuiteJob& failed,
                         std::string_view failed_result);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PULLS_JOB_REPORT_H_
