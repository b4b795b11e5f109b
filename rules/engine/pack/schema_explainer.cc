#include "rules/engine/pack/schema_explainer.h"

#include <re2/re2.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// How JSON types are called in messages.
std::string_view TypeWord(std::string_view type) {
  if (type == "array") return "a list";
  if (type == "object") return "an object";
  if (type == "string") return "a string";
  if (type == "integer") return "an integer";
  if (type == "number") return "a number";
  if (type == "boolean") return "true or false";
  return type;
}

std::string ValueWord(const json& value) {
  switch (value.type()) {
    case json::value_t::string:
      return Quoted(value.get_ref<const std::string&>());
    case json::value_t::array:
      return value.empty() ? "an empty list" : "a list";
    case json::value_t::object:
      return "an object";
    case json::value_t::null:
      return "null";
    default:
      return value.dump();  // a number or a boolean: short
  }
}

// `"a", "b" or "c"`.
std::string Alternatives(const std::vector<std::string>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

// A value inside others. Pointers are written for problems only: most documents have none.
struct Place {
  const Place* outer = nullptr;
  std::string_view key{};  // of an object's member
  size_t index = 0;        // of a list's entry

  std::string Pointer() const {
    if (outer == nullptr) return {};
    return key.data() != nullptr ? PointerJoin(outer->Pointer(), key) : PointerJoin(outer->Pointer(), index);
  }
};

// A number as people write it: "1", "0.5".
std::string Number(const json& value) { return value.dump(); }

class Explainer {
 public:
  Explainer(const SchemaNode& root, const JsonDocument& document, size_t max_problems, Problems& problems)
      : root_(root), document_(document), max_problems_(max_problems), problems_(problems) {}

  // Depth is that of the document, which is limited. `node` null: everything is allowed.
  void Walk(const SchemaNode* node, const json& value, const Place& place) {
    if (Full() || node == nullptr) return;
    const SchemaNode& schema = *node;
    if (!CheckType(schema, value, place)) return;  // the rest would only repeat it
    CheckEnum(schema, value, place);
    if (value.is_string()) CheckString(schema, value.get_ref<const std::string&>(), place);
    if (value.is_number()) CheckNumber(schema, value, place);
    if (value.is_array()) WalkArray(schema, value, place);
    const bool keys_known = !value.is_object() || WalkObject(schema, value, place);
    CheckForms(schema, value, place, keys_known);
  }

 private:
  bool Full() const { return added_ >= max_problems_; }

  void Add(const Place& place, std::string message) {
    if (Full()) return;
    problems_.push_back(document_.ProblemAt(place.Pointer(), std::move(message)));
    ++added_;
  }

  // What a value of this schema is called: its title (that of a whole schema is a file's name), its allowed values, or
  // its type.
  std::string Expected(const SchemaNode& schema) const {
    const json& text = *schema.text;
    if (const auto title = text.find("title"); title != text.end() && &schema != &root_) {
      return title->get<std::string>();
    }
    std::vector<std::string> words;
    if (schema.values != nullptr) {
      for (const json& value : *schema.values) words.push_back(ValueWord(value));
      return (words.size() > 1 ? "one of " : "") + Alternatives(words);
    }
    const auto type = text.find("type");
    if (type == text.end()) return "another value";
    if (type->is_string()) return std::string(TypeWord(type->get_ref<const std::string&>()));
    for (const json& one : *type) words.emplace_back(TypeWord(one.get_ref<const std::string&>()));
    return Alternatives(words);
  }

  bool CheckType(const SchemaNode& schema, const json& value, const Place& place) {
    if ((schema.types & TypeBitsOf(value)) != 0) return true;
    Add(place, "expected " + Expected(schema) + ", got " + ValueWord(value));
    return false;
  }

  void CheckEnum(const SchemaNode& schema, const json& value, const Place& place) {
    const json* const values = schema.values;
    if (values == nullptr || absl::c_linear_search(*values, value)) return;
    std::string message = "expected " + Expected(schema) + ", got " + ValueWord(value);
    if (value.is_string()) {
      std::vector<std::string_view> known;
      for (const json& one : *values) {
        if (one.is_string()) known.push_back(one.get_ref<const std::string&>());
      }
      message += DidYouMean(value.get_ref<const std::string&>(), known);
    }
    Add(place, std::move(message));
  }

  void CheckString(const SchemaNode& schema, const std::string& value, const Place& place) {
    if (schema.min_length.has_value() || schema.max_length.has_value()) {
      // Continuation bytes don't count: lengths are in characters.
      const size_t length = CodePoints(value);
      if (length < schema.min_length.value_or(0)) {
        const size_t min = *schema.min_length;
        Add(place, min == 1
                       ? "expected a string that is not empty"
                       : "expected a string of at least " + std::to_string(min) + " characters, got " + Quoted(value));
        return;
      }
      if (length > schema.max_length.value_or(length)) {
        Add(place, "expected a string of at most " + std::to_string(*schema.max_length) + " characters, got " +
                       std::to_string(length));
        return;
      }
    }
    if (schema.pattern != nullptr && !RE2::PartialMatch(value, *schema.pattern)) {
      Add(place, "expected a string that matches " + schema.pattern->pattern() + ", got " + Quoted(value));
    }
  }

  void CheckNumber(const SchemaNode& schema, const json& value, const Place& place) {
    const double number = value.get<double>();
    if (const json* const min = schema.minimum; min != nullptr && number < min->get<double>()) {
      Add(place, "expected a number of at least " + Number(*min) + ", got " + value.dump());
    }
    if (const json* const min = schema.exclusive_minimum; min != nullptr && number <= min->get<double>()) {
      Add(place, "expected a number greater than " + Number(*min) + ", got " + value.dump());
    }
    if (const json* const max = schema.maximum; max != nullptr && number > max->get<double>()) {
      Add(place, "expected a number of at most " + Number(*max) + ", got " + value.dump());
    }
  }

  void WalkArray(const SchemaNode& schema, const json& value, const Place& place) {
    const auto entries = [](size_t count) { return std::to_string(count) + (count == 1 ? " entry" : " entries"); };
    if (const size_t min = schema.min_items.value_or(0); value.size() < min) {
      Add(place, "expected a list of at least " + entries(min) + ", got " + std::to_string(value.size()));
    }
    if (const size_t max = schema.max_items.value_or(value.size()); value.size() > max) {
      Add(place, "expected a list of at most " + entries(max) + ", got " + std::to_string(value.size()));
    }
    if (schema.items == nullptr) return;
    for (size_t i = 0; i < value.size() && !Full(); ++i) Walk(schema.items, value[i], Place{&place, {}, i});
  }

  // False if a key is unknown.
  bool WalkObject(const SchemaNode& schema, const json& value, const Place& place) {
    bool keys_known = true;
    for (const auto& [key, member] : value.items()) {
      if (Full()) return false;
      const Place at = {&place, key};
      if (const auto property = schema.properties.find(key); property != schema.properties.end()) {
        Walk(property->second, member, at);
      } else if (schema.closed) {
        Add(at, UnknownKey(key, schema));
        keys_known = false;
      } else {
        Walk(schema.additional, member, at);
      }
    }
    if (const json* const required = schema.required; required != nullptr) {
      for (const json& key : *required) {
        if (value.contains(key.get_ref<const std::string&>())) continue;
        Add(place,
            "missing key " + Quoted(key.get_ref<const std::string&>()) + "; expected " + KeyList(*required, " and "));
      }
    }
    if (const size_t min = schema.min_properties.value_or(0); value.size() < min) {
      Add(place, "expected an object with at least " + std::to_string(min) + (min == 1 ? " key" : " keys"));
    }
    if (schema.dependencies != nullptr) {
      for (const auto& [key, needed] : schema.dependencies->items()) {
        if (!value.contains(key)) continue;
        for (const json& other : needed) {
          if (value.contains(other.get_ref<const std::string&>())) continue;
          Add(Place{&place, key},
              "key " + Quoted(key) + " without " + Quoted(other.get_ref<const std::string&>()) + "; expected both");
        }
      }
    }
    return keys_known;
  }

  static std::string UnknownKey(const std::string& key, const SchemaNode& schema) {
    std::vector<std::string_view> known;
    std::vector<std::string> words;
    for (const auto& [name, unused] : schema.properties) {
      known.push_back(name);
      words.push_back("\"" + name + "\"");
    }
    return "unknown key " + Quoted(key) + "; expected " + (words.size() > 1 ? "one of " : "") +
           (words.empty() ? "no keys" : Alternatives(words)) + DidYouMean(key, known);
  }

  static std::string KeyList(const json& keys, std::string_view last) {
    std::string out = keys.size() > 1 ? "the keys " : "the key ";
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) out += i + 1 == keys.size() ? last : ", ";
      out += Quoted(keys[i].get_ref<const std::string&>());
    }
    return out;
  }

  // True if the value has the form of an alternative; `keys` collects the keys that the alternatives ask for.
  static bool HasForm(const json& alternative, const json& value, json& keys) {
    if (const auto values = alternative.find("enum"); values != alternative.end()) {
      return absl::c_linear_search(*values, value);
    }
    const auto required = alternative.find("required");
    if (required == alternative.end()) return true;
    for (const json& key : *required) keys.push_back(key);
    return value.is_object() && absl::c_all_of(*required, [&](const json& key) {
             return value.contains(key.get_ref<const std::string&>());
           });
  }

  // oneOf, anyOf and not, which only ask for keys. A key that should be there may be the unknown one: one message is
  // enough.
  void CheckForms(const SchemaNode& schema, const json& value, const Place& place, bool keys_known) {
    for (const json* const alternatives : {schema.one_of, schema.any_of}) {
      if (alternatives == nullptr) continue;
      size_t fitting = 0;
      json keys = json::array();
      for (const json& alternative : *alternatives) fitting += HasForm(alternative, value, keys) ? 1 : 0;
      const bool one = alternatives == schema.one_of;
      if ((one ? fitting == 1 : fitting > 0) || (fitting == 0 && !keys_known)) continue;
      std::string message = "expected ";
      if (const auto title = schema.text->find("title"); title != schema.text->end()) {
        message += title->get<std::string>();
      } else {
        message += (one ? "exactly one of " : "at least one of ") + KeyList(keys, " and ");
      }
      if (fitting > 1) {
        message += ", got " + std::to_string(fitting) + " of them";
      } else {
        message += value.is_object() ? ", got none of them" : ", got " + ValueWord(value);
      }
      Add(place, std::move(message));
    }
    if (schema.refused != nullptr) {
      json keys = json::array();
      if (HasForm(*schema.refused, value, keys)) Add(place, "expected only one of " + KeyList(keys, " and "));
    }
  }

  const SchemaNode& root_;
  const JsonDocument& document_;
  const size_t max_problems_;
  Problems& problems_;
  size_t added_ = 0;
};

}  // namespace

void ExplainMismatch(const SchemaNode& schema, const JsonDocument& document, size_t max_problems, Problems& problems) {
  Explainer(schema, document, max_problems, problems).Walk(&schema, document.value(), Place());
}

}  // namespace yardmaster::rules
