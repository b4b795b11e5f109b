// What the parts of one run share.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_SUITE_CONTEXT_H_
#define YARDMASTER_SERVICES_WORKER_RUN_SUITE_CONTEXT_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/suites/cells.h"
#include "rules/suites/suite_model.h"
#include "services/worker/launch/launch.h"
#include "services/worker/run/device_leases.h"
#include "services/worker/run/requirements.h"
#include "services/worker/run/run.h"
#include "services/worker/run/workspace.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

inline constexpr uint64_t kBytesPerMiB = 1024 * 1024;

// A recipe that was applied holds for the rest of the run.
struct AppliedRecipes {
  std::set<std::string> ids;
  rules::Variables variables;
  std::vector<std::string> unset;
  std::vector<std::string> scripts;
};

// Why later steps are not run, as their results say it.
inline constexpr std::string_view kRunCancelled = "the run was cancelled";
inline constexpr std::string_view kDeviceLost = "device lost";
inline constexpr std::string_view kDiskFull = "disk full";

struct SuiteContext {
  const rules::SuiteModel* suite = nullptr;  // the part that is run
  const RunOptions* options = nullptr;
  ProcessStarter* processes = nullptr;
  ProcessStarter* tools = nullptr;  // as in RunDependencies
  bool debuggers = true;
  LauncherTable launchers;
  RunObserver* observer = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  std::chrono::steady_clock::time_point began;

  Workspace* workspace = nullptr;
  DeviceLeases* leases = nullptr;
  Requirements* requirements = nullptr;
  std::shared_ptr<const Signatures> signatures;
  std::vector<const rules::RecoveryRecipe*> recipes;  // that the suite allows
  AppliedRecipes applied;

  std::filesystem::path source;
  std::string python;
  std::filesystem::path first_in_path;  // where "python3" is the suite's; may be empty
  rules::PlaceholderValues values;      // the general ones
  size_t processors = 1;
  // Filled as the run goes: tests, tensors, notes.
  RunResult* result = nullptr;
  // Why no more steps are started, one of the above; empty: they are.
  std::string ended;

  int64_t Micros() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began).count();
  }
  // For people, now and in the result; the same text once.
  void Note(const std::string& text) {
    if (absl::c_linear_search(result->notes, text)) return;
    result->notes.push_back(text);
    observer->Note(text);
  }
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_SUITE_CONTEXT_H_
