#include "clients/forge/answer_reader.h"

#include <charconv>
#include <cmath>

#include "clients/forge/http.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

using nlohmann::json;

std::string_view KindOf(const json* value) {
  if (value == nullptr) return "nothing";
  switch (value->type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "an array";
    case json::value_t::string:
      return "a text";
    case json::value_t::boolean:
      return "a flag";
    default:
      return "a number";
  }
}

// Doubles below this are whole numbers without loss.
constexpr double kExact = 9007199254740992.0;

}  // namespace

void AnswerProblem::Add(std::string_view path, std::string_view expected, const json* got) {
  if (!text_.empty()) return;
  // Keys are ours and indexes are numbers, so a path is readable; a value may be anything and is shown shortened.
  text_ = std::string(path.empty() ? "the answer" : path) + ": expected " + std::string(expected) + ", got " +
          std::string(KindOf(got));
  if (got != nullptr && got->is_string()) text_ += " " + Quoted(got->get_ref<const std::string&>(), 40);
}

AnswerReader AnswerReader::At(std::string_view key) const {
  const json* member = nullptr;
  if (is_object()) {
    if (const auto it = value_->find(key); it != value_->end()) member = &*it;
  }
  return AnswerReader(member, path_.empty() ? std::string(key) : path_ + "." + std::string(key), *problem_);
}

std::vector<std::string> AnswerReader::Names() const {
  std::vector<std::string> names;
  if (!is_object()) return names;
  for (const auto& [name, member] : value_->items()) names.push_back(name);
  return names;
}

AnswerReader AnswerReader::FirstOf(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    AnswerReader reader = At(key);
    if (!reader.empty()) return reader;
  }
  return At(*keys.begin());
}

AnswerReader AnswerReader::Element(size_t index) const {
  const json* element = index < size() ? &(*value_)[index] : nullptr;
  return AnswerReader(element, path_ + "[" + std::to_string(index) + "]", *problem_);
}

std::optional<std::string> AnswerReader::ReadText() const {
  if (empty()) return std::nullopt;
  if (value_->is_string()) return value_->get_ref<const std::string&>();
  if (value_->is_boolean()) return value_->get<bool>() ? "true" : "false";
  if (value_->is_number()) return value_->dump();
  return std::nullopt;
}

std::string AnswerReader::Text() const {
  std::optional<std::string> text = ReadText();
  if (!text.has_value()) problem_->Add(path_, "a text", value_);
  return std::move(text).value_or("");
}

std::string AnswerReader::OptionalText() const { return empty() ? "" : Text(); }

std::string AnswerReader::Hint() const { return ReadText().value_or(""); }

std::optional<int64_t> AnswerReader::ReadNumber() const {
  if (empty()) return std::nullopt;
  if (value_->is_number_unsigned()) {
    const auto number = value_->get<uint64_t>();
    if (number > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (value_->is_number_integer()) return value_->get<int64_t>();
  if (value_->is_number_float()) {
    const auto number = value_->get<double>();
    if (!(std::abs(number) < kExact) || number != std::floor(number)) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (!value_->is_string()) return std::nullopt;
  std::string_view text = value_->get_ref<const std::string&>();
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

int64_t AnswerReader::Number() const {
  const std::optional<int64_t> number = ReadNumber();
  if (!number.has_value()) problem_->Add(path_, "a whole number", value_);
  return number.value_or(0);
}

int64_t AnswerReader::OptionalNumber(int64_t otherwise) const { return empty() ? otherwise : Number(); }

int64_t AnswerReader::NumberHint(int64_t otherwise) const { return ReadNumber().value_or(otherwise); }

bool AnswerReader::Flag() const {
  if (empty()) return false;
  if (value_->is_boolean()) return value_->get<bool>();
  if (value_->is_number()) return value_->get<double>() != 0;
  if (value_->is_string()) {
    const std::string& text = value_->get_ref<const std::string&>();
    if (EqualsIgnoreCase(text, "true") || text == "1" || EqualsIgnoreCase(text, "yes")) return true;
    if (EqualsIgnoreCase(text, "false") || text == "0" || EqualsIgnoreCase(text, "no") || text.empty()) return false;
  }
  problem_->Add(path_, "a flag", value_);
  return false;
}

void AnswerReader::ExpectArray() const {
  if (!empty() && !is_array()) problem_->Add(path_, "an array", value_);
}

void AnswerReader::ExpectObject() const {
  if (!is_object()) problem_->Add(path_, "an object", value_);
}

}  // namespace yardmaster
