// JSON answers of forges, read leniently where a strict reading would lose a whole subject for a slip of the forge:
// a key that comes twice counts with its last value, bytes that are not UTF-8 (a text cut in the middle of a character)
// become U+FFFD. Limits on size, depth and number of values hold (limits.h); anything else that is not JSON is an
// error.
#ifndef YARDMASTER_CLIENTS_FORGE_ANSWER_JSON_H_
#define YARDMASTER_CLIENTS_FORGE_ANSWER_JSON_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster {

// nullopt and `error` if it can't be read.
std::optional<nlohmann::json> ParseForgeJson(std::string_view text, std::string& error);

// The text with every byte that belongs to no well-formed character replaced by U+FFFD.
std::string ReplaceInvalidUtf8(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_ANSWER_JSON_H_
