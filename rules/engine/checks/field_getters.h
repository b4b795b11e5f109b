// How the fields of facts are written down: a getter for each, whose result says of which type the field is.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_FIELD_GETTERS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_FIELD_GETTERS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rules/engine/checks/fields.h"
#include "rules/engine/checks/run.h"
#include "rules/engine/checks/unit.h"

namespace yardmaster::rules {

// What checks call the enumerators of facts.

inline constexpr std::array<std::string_view, kExprTypeCount> kExprTypes = {
    "other",  "call",          "name",        "attribute", "subscript", "string",  "number",   "list",
    "tuple",  "dict",          "set_literal", "binary",    "unary",     "compare", "boolean",  "conditional",
    "lambda", "comprehension", "await",       "yield",     "starred",   "slice",   "constant", "assignment"};

inline constexpr std::array<std::string_view, kSlotCount> kSlots = {
    "other",   "argument", "keyword",   "decorator", "default",   "annotation", "returns", "value",
    "target",  "iterable", "condition", "return",    "item",      "key",        "left",    "right",
    "operand", "base",     "callee",    "index",     "statement", "raise"};

inline constexpr std::array<std::string_view, 19> kStatementTypes = {
    "expression", "return", "raise",    "assert", "if",   "try",      "except", "with",   "delete", "global",
    "pass",       "break",  "continue", "assign", "loop", "function", "class",  "import", "other"};

inline constexpr std::array<std::string_view, 3> kLevels = {"module", "class", "function"};
inline constexpr std::array<std::string_view, 5> kForms = {"positional", "positional_only", "keyword_only", "args",
                                                           "kwargs"};
inline constexpr std::array<std::string_view, 6> kEntryTypes = {"text", "number", "boolean", "null", "list", "map"};

inline constexpr std::array<std::string_view, kFactTableCount> kTables = {
    "set",        "file",     "line",      "function", "parameter", "class",     "import",    "expr",
    "assign",     "loop",     "statement", "comment",  "section",   "checkbox",  "table_row", "list_item",
    "code_block", "codeword", "link",      "entry",    "macro",     "namespace", "match",     "value"};

template <typename Names, typename Enum>
std::string_view NameIn(const Names& names, Enum value) {
  return names[static_cast<size_t>(value)];
}
inline constexpr std::array<std::string_view, 4> kGuards = {"main", "type_checking", "try", "if"};
inline constexpr std::array<std::string_view, 7> kAssignForms = {"plain", "augmented", "annotated", "for",
                                                                 "with",  "walrus",    "except"};
inline constexpr std::array<std::string_view, 3> kLoopForms = {"for", "while", "async_for"};
inline constexpr std::array<std::string_view, 3> kImportForms = {"import", "from", "include"};

// All names of an enumeration.
template <typename Enum>
constexpr std::span<const std::string_view> WordsOf() {
  if constexpr (std::is_same_v<Enum, ExprType>) return kExprTypes;
  if constexpr (std::is_same_v<Enum, Slot>) return kSlots;
  if constexpr (std::is_same_v<Enum, StatementType>) return kStatementTypes;
  if constexpr (std::is_same_v<Enum, Level>) return kLevels;
  if constexpr (std::is_same_v<Enum, ParameterForm>) return kForms;
  if constexpr (std::is_same_v<Enum, EntryType>) return kEntryTypes;
  return {};
}

inline std::string_view NameOf(ExprType type) { return NameIn(kExprTypes, type); }
inline std::string_view NameOf(Slot slot) { return NameIn(kSlots, slot); }
inline std::string_view NameOf(StatementType type) { return NameIn(kStatementTypes, type); }
inline std::string_view NameOf(Level level) { return NameIn(kLevels, level); }
inline std::string_view NameOf(ParameterForm form) { return NameIn(kForms, form); }
inline std::string_view NameOf(EntryType type) { return NameIn(kEntryTypes, type); }

using Texts = std::vector<std::string_view>;
using Values = std::vector<Value>;

// A row of another table of the same file; there may be none.
template <FactTable Table>
struct To {
  static constexpr FactTable kTable = Table;
  RowIndex index = kNoRow;
};
using ToExpr = To<FactTable::kExpr>;
using ToFunction = To<FactTable::kFunction>;
using ToParameter = To<FactTable::kParameter>;
using ToSection = To<FactTable::kSection>;
using ToStatement = To<FactTable::kStatement>;

template <typename T>
struct TypeOf {
  static constexpr FieldType kType = std::is_same_v<T, bool>                                 ? FieldType::kBool
                                     : std::is_arithmetic_v<T>                               ? FieldType::kNumber
                                     : std::is_same_v<T, Texts> || std::is_same_v<T, Values> ? FieldType::kList
                                                                                             : FieldType::kText;
  static constexpr FactTable kTarget = FactTable::kFile;
  static constexpr std::span<const std::string_view> Words() { return WordsOf<T>(); }
};
template <typename T>
struct TypeOf<std::optional<T>> : TypeOf<T> {};
template <FactTable Table>
struct TypeOf<To<Table>> {
  static constexpr FieldType kType = FieldType::kRow;
  static constexpr FactTable kTarget = Table;
  static constexpr std::span<const std::string_view> Words() { return {}; }
};

template <typename T>
Value ToValue(Run& run, const RowRef& row, const T& value) {
  if constexpr (std::is_same_v<T, Value>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return Value::Bool(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return Value::Number(static_cast<double>(value));
  } else if constexpr (std::is_enum_v<T>) {
    return Value::Text(NameOf(value));
  } else if constexpr (std::is_same_v<T, Texts> || std::is_same_v<T, Values>) {
    Values list;
    list.reserve(value.size());
    for (const auto& one : value) list.push_back(ToValue(run, row, one));
    return Value::List(run.Keep(std::move(list)));
  } else if constexpr (TypeOf<T>::kType == FieldType::kRow) {
    return Value::Row({row.unit, T::kTable, value.index});
  } else {
    return Value::Text(value);
  }
}
template <typename T>
Value ToValue(Run& run, const RowRef& row, const std::optional<T>& value) {
  return value ? ToValue(run, row, *value) : Value();
}

// A field by what `get` makes of the run and the row.
template <typename Get>
FieldInfo Field(std::string_view name, Get) {
  using Result = std::decay_t<std::invoke_result_t<Get, Run&, const RowRef&>>;
  return {name, TypeOf<Result>::kType, TypeOf<Result>::kTarget,
          [](Run& run, const RowRef& row) { return ToValue(run, row, Get()(run, row)); }, TypeOf<Result>::Words()};
}
// The same field where it can only be one of these.
inline FieldInfo Among(std::span<const std::string_view> words, FieldInfo field) {
  field.words = words;
  return field;
}
// The same of the file.
template <typename Get>
FieldInfo OfFile(std::string_view name, Get) {
  return Field(name, [](Run&, const RowRef& row) { return Get()(*row.unit); });
}

// Fields of the facts in a list of FileFacts.
template <auto Facts>
struct Of {
  using Fact = typename std::decay_t<decltype(std::declval<FileFacts>().*Facts)>::value_type;

  static const Fact& At(const RowRef& row) { return (row.unit->facts().*Facts)[row.index]; }

  // What the fact says itself; of a span the text.
  template <auto Member>
  static FieldInfo Is(std::string_view name) {
    return Field(name, [](Run&, const RowRef& row) -> decltype(auto) {
      if constexpr (std::is_same_v<decltype(Member), ByteSpan Fact::*>) {
        return row.unit->facts().Text(At(row).*Member);
      } else {
        return (At(row).*Member);
      }
    });
  }
  // A text that is missing where it is empty.
  template <auto Member>
  static FieldInfo May(std::string_view name) {
    return Field(name, [](Run&, const RowRef& row) { return NotEmpty(At(row).*Member); });
  }
  // The row that the fact refers to.
  template <FactTable Target, auto Member>
  static FieldInfo Refers(std::string_view name) {
    return Field(name, [](Run&, const RowRef& row) { return To<Target>{At(row).*Member}; });
  }
  // By a getter that takes the fact and, if it likes, the file and the row's index.
  template <typename Get>
  static FieldInfo By(std::string_view name, Get) {
    return Field(name, [](Run&, const RowRef& row) {
      if constexpr (std::is_invocable_v<Get, const Fact&>) {
        return Get()(At(row));
      } else if constexpr (std::is_invocable_v<Get, const Fact&, const Unit&>) {
        return Get()(At(row), *row.unit);
      } else {
        return Get()(At(row), *row.unit, row.index);
      }
    });
  }

  static std::optional<std::string_view> NotEmpty(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_FIELD_GETTERS_H_
