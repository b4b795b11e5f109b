#include "services/core/json_reader.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"
#include "services/core/utf8.h"

namespace yardmaster {
std::string DescribeJson(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::null:
      return "null";
    case nlohmann::json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case nlohmann::json::value_t::string:
      return "a string";
    case nlohmann::json::value_t::array:
      return "an array";
    case nlohmann::json::value_t::object:
      return "an object";
    default:
      return absl::StrCat("the number ", value.dump());
  }
}

ObjectReader::ObjectReader(const JsonContext& context, JsonPlace place, std::string_view what)
    : context_(context), object_(nullptr), pointer_(std::move(place.pointer)), what_(what) {
  if (place.value != nullptr && place.value->is_object()) {
    object_ = place.value;
  } else if (place.value != nullptr) {
    context_.Problem(pointer_, absl::StrCat("expected an object (", what_, "), found ", DescribeJson(*place.value)));
  }
}

bool ObjectReader::Has(std::string_view key) const { return object_ != nullptr && object_->contains(key); }

std::optional<JsonPlace> ObjectReader::Any(std::string_view key) {
  known_.emplace_back(key);
  if (object_ == nullptr) return std::nullopt;
  auto it = object_->find(key);
  if (it == object_->end()) return std::nullopt;
  return JsonPlace{&*it, PointerTo(key)};
}

std::optional<std::string> ObjectReader::String(std::string_view key) {
  const std::optional<JsonPlace> place = Any(key);
  if (!place.has_value()) return std::nullopt;
  if (!place->value->is_string() || place->value->get_ref<const std::string&>().empty()) {
    context_.Problem(place->pointer, absl::StrCat("expected a string that is not empty, found ",
                                                  place->value->is_string() ? "\"\"" : DescribeJson(*place->value)));
    return std::nullopt;
  }
  return place->value->get<std::string>();
}

std::optional<std::string> ObjectReader::RequiredString(std::string_view key) {
  if (object_ != nullptr && !Has(key)) Missing(key, "a string");
  return String(key);
}

std::optional<bool> ObjectReader::Bool(std::string_view key) {
  const std::optional<JsonPlace> place = Any(key);
  if (!place.has_value()) return std::nullopt;
  if (!place->value->is_boolean()) {
    context_.Problem(place->pointer, absl::StrCat("expected true or false, found ", DescribeJson(*place->value)));
    return std::nullopt;
  }
  return place->value->get<bool>();
}

std::optional<int64_t> ObjectReader::Integer(std::string_view key, int64_t low, int64_t high) {
  const std::optional<JsonPlace> place = Any(key);
  if (!place.has_value()) return std::nullopt;
  const nlohmann::json& value = *place->value;
  // An unsigned value above int64's range must not wrap around into the range.
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
  if (!fits || value.get<int64_t>() < low || value.get<int64_t>() > high) {
    context_.Problem(place->pointer,
                     absl::StrCat("expected an integer from ", low, " to ", high, ", found ", DescribeJson(value)));
    return std::nullopt;
  }
  return value.get<int64_t>();
}

std::optional<std::string> ObjectReader::Id(std::string_view key) {
  const std::optional<JsonPlace> place = Any(key);
  if (!place.has_value()) return std::nullopt;
  const nlohmann::json& value = *place->value;
  if (value.is_number_unsigned() && value.get<uint64_t>() > 0) return std::to_string(value.get<uint64_t>());
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    const bool word = !text.empty() && text.size() <= 64 && absl::c_all_of(text, [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
             c == '_';
    });
    if (word) return text;
  }
  context_.Problem(place->pointer,
                   absl::StrCat("expected an id: a number above 0 or a word, found ", DescribeJson(value)));
  return std::nullopt;
}

std::optional<JsonPlace> ObjectReader::Object(std::string_view key) {
  std::optional<JsonPlace> place = Any(key);
  if (place.has_value() && !place->value->is_object()) {
    context_.Problem(place->pointer, absl::StrCat("expected an object, found ", DescribeJson(*place->value)));
    return std::nullopt;
  }
  return place;
}

void ObjectReader::Each(std::string_view key, const std::function<void(JsonPlace element)>& visit) {
  const std::optional<JsonPlace> place = Any(key);
  if (!place.has_value()) return;
  if (!place->value->is_array()) {
    context_.Problem(place->pointer, absl::StrCat("expected an array, found ", DescribeJson(*place->value)));
    return;
  }
  for (size_t i = 0; i < place->value->size(); ++i) {
    visit({&(*place->value)[i], PointerJoin(place->pointer, i)});
  }
}

std::vector<JsonPlace> ObjectReader::Strings(std::string_view key) {
  std::vector<JsonPlace> strings;
  Each(key, [&](JsonPlace element) {
    if (element.value->is_string() && !element.value->get_ref<const std::string&>().empty()) {
      strings.push_back(std::move(element));
    } else {
      context_.Problem(element.pointer,
                       absl::StrCat("expected a string that is not empty, found ",
                                    element.value->is_string() ? "\"\"" : DescribeJson(*element.value)));
    }
  });
  return strings;
}

void ObjectReader::Missing(std::string_view key, std::string_view expected) {
  if (object_ == nullptr) return;  // said already
  context_.Problem(pointer_,
                   absl::StrCat("the key \"", std::string(key), "\" is missing: expected ", std::string(expected)));
}

void ObjectReader::Finish() {
  if (object_ == nullptr) return;
  for (const auto& [key, value] : object_->items()) {
    if (absl::c_linear_search(known_, key)) continue;
    // Name the key that was probably meant.
    const std::string_view nearest = NearestName(key, {known_.begin(), known_.end()});
    std::string message = absl::StrCat("unknown key \"", Shortened(key, 40), "\"");
    if (!nearest.empty()) {
      absl::StrAppend(&message, ": did you mean \"", Abs(nearest), "\"?");
    } else {
      absl::StrAppend(&message, ": ", what_, " has the keys ", absl::StrJoin(known_, ", "));
    }
    context_.Problem(PointerTo(key), std::move(message));
  }
}

}  // namespace yardmaster
