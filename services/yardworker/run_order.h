// What a run is to do, read from its order.
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_ORDER_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_ORDER_H_

#include <cstdint>
#include <filesystem>
#include <memory>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/worker/run/run.h"
#include "services/yardworker/run_folder.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// What an order is about.
struct OrderedSuite {
  std::shared_ptr<const rules::SuiteSet> set;
  const rules::SuiteModel* suite = nullptr;  // of the set
};
// INVALID_ARGUMENT: its files are no valid suites, or have none of that name.
absl::StatusOr<OrderedSuite> SuiteOf(const v1::RunOrder& order);

// How the suite is run. `executable` is our own program: beside it our own suites are looked for.
// INVALID_ARGUMENT: its selection can't be read.
absl::StatusOr<worker::RunOptions> OptionsOf(const RunFolder& folder, const v1::RunOrder& order,
                                             const std::filesystem::path& executable);

// Limits are in MiB.
inline constexpr uint64_t kBytesOfMib = 1024 * 1024;
// What the order leaves open is as runner.proto says.
v1::RunLimits LimitsOf(const v1::RunOrder& order);

inline bool IsUntrusted(const v1::RunOrder& order) { return order.spec().pool() == "untrusted"; }

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_ORDER_H_
