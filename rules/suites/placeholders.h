// Placeholders "${NAME}" in the texts of a suite.
#ifndef YARDMASTER_RULES_SUITES_PLACEHOLDERS_H_
#define YARDMASTER_RULES_SUITES_PLACEHOLDERS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// Known everywhere: folder of the source, folder for what is built, Python of the suite, processors to build with.
inline constexpr std::string_view kGeneralPlaceholders[] = {"SOURCE", "BUILD", "PYTHON", "JOBS"};
// In test steps, too: the rank's own folder and the folder of its tensors, its numbers, the port that is leased for the
// step, the leased devices ("0,1"), this shard (from 0) and the number of shards. A step without ranks is rank 0 of 1.
inline constexpr std::string_view kStepPlaceholders[] = {"OUT",  "TENSORS", "RANK",  "LOCAL_RANK", "WORLD_SIZE",
                                                         "PORT", "DEVICES", "SHARD", "SHARDS"};
// Then the name of an axis: "${matrix.dtype}". Only in steps that are repeated over this axis.
inline constexpr std::string_view kMatrixPrefix = "matrix.";

// Names to values: {"RANK": "3", "matrix.dtype": "float32"}.
using PlaceholderValues = std::map<std::string, std::string, std::less<>>;

// `text` with each "${NAME}" replaced, and each "$${" by "${". Values are not looked at again. All other dollars stay
// as they are: "$HOME", "$(…)", "$$". Nothing, and in `error` what is wrong, where a name is unknown, empty or not
// closed.
std::optional<std::string> Substitute(std::string_view text, const PlaceholderValues& values, std::string& error);

// The names in `text`, in their order, each once; escaped ones are none. A name that is not closed ends the list.
std::vector<std::string> PlaceholderNames(std::string_view text);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_SUITES_PLACEHOLDERS_H_
