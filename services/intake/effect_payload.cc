#include "services/intake/effect_payload.h"

#include "clients/forge/forge_error.h"
#include "services/core/json_document.h"
#include "services/core/short_digest.h"

namespace yardmaster {

using nlohmann::json;

std::string EffectKeyDigest(const std::vector<std::string_view>& parts) {
  std::string buffer;
  for (const std::string_view part : parts) {
    buffer += std::to_string(part.size());
    buffer += ':';
    buffer += part;
  }
  return ShortDigest(buffer);
}

std::string WithRepeat(const std::string& key, int repeat) {
  return repeat == 0 ? key : key + "." + std::to_string(repeat + 1);
}

std::string DumpPayload(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::optional<json> ParsePayload(std::string_view payload) {
  std::string error;
  std::optional<json> value =
      ParseJsonLimited(payload, {.max_bytes = 4 * 1024 * 1024, .max_depth = 8, .max_values = 10'000}, error);
  if (value.has_value() && !value->is_object()) value.reset();
  return value;
}

std::string StringMember(const json& value, std::string_view key) {
  const auto it = value.find(key);
  return it != value.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::vector<std::string> StringsMember(const json& value, std::string_view key) {
  std::vector<std::string> strings;
  const auto it = value.find(key);
  if (it == value.end() || !it->is_array()) return strings;
  strings.reserve(it->size());
  for (const json& item : *it) {
    if (item.is_string()) strings.push_back(item.get<std::string>());
  }
  return strings;
}

absl::Status BrokenPayload(std::string_view message) {
  ForgeError error;
  error.reason = ForgeReason::kInvalidInput;
  error.outcome = ForgeOutcome::kNotSent;
  return MakeForgeStatus(error, message);
}

}  // namespace yardmaster
