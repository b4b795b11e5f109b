// A JSON Schema with its keywords looked up once: most of validating a file by the raw schema would be looking for
// keywords that are not there.
#ifndef YARDMASTER_RULES_ENGINE_PACK_SCHEMA_NODE_H_
#define YARDMASTER_RULES_ENGINE_PACK_SCHEMA_NODE_H_

#include <re2/re2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// Types as bits: of a schema those that it allows, of a value those that it has (an integer is a number as well).
using TypeBits = uint8_t;
TypeBits TypeBitOf(std::string_view name);
TypeBits TypeBitsOf(const nlohmann::json& value);

// One schema, references resolved. What is absent is null or nullopt; pointers to json are into the schema's text.
struct SchemaNode {
  const nlohmann::json* text = nullptr;
  TypeBits types = 0xff;
  const nlohmann::json* values = nullptr;  // "enum"
  // Of strings, in characters.
  std::optional<size_t> min_length;
  std::optional<size_t> max_length;
  std::unique_ptr<const RE2> pattern;
  // Of numbers.
  const nlohmann::json* minimum = nullptr;
  const nlohmann::json* exclusive_minimum = nullptr;
  const nlohmann::json* maximum = nullptr;
  // Of lists.
  std::optional<size_t> min_items;
  std::optional<size_t> max_items;
  const SchemaNode* items = nullptr;
  // Of objects.
  std::map<std::string, const SchemaNode*, std::less<>> properties;
  bool closed = false;                     // "additionalProperties": false
  const SchemaNode* additional = nullptr;  // or a schema
  const nlohmann::json* required = nullptr;
  const nlohmann::json* dependencies = nullptr;
  std::optional<size_t> min_properties;
  // Of all; only over "required" and "enum".
  const nlohmann::json* one_of = nullptr;
  const nlohmann::json* any_of = nullptr;
  const nlohmann::json* refused = nullptr;  // "not"
};

// All nodes of a schema. Immutable.
class SchemaNodes {
 public:
  // `text` must outlive this object and be a schema that refers to nothing but its own definitions.
  explicit SchemaNodes(const nlohmann::json& text);

  const SchemaNode& root() const { return *root_; }

 private:
  // Null for `true`, which allows everything.
  const SchemaNode* Of(const nlohmann::json& schema);

  const nlohmann::json& text_;
  // By their place in the text, so that what is referred to twice, or by itself, is one node.
  std::map<const nlohmann::json*, std::unique_ptr<SchemaNode>> nodes_;
  const SchemaNode* root_ = nullptr;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_SCHEMA_NODE_H_
