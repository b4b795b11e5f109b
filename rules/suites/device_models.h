// Names of device models, as people and tools write them.
#ifndef YARDMASTER_RULES_SUITES_DEVICE_MODELS_H_
#define YARDMASTER_RULES_SUITES_DEVICE_MODELS_H_

#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// Whether a glob (`*`, `?`) is about this model, whatever the case of both. npu-smi says "910B3" where people say
// "Ascend910B3" or "Ascend 910B3": the word is left out on both sides. "NVIDIA A100-SXM4-80GB" is meant by "*a100*".
bool ModelMatches(std::string_view glob, std::string_view model);
// Whether one of them is; no globs mean every model.
bool ModelFits(const std::vector<std::string>& globs, std::string_view model);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_SUITES_DEVICE_MODELS_H_
