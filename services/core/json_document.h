// JSON that people wrote: parsed with limits, duplicate keys refused, and every value's place remembered, so that
// errors can name file, pointer and line. For data from machines use nlohmann::json through ParseJsonLimited.
#ifndef YARDMASTER_SERVICES_CORE_JSON_DOCUMENT_H_
#define YARDMASTER_SERVICES_CORE_JSON_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "services/core/problem.h"

namespace yardmaster {

struct JsonLimits {
  size_t max_bytes = 4 * 1024 * 1024;
  // Arrays and objects inside each other. nlohmann's copy and dump recurse, so this also bounds the stack.
  size_t max_depth = 64;
  // Values, containers included: bounds the memory and time that small values cost beyond their bytes.
  size_t max_values = 1'000'000;
  // What ParseJsonLimited does with a key that comes twice in one object. Refuse it wherever two readers that take
  // different ones would be a danger; take the last one, as most parsers do, where losing the whole text is worse.
  enum class Duplicates : uint8_t { kRefuse, kLastWins };
  Duplicates duplicates = Duplicates::kRefuse;
};

// A place in a JSON text: line and column from 1, column in bytes.
struct JsonPosition {
  uint32_t line = 0;
  uint32_t column = 0;
};

// A parsed document with the place of every value.
class JsonDocument {
 public:
  // Parses `text`. On failure returns nullopt and adds every problem found (duplicate keys are all reported; a syntax
  // error ends the parse). `file` is only used in problems. Invalid UTF-8 is an error. A leading byte-order mark is
  // accepted.
  static std::optional<JsonDocument> Parse(std::string file, std::string_view text, const JsonLimits& limits,
                                           Problems& problems);

  const nlohmann::json& value() const { return value_; }
  const std::string& file() const { return file_; }

  // Place of the value at a JSON pointer ("" is the root). If there is no such value, the place of its nearest
  // ancestor.
  JsonPosition PositionOf(std::string_view pointer) const;

  // A problem at a pointer of this document.
  Problem ProblemAt(std::string_view pointer, std::string message) const;

 private:
  struct Positions;
  JsonDocument() = default;
  std::string file_;
  nlohmann::json value_;
  std::shared_ptr<const Positions> positions_;
};

// Parses JSON from machines (requests, eval lines) under limits. On failure returns nullopt and, in `error`, what is
// wrong with line and column. Duplicate keys are errors here too, unless `limits` says otherwise.
std::optional<nlohmann::json> ParseJsonLimited(std::string_view text, const JsonLimits& limits, std::string& error);

// Joins a pointer and a key or index, escaping "~" and "/" (RFC 6901).
std::string PointerJoin(std::string_view pointer, std::string_view key);
std::string PointerJoin(std::string_view pointer, size_t index);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_JSON_DOCUMENT_H_
