// Members of JSON that an older or newer program wrote: what is missing or of another kind counts as nothing.
#ifndef YARDMASTER_CLIENTS_CLI_JSON_MEMBERS_H_
#define YARDMASTER_CLIENTS_CLI_JSON_MEMBERS_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace yardmaster::cli {

// The member of that name, or null.
const nlohmann::ordered_json& Member(const nlohmann::ordered_json& object, const char* key);
// The member if it is a list, or an empty list.
const nlohmann::ordered_json& ListMember(const nlohmann::ordered_json& object, const char* key);
std::string TextMember(const nlohmann::ordered_json& object, const char* key);
double NumberMember(const nlohmann::ordered_json& object, const char* key);
// 0 for what is negative, too.
size_t CountMember(const nlohmann::ordered_json& object, const char* key);
std::vector<std::string> TextsMember(const nlohmann::ordered_json& object, const char* key);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_JSON_MEMBERS_H_
