// What kinds of effects share: keys, and payloads as JSON.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECT_PAYLOAD_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECT_PAYLOAD_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace yardmaster {

// 16 hex characters over the parts, each with its length in front: different parts never give the same bytes. Stored.
std::string EffectKeyDigest(const std::vector<std::string_view>& parts);
// The key of the `repeat`th effect of the same content, from 0.
std::string WithRepeat(const std::string& key, int repeat);

std::string DumpPayload(const nlohmann::json& value);
// nullopt if it can't be read, or is no object.
std::optional<nlohmann::json> ParsePayload(std::string_view payload);
// Empty if there is no such text.
std::string StringMember(const nlohmann::json& value, std::string_view key);
// Empty if there is no such list; what is no text is left out.
std::vector<std::string> StringsMember(const nlohmann::json& value, std::string_view key);

// An entry of the ledger that can't be carried out: kInvalidInput, kNotSent.
absl::Status BrokenPayload(std::string_view message);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECT_PAYLOAD_H_
