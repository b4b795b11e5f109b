// What is told at a pull request about a job that has ended. Pure.
#ifndef YARDMASTER_SERVICES_DISPATCH_PULLS_JOB_REPORT_H_
#define YARDMASTER_SERVICES_DISPATCH_PULLS_JOB_REPORT_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/repository_name.h"
#include "yardmaster/v1/check.pb.h"
#include "yardmaster/v1/dispatch.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::dispatch {

// What people call a job: "pack/id", and of several that share a run "pack/id (2/4)".
std::string TestNameOf(const v1::JobSpec& spec);
// Name of the check that tells of it.
std::string CheckNameOf(const v1::JobSpec& spec);

// Of the jobs of a head, the newest first, those that say how it stands: of each suite the newest, and if that shares
// its run with others, the newest of each.
class NewestJobs {
 public:
  // Whether it is one of them.
  bool Takes(const v1::JobSpec& spec);

 private:
  std::map<std::string, std::string> groups_;  // by suite
  std::set<std::string> taken_;                // by name
};

// "github:owner/name#7".
std::string PullName(const v1::Subject& subject);
// Back; nullopt for anything else.
std::optional<v1::Subject> PullNamed(std::string_view name);

// A job with the text of its result.json, which is empty where there is none.
struct ReportedJob {
  v1::SuiteJob job;
  std::string result;
};

// What a job on the base commit showed of another's failures there.
struct TrunkView {
  std::set<std::string> broken;     // tests that fail there, too
  std::set<std::string> only_here;  // tests that pass there
  // All that failed is broken there: by name, or as a whole where no test has one.
  bool is_class = false;
};
TrunkView ViewOfTrunk(const ReportedJob& failed, const ReportedJob& on_trunk);

// A check that says that a job waits or runs.
v1::ReportCheck BegunCheck(const v1::JobSpec& spec, std::string_view job, std::string_view by);
// How far it is, as word number `progress`: a line for each layer.
v1::ReportCheck ProgressCheck(const v1::SuiteJob& job, int64_t progress);
// What came of it. A fault of the machine is not the code's, and no pass: the check asks for action, and says so. So it
// does where all that failed is broken on the base commit, as `on_trunk` found, the job that tried; nullptr: none did.
v1::ReportCheck EndedCheck(const ReportedJob& job, const ReportedJob* on_trunk = nullptr);
// One line for chat: "repo/units, job j-1: passed: 12 tests, 0 failed"; of a job that waits or runs its state.
std::string JobLine(const v1::SuiteJob& job, std::string_view result, bool chinese);
// All that was asked for at a head, the newest job of each suite: a section of the summary comment, or a comment of its
// own on forges without checks. `on_trunk`: what tried their failures on the base commit, by the job that failed.
std::string JobsText(const std::string& head, const std::vector<ReportedJob>& jobs,
                     const std::map<std::string, ReportedJob>& on_trunk = {});
// What a job tells that tried on the base commit what `failed` had failed: which tests are broken there, too.
std::string TrunkComment(const ReportedJob& on_trunk, const ReportedJob& failed);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PULLS_JOB_REPORT_H_
