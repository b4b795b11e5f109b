#include "clients/chat/form.h"

#include <utility>

#include "clients/chat/valid_text.h"

namespace yardmaster::chat {
namespace {

int FormHexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> DecodeField(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const int high = i + 2 < text.size() ? FormHexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? FormHexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  if (!IsValidText(out)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<Form> Form::Parse(std::string_view text) {
  Form form;
  while (!text.empty()) {
    const size_t end = text.find('&');
    const std::string_view field = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (field.empty()) continue;
    const size_t equals = field.find('=');
    std::optional<std::string> name = DecodeField(field.substr(0, equals));
    std::optional<std::string> value =
        DecodeField(equals == std::string_view::npos ? std::string_view() : field.substr(equals + 1));
    if (!name.has_value() || !value.has_value() || form.fields_.size() == kMaxFormFields) return std::nullopt;
    // Two readers that take different ones would see different requests.
    if (!form.fields_.emplace(*std::move(name), *std::move(value)).second) return std::nullopt;
  }
  return form;
}

std::string_view Form::Get(std::string_view name) const {
  const auto field = fields_.find(name);
  return field == fields_.end() ? std::string_view() : std::string_view(field->second);
}

}  // namespace yardmaster::chat
