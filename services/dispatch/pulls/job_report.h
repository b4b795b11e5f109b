// What is told at a pull request about a job that has ended. Pure.
#ifndef YARDMASTER_SERVICES_DISPATCH_PULLS_JOB_REPORT_H_
#define YARDMASTER_SERVICES_DISPATCH_PULLS_JOB_REPORT_H_

#include <optional>
#include <string>
#include <string_view>

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
// What came of it. `result`: the text of its result.json; empty where there is none. A fault of the machine does not
// fail the check: it is neutral, and says so.
v1::ReportCheck EndedCheck(const v1::SuiteJob& job, std::string_view result);
// The same as a comment, for forges without checks.
std::string EndedComment(const v1::SuiteJob& job, std::string_view result);
// One line for chat: "repo/units, job j-1: passed: 12 tests, 0 failed"; of a job that waits or runs its state.
std::string JobLine(const v1::SuiteJob& job, std::string_view result, bool chinese);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PULLS_JOB_REPORT_H_
