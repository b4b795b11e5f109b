#include "rules/engine/pack/schema_node.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

const json* Find(const json& schema, const char* keyword) {
  const auto it = schema.find(keyword);
  return it == schema.end() ? nullptr : &*it;
}

std::optional<size_t> Size(const json& schema, const char* keyword) {
  const json* const value = Find(schema, keyword);
  return value == nullptr ? std::nullopt : std::optional<size_t>(value->get<size_t>());
}

}  // namespace

TypeBits TypeBitOf(std::string_view name) {
  if (name == "array") return 1;
  if (name == "object") return 2;
  if (name == "string") return 4;
  if (name == "integer") return 8;
  if (name == "number") return 16;
  if (name == "boolean") return 32;
  return 64;  // "null"
}

TypeBits TypeBitsOf(const json& value) {
  switch (value.type()) {
    case json::value_t::array:
      return 1;
    case json::value_t::object:
      return 2;
    case json::value_t::string:
      return 4;
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return 8 | 16;
    case json::value_t::number_float:
      return 16;
    case json::value_t::boolean:
      return 32;
    case json::value_t::null:
      return 64;
    default:
      return 0;
  }
}

SchemaNodes::SchemaNodes(const json& text) : text_(text) { root_ = Of(text); }

const SchemaNode* SchemaNodes::Of(const json& schema) {
  if (!schema.is_object()) return nullptr;
  if (const json* const reference = Find(schema, "$ref")) {
    constexpr std::string_view kPrefix = "#/definitions/";
    return Of(text_.at("definitions").at(reference->get_ref<const std::string&>().substr(kPrefix.size())));
  }
  std::unique_ptr<SchemaNode>& owner = nodes_[&schema];
  if (owner != nullptr) return owner.get();
  owner = std::make_unique<SchemaNode>();
  // Not through `owner`: what follows adds nodes.
  SchemaNode* const node = owner.get();
  node->text = &schema;
  if (const json* const type = Find(schema, "type")) {
    node->types = 0;
    for (const json& name : type->is_string() ? json::array({*type}) : *type) {
      node->types |= TypeBitOf(name.get_ref<const std::string&>());
    }
  }
  node->values = Find(schema, "enum");
  node->min_length = Size(schema, "minLength");
  node->max_length = Size(schema, "maxLength");
  if (const json* const pattern = Find(schema, "pattern")) {
    node->pattern = std::make_unique<const RE2>(pattern->get_ref<const std::string&>());
  }
  node->minimum = Find(schema, "minimum");
  node->exclusive_minimum = Find(schema, "exclusiveMinimum");
  node->maximum = Find(schema, "maximum");
  node->min_items = Size(schema, "minItems");
  node->max_items = Size(schema, "maxItems");
  if (const json* const items = Find(schema, "items")) node->items = Of(*items);
  if (const json* const properties = Find(schema, "properties")) {
    for (const auto& [name, property] : properties->items()) node->properties[name] = Of(property);
  }
  if (const json* const additional = Find(schema, "additionalProperties")) {
    node->closed = *additional == false;
    node->additional = Of(*additional);
  }
  node->required = Find(schema, "required");
  node->dependencies = Find(schema, "dependencies");
  node->min_properties = Size(schema, "minProperties");
  node->one_of = Find(schema, "oneOf");
  node->any_of = Find(schema, "anyOf");
  node->refused = Find(schema, "not");
  return node;
}

}  // namespace yardmaster::rules
