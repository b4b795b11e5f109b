#include "rules/engine/schema_explainer.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/readable.h"

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

bool IsOfType(const json& value, std::string_view type) {
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
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
  Explainer(const json& root, const JsonDocument& document, size_t max_problems, Problems& problems)
      : root_(root), document_(document), max_problems_(max_problems), problems_(problems) {}

  // Depth is that of the document, which is limited.
  void Walk(const json& schema_or_ref, const json& value, const Place& place) {
    if (Full()) return;
    const json& schema = Resolve(schema_or_ref);
    if (!schema.is_object()) return;
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

  // Only references to definitions of the same schema occur.
  const json& Resolve(const json& schema) const {
    const auto ref = schema.find("$ref");
    if (ref == schema.end()) return schema;
    constexpr std::string_view kPrefix = "#/definitions/";
    const std::string& target = ref->get_ref<const std::string&>();
    return root_.at("definitions").at(target.substr(kPrefix.size()));
  }

  // What a value of this schema is called: its title (that of a whole schema is a file's name), its allowed values, or
  // its type.
  std::string Expected(const json& schema) const {
    if (const auto title = schema.find("title"); title != schema.end() && &schema != &root_) {
      return title->get<std::string>();
    }
    std::vector<std::string> words;
    if (const auto values = schema.find("enum"); values != schema.end()) {
      for (const json& value : *values) words.push_back(ValueWord(value));
      return (words.size() > 1 ? "one of " : "") + Alternatives(words);
    }
    const auto type = schema.find("type");
    if (type == schema.end()) return "another value";
    if (type->is_string()) return std::string(TypeWord(type->get_ref<const std::string&>()));
    for (const json& one : *type) words.emplace_back(TypeWord(one.get_ref<const std::string&>()));
    return Alternatives(words);
  }

  bool CheckType(const json& schema, const json& value, const Place& place) {
    const auto type = schema.find("type");
    if (type == schema.end()) return true;
    const auto fits = [&](const json& name) { return IsOfType(value, name.get_ref<const std::string&>()); };
    if (type->is_string() ? fits(*type) : std::any_of(type->begin(), type->end(), fits)) return true;
    Add(place, "expected " + Expected(schema) + ", got " + ValueWord(value));
    return false;
  }

  void CheckEnum(const json& schema, const json& value, const Place& place) {
    const auto values = schema.find("enum");
    if (values == schema.end() || std::find(values->begin(), values->end(), value) != values->end()) return;
    std::string message = "expected " + Expected(schema) + ", got " + ValueWord(value);
    if (value.is_string()) {
      std::vector<std::string_view> known;
      for (const json& one : *values) {
        if (one.is_string()) known.push_back(one.get_ref<const std::string&>());
      }
      const std::string_view nearest = NearestName(value.get_ref<const std::string&>(), known);
      if (!nearest.empty()) message += "; did you mean " + Quoted(nearest) + "?";
    }
    Add(place, std::move(message));
  }

  void CheckString(const json& schema, const std::string& value, const Place& place) {
    // Continuation bytes don't count: lengths are in characters.
    const size_t length = CodePoints(value);
    if (const auto min = schema.find("minLength"); min != schema.end() && length < min->get<size_t>()) {
      Add(place, *min == 1 ? "expected a string that is not empty"
                           : "expected a string of at least " + Number(*min) + " characters, got " + Quoted(value));
      return;
    }
    if (const auto max = schema.find("maxLength"); max != schema.end() && length > max->get<size_t>()) {
      Add(place, "expected a string of at most " + Number(*max) + " characters, got " + std::to_string(length));
      return;
    }
    const auto pattern = schema.find("pattern");
    if (pattern != schema.end() && !RE2::PartialMatch(value, Pattern(pattern->get_ref<const std::string&>()))) {
      Add(place, "expected a string that matches " + pattern->get<std::string>() + ", got " + Quoted(value));
    }
  }

  const RE2& Pattern(const std::string& text) {
    std::unique_ptr<RE2>& pattern = patterns_[text];
    if (pattern == nullptr) pattern = std::make_unique<RE2>(text);
    return *pattern;
  }

  void CheckNumber(const json& schema, const json& value, const Place& place) {
    const double number = value.get<double>();
    if (const auto min = schema.find("minimum"); min != schema.end() && number < min->get<double>()) {
      Add(place, "expected a number of at least " + Number(*min) + ", got " + value.dump());
    }
    if (const auto min = schema.find("exclusiveMinimum"); min != schema.end() && number <= min->get<double>()) {
      Add(place, "expected a number greater than " + Number(*min) + ", got " + value.dump());
    }
    if (const auto max = schema.find("maximum"); max != schema.end() && number > max->get<double>()) {
      Add(place, "expected a number of at most " + Number(*max) + ", got " + value.dump());
    }
  }

  void WalkArray(const json& schema, const json& value, const Place& place) {
    if (const auto min = schema.find("minItems"); min != schema.end() && value.size() < min->get<size_t>()) {
      Add(place, "expected a list of at least " + Number(*min) + (*min == 1 ? " entry" : " entries") + ", got " +
                     std::to_string(value.size()));
    }
    if (const auto max = schema.find("maxItems"); max != schema.end() && value.size() > max->get<size_t>()) {
      Add(place, "expected a list of at most " + Number(*max) + (*max == 1 ? " entry" : " entries") + ", got " +
                     std::to_string(value.size()));
    }
    const auto items = schema.find("items");
    if (items == schema.end()) return;
    for (size_t i = 0; i < value.size() && !Full(); ++i) Walk(*items, value[i], Place{&place, {}, i});
  }

  // False if a key is unknown.
  bool WalkObject(const json& schema, const json& value, const Place& place) {
    static const json kNone = json::object();
    const auto properties_found = schema.find("properties");
    const json& properties = properties_found != schema.end() ? *properties_found : kNone;
    const auto additional = schema.find("additionalProperties");

    bool keys_known = true;
    for (const auto& [key, member] : value.items()) {
      if (Full()) return false;
      const Place at = {&place, key};
      if (const auto property = properties.find(key); property != properties.end()) {
        Walk(*property, member, at);
      } else if (additional != schema.end() && additional->is_object()) {
        Walk(*additional, member, at);
      } else if (additional != schema.end() && *additional == false) {
        Add(at, UnknownKey(key, properties));
        keys_known = false;
      }
    }
    if (const auto required = schema.find("required"); required != schema.end()) {
      for (const json& key : *required) {
        if (value.contains(key.get_ref<const std::string&>())) continue;
        Add(place,
            "missing key " + Quoted(key.get_ref<const std::string&>()) + "; expected " + KeyList(*required, " and "));
      }
    }
    if (const auto min = schema.find("minProperties"); min != schema.end() && value.size() < min->get<size_t>()) {
      Add(place, "expected an object with at least " + Number(*min) + (*min == 1 ? " key" : " keys"));
    }
    if (const auto dependencies = schema.find("dependencies"); dependencies != schema.end()) {
      for (const auto& [key, needed] : dependencies->items()) {
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

  static std::string UnknownKey(const std::string& key, const json& properties) {
    std::vector<std::string_view> known;
    std::vector<std::string> words;
    for (const auto& [name, unused] : properties.items()) {
      known.push_back(name);
      words.push_back("\"" + name + "\"");
    }
    std::string message = "unknown key " + Quoted(key) + "; expected " + (words.size() > 1 ? "one of " : "") +
                          (words.empty() ? "no keys" : Alternatives(words));
    if (const std::string_view nearest = NearestName(key, known); !nearest.empty()) {
      message += "; did you mean " + Quoted(nearest) + "?";
    }
    return message;
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
      return std::find(values->begin(), values->end(), value) != values->end();
    }
    const auto required = alternative.find("required");
    if (required == alternative.end()) return true;
    for (const json& key : *required) keys.push_back(key);
    return value.is_object() && std::all_of(required->begin(), required->end(), [&](const json& key) {
             return value.contains(key.get_ref<const std::string&>());
           });
  }

  // oneOf, anyOf and not, which only ask for keys. A key that should be there may be the unknown one: one message is
  // enough.
  void CheckForms(const json& schema, const json& value, const Place& place, bool keys_known) {
    for (const char* keyword : {"oneOf", "anyOf"}) {
      const auto alternatives = schema.find(keyword);
      if (alternatives == schema.end()) continue;
      size_t fitting = 0;
      json keys = json::array();
      for (const json& alternative : *alternatives) fitting += HasForm(alternative, value, keys) ? 1 : 0;
      const bool one = keyword == std::string_view("oneOf");
      if ((one ? fitting == 1 : fitting > 0) || (fitting == 0 && !keys_known)) continue;
      std::string message = "expected ";
      if (const auto title = schema.find("title"); title != schema.end()) {
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
    if (const auto refused = schema.find("not"); refused != schema.end()) {
      json keys = json::array();
      if (HasForm(*refused, value, keys)) Add(place, "expected only one of " + KeyList(keys, " and "));
    }
  }

  const json& root_;
  const JsonDocument& document_;
  const size_t max_problems_;
  Problems& problems_;
  size_t added_ = 0;
  std::map<std::string, std::unique_ptr<RE2>> patterns_;
};

}  // namespace

void ExplainMismatch(const json& schema, const JsonDocument& document, size_t max_problems, Problems& problems) {
  Explainer(schema, document, max_problems, problems).Walk(schema, document.value(), Place());
}

}  // namespace yardmaster::rules
