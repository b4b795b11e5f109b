#include "clients/cli/json_members.h"

#include <algorithm>

namespace yardmaster::cli {

using Json = nlohmann::ordered_json;

const Json& Member(const Json& object, const char* key) {
  static const Json* const kNothing = new Json();
  const auto it = object.find(key);
  return it == object.end() ? *kNothing : *it;
}

const Json& ListMember(const Json& object, const char* key) {
  static const Json* const kNothing = new Json(Json::array());
  const Json& value = Member(object, key);
  return value.is_array() ? value : *kNothing;
}

std::string TextMember(const Json& object, const char* key) {
  const Json& value = Member(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

double NumberMember(const Json& object, const char* key) {
  const Json& value = Member(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

size_t CountMember(const Json& object, const char* key) {
  return static_cast<size_t>(std::max(0.0, NumberMember(object, key)));
}

std::vector<std::string> TextsMember(const Json& object, const char* key) {
  std::vector<std::string> texts;
  for (const Json& item : ListMember(object, key)) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

}  // namespace yardmaster::cli
