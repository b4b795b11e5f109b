// The source of a suite: where it lies, how it is fetched, and which commit it is.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_SOURCE_H_
#define YARDMASTER_SERVICES_WORKER_RUN_SOURCE_H_

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/worker/run/run.h"

namespace yardmaster::worker {

// A part of the cache is locked by this file in it while a run works there, and was last used when this was last
// written: a repository of RunOptions.objects while something is fetched into it, a build tree during the whole run.
inline constexpr const char* kCacheLock = "yard.lock";

struct SourcePlan {
  std::filesystem::path folder;
  // Fetches it; none where it is there already.
  std::optional<rules::SuiteStep> fetch;
};

// `kept`: where fetched sources are kept. INVALID_ARGUMENT: there is no such folder.
absl::StatusOr<SourcePlan> PlanSource(const rules::SourceModel& source, const RunOptions& options,
                                      const std::filesystem::path& kept);

// The commit that is checked out in `folder`, or with `above` in a folder above it; empty if it is none of git's. Read
// from git's files: no program is started.
std::string CommitOf(const std::filesystem::path& folder, bool above);

// Whether any file below the folder was written after that moment, as far as times of files say it; links, what git
// and Python keep for themselves, and results of runs are left out. True also where there are too many files to look
// at.
bool ChangedSince(const std::filesystem::path& folder, std::chrono::system_clock::time_point moment);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_SOURCE_H_
