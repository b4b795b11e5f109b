// Strict reading of JSON that people wrote: takes typed members out of objects and notes every problem with its place,
// unknown members included.
#ifndef YARDMASTER_SERVICES_CORE_JSON_READER_H_
#define YARDMASTER_SERVICES_CORE_JSON_READER_H_

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/json_document.h"
#include "services/core/problem.h"

namespace yardmaster {

// A value of a document with its pointer.
struct JsonPlace {
  const nlohmann::json* value = nullptr;
  std::string pointer;

  // A member or an element, which must be there.
  JsonPlace At(std::string_view key) const { return {&value->at(std::string(key)), PointerJoin(pointer, key)}; }
  JsonPlace At(size_t index) const { return {&value->at(index), PointerJoin(pointer, index)}; }
};

// What problems go to. Both outlive every reader.
struct JsonContext {
  const JsonDocument& document;
  Problems& problems;

  void Problem(std::string_view pointer, std::string message) const {
    problems.push_back(document.ProblemAt(pointer, std::move(message)));
  }
};

// "a string", "an object", … with the value where it is short: for messages.
std::string DescribeJson(const nlohmann::json& value);

// One object. A value of another kind is a problem; all members are then absent. A member of the wrong type is a
// problem and absent. `Finish` must be called last: it reports unknown members.
class ObjectReader {
 public:
  ObjectReader(const JsonContext& context, JsonPlace place, std::string_view what);

  bool Has(std::string_view key) const;
  std::string PointerTo(std::string_view key) const { return PointerJoin(pointer_, key); }
  const std::string& pointer() const { return pointer_; }
  const JsonContext& context() const { return context_; }

  // nullopt: absent (no problem) or wrong (noted).
  std::optional<JsonPlace> Any(std::string_view key);
  std::optional<std::string> String(std::string_view key);  // not empty
  std::optional<std::string> RequiredString(std::string_view key);
  std::optional<bool> Bool(std::string_view key);
  std::optional<int64_t> Integer(std::string_view key, int64_t low, int64_t high);
  // An integer, or a string of digits: ids of forges.
  std::optional<std::string> Id(std::string_view key);
  std::optional<JsonPlace> Object(std::string_view key);
  // Visits the elements of an array in order.
  void Each(std::string_view key, const std::function<void(JsonPlace element)>& visit);
  // Elements that are strings and not empty; others are problems.
  std::vector<JsonPlace> Strings(std::string_view key);

  // Reports that a member is missing.
  void Missing(std::string_view key, std::string_view expected);
  void Problem(std::string_view key, std::string message) { context_.Problem(PointerTo(key), std::move(message)); }

  void Finish();

 private:
  const JsonContext& context_;
  const nlohmann::json* object_;
  std::string pointer_;
  std::string what_;
  std::vector<std::string> known_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_JSON_READER_H_
