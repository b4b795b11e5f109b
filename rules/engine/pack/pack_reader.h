// Reading the values of a pack's document that is valid under its schema.
#ifndef YARDMASTER_RULES_ENGINE_PACK_PACK_READER_H_
#define YARDMASTER_RULES_ENGINE_PACK_PACK_READER_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/json_document.h"
#include "services/core/json_reader.h"
#include "services/core/pack_origin.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Names, one or a list; what is no text is left out.
std::vector<std::string> Names(const nlohmann::json& value);

// The value of a key; without the key `out` stays as it is.
template <typename T>
void Take(const nlohmann::json& object, const char* key, T& out) {
  if (const auto it = object.find(key); it != object.end()) out = it->template get<T>();
}
template <typename T>
void Take(const nlohmann::json& object, const char* key, std::optional<T>& out) {
  if (const auto it = object.find(key); it != object.end()) out = it->template get<T>();
}
// One name or a list of them.
inline void Take(const nlohmann::json& object, const char* key, std::vector<std::string>& out) {
  if (const auto it = object.find(key); it != object.end()) out = Names(*it);
}

// A document, and what problems and origins are told with.
class PackDocumentReader {
 public:
  PackDocumentReader(const JsonDocument& document, std::string_view pack, Problems& problems)
      : document_(document), pack_(pack), problems_(problems) {}

 protected:
  const nlohmann::json& value() const { return document_.value(); }
  const std::string& pack() const { return pack_; }

  Origin At(const std::string& pointer) const {
    return {pack_, document_.file(), pointer, document_.PositionOf(pointer).line};
  }
  void Add(const std::string& pointer, std::string message) {
    problems_.push_back(document_.ProblemAt(pointer, std::move(message)));
  }

  // Calls `read(place)` for each entry of the list under `key`, if there is one.
  template <typename Read>
  void ForEach(const JsonPlace& object, const char* key, Read read) {
    if (!object.value->contains(key)) return;
    const JsonPlace list = object.At(key);
    for (size_t i = 0; i < list.value->size(); ++i) read(list.At(i));
  }
  // The same of the document.
  template <typename Read>
  void ForEach(const char* key, Read read) {
    ForEach({&value(), ""}, key, read);
  }

 private:
  const JsonDocument& document_;
  const std::string pack_;
  Problems& problems_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_PACK_READER_H_
