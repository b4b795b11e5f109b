// Reading payloads of machines that do not keep their types: numbers that are strings, flags that are 0 or 1, members
// that are missing or null. For the readers of webhooks only.
#ifndef YARDMASTER_CLIENTS_FORGE_PAYLOAD_H_
#define YARDMASTER_CLIENTS_FORGE_PAYLOAD_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::payload {

// The body as JSON under the limits of forge_event.h; an object. On failure nullopt and, in `reason`, kNotJson with
// what is wrong where.
std::optional<nlohmann::json> Parse(std::string_view body, std::string& reason);

// The member, or nullptr if `value` is no object, has no such member, or the member is null.
const nlohmann::json* Member(const nlohmann::json& value, std::string_view key);
// A member of a member of …
const nlohmann::json* Member(const nlohmann::json& value, std::initializer_list<std::string_view> keys);

// A string; a number becomes its digits, null and absence become nullopt. Cut to `max_bytes` at a character.
std::optional<std::string> Text(const nlohmann::json* value, size_t max_bytes);
// A name: like Text, but nullopt if it is longer than kMaxNameBytes or has control characters.
std::string Name(const nlohmann::json* value);
// The full name of a commit (40 or 64 hex digits); empty for anything else, and for the zeros that stand for none.
std::string Commit(const nlohmann::json* value);
// A positive integer, as a number without a fraction or as a string of digits. A bool is no integer.
std::optional<int64_t> PositiveInteger(const nlohmann::json* value);
// true, false, 0, 1, "true", "false", "0", "1".
std::optional<bool> Flag(const nlohmann::json* value);
// Names of labels: an array of strings or of objects that have one of `keys`. nullopt if it is no array. Elements
// without a name are left out.
std::optional<std::vector<std::string>> LabelNames(const nlohmann::json* value,
                                                   std::initializer_list<std::string_view> keys);

}  // namespace yardmaster::payload

#endif  // YARDMASTER_CLIENTS_FORGE_PAYLOAD_H_
