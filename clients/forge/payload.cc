#include "clients/forge/payload.h"

#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "clients/forge/forge_event.h"
#include "services/core/json_document.h"
#include "services/core/limits.h"
#include "services/core/reasons.h"
#include "services/core/utf8.h"

namespace yardmaster::payload {

std::optional<nlohmann::json> Parse(std::string_view body, std::string& reason) {
  const JsonLimits limits{
      .max_bytes = kMaxHttpBodyBytes * 4, .max_depth = kMaxPayloadDepth, .max_values = kMaxPayloadValues};
  std::string error;
  std::optional<nlohmann::json> value = ParseJsonLimited(body, limits, error);
  if (!value.has_value()) {
    reason = reasons::WithDetail(reasons::kNotJson, error);
    return std::nullopt;
  }
  if (!value->is_object()) {
    reason = reasons::WithDetail(reasons::kNotJson, "the body is no object");
    return std::nullopt;
  }
  return value;
}

const nlohmann::json* Member(const nlohmann::json& value, std::string_view key) {
  if (!value.is_object()) return nullptr;
  const auto it = value.find(key);
  return it == value.end() || it->is_null() ? nullptr : &*it;
}

const nlohmann::json* Member(const nlohmann::json& value, std::initializer_list<std::string_view> keys) {
  const nlohmann::json* current = &value;
  for (const std::string_view key : keys) {
    current = Member(*current, key);
    if (current == nullptr) return nullptr;
  }
  return current;
}

std::optional<std::string> Text(const nlohmann::json* value, size_t max_bytes) {
  if (value == nullptr) return std::nullopt;
  std::string text;
  if (value->is_string()) {
    text = value->get_ref<const std::string&>();
  } else if (value->is_number_unsigned()) {
    text = std::to_string(value->get<uint64_t>());
  } else if (value->is_number_integer()) {
    text = std::to_string(value->get<int64_t>());
  } else {
    return std::nullopt;
  }
  text.resize(CutUtf8(text, max_bytes).size());
  return text;
}

std::string Name(const nlohmann::json* value) {
  if (value == nullptr || !value->is_string()) return {};
  const std::string& text = value->get_ref<const std::string&>();
  if (text.size() > kMaxNameBytes) return {};
  return absl::c_any_of(text, [](unsigned char c) { return absl::ascii_iscntrl(c); }) ? std::string() : text;
}

std::string Commit(const nlohmann::json* value) {
  std::string name = Name(value);
  const bool is_commit = (name.size() == 40 || name.size() == 64) &&
                         absl::c_all_of(name, [](unsigned char c) { return absl::ascii_isxdigit(c); }) &&
                         absl::c_any_of(name, [](char c) { return c != '0'; });
  return is_commit ? name : std::string();
}

std::optional<int64_t> PositiveInteger(const nlohmann::json* value) {
  if (value == nullptr) return std::nullopt;
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (value->is_number_unsigned()) {
    const uint64_t number = value->get<uint64_t>();
    if (number == 0 || number > kMax) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (!value->is_string()) return std::nullopt;
  const std::string& text = value->get_ref<const std::string&>();
  int64_t number = 0;
  const bool digits = absl::c_all_of(text, [](unsigned char c) { return absl::ascii_isdigit(c); });
  if (!digits || !absl::SimpleAtoi(text, &number) || number == 0) return std::nullopt;
  return number;
}

std::optional<bool> Flag(const nlohmann::json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_number_integer()) return value->get<int64_t>() != 0;
  if (value->is_string()) {
    const std::string& text = value->get_ref<const std::string&>();
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> LabelNames(const nlohmann::json* value,
                                                   std::initializer_list<std::string_view> keys) {
  if (value == nullptr || !value->is_array()) return std::nullopt;
  std::vector<std::string> names;
  for (const nlohmann::json& element : *value) {
    if (names.size() == kMaxLabels) break;
    std::string name;
    if (element.is_string()) name = Name(&element);
    for (const std::string_view key : keys) {
      if (name.empty()) name = Name(Member(element, key));
    }
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace yardmaster::payload
