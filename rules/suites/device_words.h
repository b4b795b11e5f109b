// What people call devices in commands: kinds, models, processors with their architecture.
#ifndef YARDMASTER_RULES_SUITES_DEVICE_WORDS_H_
#define YARDMASTER_RULES_SUITES_DEVICE_WORDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"

namespace yardmaster::rules {

struct DeviceWord {
  DeviceKind kind = DeviceKind::kCpu;
  std::vector<std::string> models;  // globs; none: any
  std::string architecture;         // of processors, as uname says it; empty: any
};

// "cpu", "gpu", "npu"; "cpu_x86", "cpu_arm"; "ascend910b", "910b", "a2", "a3"; "a100", "h20", "rtx4090". Another word
// is a part of a model's name: of the kind that `needed` is, or of GPUs where that is processors. nullopt: no word.
std::optional<DeviceWord> ReadDeviceWord(std::string_view word, DeviceKind needed);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_SUITES_DEVICE_WORDS_H_
