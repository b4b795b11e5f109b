// Kinds and fields that checks can name, as rules/checks.md documents them.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_FIELDS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_FIELDS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rules/engine/checks/value.h"

namespace yardmaster::rules {

class Run;

enum class FieldType : uint8_t { kText, kNumber, kBool, kRow, kList };

struct FieldInfo {
  std::string_view name;
  FieldType type = FieldType::kText;
  FactTable target = FactTable::kFile;  // of a reference
  Value (*get)(Run& run, const RowRef& row) = nullptr;
  std::span<const std::string_view> words{};  // of a text: all that it can be; empty: any text
  bool role = false;                          // the text is one of the pack's roles
};

// Fields of a table, those of every row included; nullptr if there is none of that name.
const FieldInfo* FindField(FactTable table, std::string_view name);
// For messages.
std::vector<std::string_view> FieldNames(FactTable table);

// What a kind selects from its table.
struct KindInfo {
  std::string_view name;
  FactTable table = FactTable::kFile;
  enum class Select : uint8_t { kAll, kExprType, kSlot, kStatementType };
  Select select = Select::kAll;
  uint8_t value = 0;
};

// "function", "entry", …: the kind that selects all rows of the table.
std::string_view TableName(FactTable table);

const KindInfo* FindKind(std::string_view name);
std::vector<std::string_view> KindNames();

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_FIELDS_H_
