// Members of a result.json: what is missing or of another kind counts as nothing.
#ifndef YARDMASTER_SERVICES_DISPATCH_RESULT_JSON_H_
#define YARDMASTER_SERVICES_DISPATCH_RESULT_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace yardmaster::dispatch {

inline std::string TextAt(const nlohmann::json& value, const char* key) {
  const auto member = value.find(key);
  return member != value.end() && member->is_string() ? member->get<std::string>() : std::string();
}

inline double NumberAt(const nlohmann::json& value, const char* key) {
  const auto member = value.find(key);
  return member != value.end() && member->is_number() ? member->get<double>() : 0;
}

// Its objects; none where the member is no list.
inline std::vector<const nlohmann::json*> ObjectsAt(const nlohmann::json& value, const char* key) {
  std::vector<const nlohmann::json*> objects;
  const auto member = value.find(key);
  if (member == value.end() || !member->is_array()) return objects;
  for (const nlohmann::json& one : *member) {
    if (one.is_object()) objects.push_back(&one);
  }
  return objects;
}

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_RESULT_JSON_H_
