// Members of JSON that a tool wrote: what is absent or of another kind reads as null, an empty text or nothing.
#ifndef YARDMASTER_SERVICES_REVIEW_IMPORT_SARIF_JSON_H_
#define YARDMASTER_SERVICES_REVIEW_IMPORT_SARIF_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace yardmaster::sarif {

inline const nlohmann::json& Null() {
  static const auto* const null = new nlohmann::json();
  return *null;
}

inline const nlohmann::json& At(const nlohmann::json& object, std::string_view key) {
  if (!object.is_object()) return Null();
  const auto found = object.find(std::string(key));
  return found == object.end() ? Null() : *found;
}

inline const nlohmann::json& At(const nlohmann::json& array, size_t index) {
  return array.is_array() && index < array.size() ? array[index] : Null();
}

// The element that `index`, a number in the log, names.
inline const nlohmann::json& ElementAt(const nlohmann::json& array, const nlohmann::json& index) {
  return index.is_number_unsigned() ? At(array, index.get<size_t>()) : Null();
}

inline std::string_view TextOf(const nlohmann::json& value) {
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>()) : std::string_view();
}

inline std::string_view TextAt(const nlohmann::json& object, std::string_view key) { return TextOf(At(object, key)); }

}  // namespace yardmaster::sarif

#endif  // YARDMASTER_SERVICES_REVIEW_IMPORT_SARIF_JSON_H_
