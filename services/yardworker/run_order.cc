#include "services/yardworker/run_order.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"
#include "rules/engine/suites/load_suites.h"
#include "rules/suites/selection.h"
#include "services/core/errors.h"
#include "services/core/messages/device_override.h"
#include "services/core/packs_dir.h"
#include "services/core/problem.h"
#include "services/core/status_macros.h"

namespace yardmaster::yardworker {

absl::StatusOr<OrderedSuite> SuiteOf(const v1::RunOrder& order) {
  rules::PackFiles files;
  for (const v1::SuiteFile& file : order.files()) files[file.path()] = file.content();
  const std::pair<std::string, std::string> name = absl::StrSplit(order.spec().suite(), absl::MaxSplits('/', 1));
  Problems problems;
  OrderedSuite ordered;
  ordered.set = rules::LoadSuites(files, name.first, problems);
  if (ordered.set == nullptr) {
    return errors::FieldInvalid("files", problems.empty() ? "valid suites" : problems.front().ToString());
  }
  const auto suite =
      absl::c_find_if(ordered.set->suites, [&](const rules::SuiteModel& one) { return one.id == name.second; });
  if (suite == ordered.set->suites.end()) return errors::FieldInvalid("suite", "a suite of the pack");
  ordered.suite = &*suite;
  return ordered;
}

absl::StatusOr<worker::RunOptions> OptionsOf(const RunFolder& folder, const v1::RunOrder& order,
                                             const std::filesystem::path& executable) {
  worker::RunOptions options;
  options.out = folder.result();
  options.job = order.job();
  std::error_code error;
  if (std::filesystem::is_directory(folder.source(), error)) options.source = folder.source();
  if (const auto own = LocateSuitesDir(executable); own.ok()) options.own_suites = *own;
  ASSIGN_OR_RETURN(options.select, rules::ParseSelection({order.spec().select().begin(), order.spec().select().end()}));
  for (const std::string& variable : order.spec().variables()) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(variable, absl::MaxSplits('=', 1));
    options.variables[parts.first] = parts.second;
  }
  options.layers = {order.spec().layers().begin(), order.spec().layers().end()};
  options.keep_going = order.spec().keep_going();
  for (const v1::StepChoice& choice : order.spec().steps()) {
    options.steps.push_back({choice.step(), {choice.tests().begin(), choice.tests().end()}});
  }
  if (order.spec().has_shard()) options.before_layers = rules::LayersBefore::kBuilds;
  options.devices = DeviceOverrideOf(order.spec().devices());
  options.memory_mb = order.limits().memory_mb();
  return options;
}

v1::RunLimits LimitsOf(const v1::RunOrder& order) {
  constexpr uint32_t kProcesses = 4'096;
  constexpr uint32_t kDiskMb = 15 * 1024;
  constexpr uint32_t kLogMb = 1'024;
  constexpr uint32_t kCoreMb = 64;
  constexpr uint32_t kFiles = 1'048'576;
  v1::RunLimits limits = order.limits();
  if (limits.processes() == 0) limits.set_processes(kProcesses);
  if (limits.disk_mb() == 0) limits.set_disk_mb(kDiskMb);
  if (limits.log_mb() == 0) limits.set_log_mb(kLogMb);
  if (limits.core_mb() == 0) limits.set_core_mb(kCoreMb);
  if (limits.files() == 0) limits.set_files(kFiles);
  return limits;
}

}  // namespace yardmaster::yardworker
