// Values of fields while checks run.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_VALUE_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_VALUE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

class Unit;

// One row of one table of one file; of no file where the table is kSet or kValue.
struct RowRef {
  const Unit* unit = nullptr;
  FactTable table = FactTable::kFile;
  RowIndex index = kNoRow;

  explicit operator bool() const { return index != kNoRow; }
  friend bool operator==(const RowRef&, const RowRef&) = default;
};

// A value that lives as long as the run that made it.
struct Value {
  enum class Kind : uint8_t { kMissing, kBool, kNumber, kText, kRow, kList };

  static Value Bool(bool value) { return {Kind::kBool, value ? 1.0 : 0.0, {}, {}, nullptr}; }
  static Value Number(double value) { return {Kind::kNumber, value, {}, {}, nullptr}; }
  static Value Text(std::string_view value) { return {Kind::kText, 0, value, {}, nullptr}; }
  // Missing if there is no such row.
  static Value Row(RowRef row) { return row ? Value{Kind::kRow, 0, {}, row, nullptr} : Value(); }
  static Value List(const std::vector<Value>* list) { return {Kind::kList, 0, {}, {}, list}; }

  Kind kind = Kind::kMissing;
  double number = 0;
  std::string_view text;
  RowRef row;
  const std::vector<Value>* list = nullptr;
};

// As conditions compare them: lists element by element, a number with a text that reads as that number.
bool SameValue(const Value& a, const Value& b);

// A number, or a text that reads as one.
std::optional<double> AsNumber(const Value& value);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_VALUE_H_
