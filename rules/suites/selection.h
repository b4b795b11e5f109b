// What of a suite is run: the layers and the values of the matrix that were asked for, and on which devices. Pure.
#ifndef YARDMASTER_RULES_SUITES_SELECTION_H_
#define YARDMASTER_RULES_SUITES_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"

namespace yardmaster::rules {

// Axis → values that are run; others are left out.
using Selection = std::map<std::string, std::vector<std::string>>;

// Of texts like "axis=value,value,axis=value": a word without "=" is one more value of the axis before it.
// INVALID_ARGUMENT: one is none of these.
absl::StatusOr<Selection> ParseSelection(const std::vector<std::string>& texts);

// Of the layers that chosen ones come after, those that are run, too.
enum class LayersBefore : uint8_t {
  kAll,
  // Those that build what is tested: the others are run elsewhere. What comes after one of those comes after what that
  // one comes after.
  kBuilds,
};

// The suite with nothing but what was selected: axes have the selected values only, and only the selected layers and
// those that they come after are left, each behind those that it comes after. Empty selections take everything.
// INVALID_ARGUMENT: an axis, a value or a layer that the suite does not have.
absl::StatusOr<SuiteModel> SelectPart(const SuiteModel& suite, const Selection& select,
                                      const std::vector<std::string>& layers, LayersBefore before = LayersBefore::kAll);

// A step that is in none of the layers that were asked for: INVALID_ARGUMENT.
absl::Status StepUnknown(std::string_view step, const std::vector<std::string>& known);

// Devices instead of those that a suite asks for; what is empty or 0 stays as it is.
struct DeviceOverride {
  std::optional<DeviceKind> kind;
  std::vector<std::string> models;
  std::vector<std::string> capability;
  uint64_t memory_mb = 0;
  size_t count = 0;
};

// The suite on other devices than those that it asks for. A number of them is also the number of ranks of steps whose
// ranks are as many as the suite's devices; where an axis of the matrix gives both, it has this one value.
void OverrideDevices(const DeviceOverride& devices, SuiteModel& suite);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_SUITES_SELECTION_H_
