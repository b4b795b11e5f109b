#include "rules/engine/checks/value.h"

#include <cmath>
#include <cstdlib>
#include <string>

namespace yardmaster::rules {

bool SameValue(const Value& a, const Value& b) {
  using Kind = Value::Kind;
  if (a.kind == Kind::kMissing || b.kind == Kind::kMissing) return false;
  if (a.kind == Kind::kText && b.kind == Kind::kText) return a.text == b.text;
  if (a.kind == Kind::kRow || b.kind == Kind::kRow) return a.kind == b.kind && a.row == b.row;
  if (a.kind == Kind::kList || b.kind == Kind::kList) {
    if (a.kind != b.kind || a.list->size() != b.list->size()) return false;
    for (size_t i = 0; i < a.list->size(); ++i) {
      if (!SameValue((*a.list)[i], (*b.list)[i])) return false;
    }
    return true;
  }
  if (a.kind == Kind::kText || b.kind == Kind::kText) {
    const std::string text(a.kind == Kind::kText ? a.text : b.text);
    if (text.empty()) return false;
    const Value& other = a.kind == Kind::kText ? b : a;
    if (other.kind == Kind::kBool) return text == (other.number != 0 ? "true" : "false");
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size() && number == other.number;
  }
  return a.number == b.number;
}

std::optional<double> AsNumber(const Value& value) {
  if (value.kind == Value::Kind::kNumber) return value.number;
  if (value.kind != Value::Kind::kText || value.text.empty()) return std::nullopt;
  const std::string text(value.text);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace yardmaster::rules
