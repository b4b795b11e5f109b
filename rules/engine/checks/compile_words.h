// Small help for compiling: names in JSON, pieces of paths, and words for problems.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_WORDS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_WORDS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// Names, one or a list; what is no text is left out.
std::vector<std::string> Names(const nlohmann::json& value);

std::vector<std::string_view> Split(std::string_view text, char separator);

// "; did you mean …?", or nothing if no known name is near.
std::string Suggestion(std::string_view name, const std::vector<std::string_view>& known);

// All names with commas between them.
std::string Listed(const std::vector<std::string_view>& names);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_WORDS_H_
