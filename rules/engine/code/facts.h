// What the engine knows about one file: tables of typed facts, made in one pass over its syntax tree. Rows refer to
// each other by index and to the text by position; rows of every table stand in the order of their beginnings, those of
// what encloses others first. rules/checks.md says what the fields mean to people who write checks.
#ifndef YARDMASTER_RULES_ENGINE_CODE_FACTS_H_
#define YARDMASTER_RULES_ENGINE_CODE_FACTS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/engine/code/language.h"

namespace yardmaster::rules {

// Index of a row in its table, or kNoRow.
using RowIndex = uint32_t;
inline constexpr RowIndex kNoRow = UINT32_MAX;

// Bytes of the file, half open.
struct ByteSpan {
  uint32_t begin = 0;
  uint32_t end = 0;
};

enum class FactTable : uint8_t {
  kSet,
  kFile,
  kLine,
  kFunction,
  kParameter,
  kClass,
  kImport,
  kExpr,
  kAssign,
  kLoop,
  kStatement,
  kComment,
  kSection,
  kCheckbox,
  kTableRow,
  kListItem,
  kCodeBlock,
  kCodeword,
  kLink,
  kEntry,
  kMacro,
  kNamespace,
  kMatch,  // of a tree-sitter query
  kValue,  // an element of a list
};
inline constexpr size_t kFactTableCount = 24;

enum class ExprType : uint8_t {
  kOther,
  kCall,
  kName,
  kAttribute,
  kSubscript,
  kString,
  kNumber,
  kList,
  kTuple,
  kDict,
  kSet,
  kBinary,
  kUnary,
  kCompare,
  kBoolean,
  kConditional,
  kLambda,
  kComprehension,
  kAwait,
  kYield,
  kStarred,
  kSlice,
  kConstant,
  kAssignment,
};
inline constexpr size_t kExprTypeCount = 24;

// Where an expression stands in what is around it.
enum class Slot : uint8_t {
  kOther,
  kArgument,
  kKeyword,
  kDecorator,
  kDefault,
  kAnnotation,
  kReturns,
  kValue,
  kTarget,
  kIterable,
  kCondition,
  kReturn,
  kItem,
  kKey,
  kLeft,
  kRight,
  kOperand,
  kBase,
  kCallee,
  kIndex,
  kStatement,
  kRaise,
};
inline constexpr size_t kSlotCount = 22;

enum class Guard : uint8_t { kNone, kMain, kTypeChecking, kTry, kIf };

enum class Level : uint8_t { kModule, kClass, kFunction };

enum class StatementType : uint8_t {
  kExpression,
  kReturn,
  kRaise,
  kAssert,
  kIf,
  kTry,
  kExcept,
  kWith,
  kDelete,
  kGlobal,
  kPass,
  kBreak,
  kContinue,
  kAssign,
  kLoop,
  kFunction,
  kClass,
  kImport,
  kOther,
};

// What encloses a row of code.
struct Place {
  RowIndex function = kNoRow;
  RowIndex cls = kNoRow;
  RowIndex loop = kNoRow;
  RowIndex statement = kNoRow;
  RowIndex block = kNoRow;  // code block of a Markdown file
  Guard guard = Guard::kNone;
};

struct FunctionFact {
  ByteSpan span;  // with decorators
  ByteSpan head;  // the name: where findings point at
  ByteSpan body;
  Place place;  // of what encloses it
  Level level = Level::kModule;
  std::string_view name;
  std::string_view qualified;
  std::string_view doc;
  RowIndex returns = kNoRow;  // expr
  std::string_view type;      // C++: what it returns
  RowIndex first_parameter = 0;
  uint32_t parameters = 0;
  uint32_t statements = 0;
  uint32_t branches = 0;
  bool has_doc = false;
  bool is_async = false;
  bool generator = false;
  bool stub = false;
  bool global_kernel = false;
  bool type_parameters = false;  // Python: `def f[T]`
};

enum class ParameterForm : uint8_t { kPositional, kPositionalOnly, kKeywordOnly, kArgs, kKwargs };

struct ParameterFact {
  ByteSpan span;
  RowIndex function = kNoRow;
  uint32_t index = 0;
  ParameterForm form = ParameterForm::kPositional;
  std::string_view name;
  RowIndex annotation = kNoRow;     // expr
  RowIndex default_value = kNoRow;  // expr
  std::string_view type;            // C++: as declared
  bool has_default = false;         // also where no expression was read
};

struct ClassFact {
  ByteSpan span;
  ByteSpan head;
  ByteSpan body;
  Place place;
  Level level = Level::kModule;
  std::string_view name;
  std::string_view qualified;
  std::string_view doc;
  bool has_doc = false;
  bool type_parameters = false;  // Python: `class A[T]`
  uint32_t statements = 0;
  std::vector<std::string_view> bases;
};

struct ImportFact {
  ByteSpan span;
  Place place;
  std::string_view form;  // "import", "from", "include"
  std::string_view module;
  std::string_view name;
  std::string_view alias;
  std::string_view bound;
  uint32_t level = 0;
  bool top = false;
  bool system = false;
};

struct ExprFact {
  ByteSpan span;
  Place place;
  ExprType type = ExprType::kOther;
  Slot slot = Slot::kOther;
  bool launch = false;
  uint16_t index = 0;
  uint16_t positional = 0;  // arguments of a call, items of a list
  RowIndex parent = kNoRow;
  RowIndex subtree_end = 0;  // one behind the last expression inside
  RowIndex base = kNoRow;
  RowIndex owner = kNoRow;   // function, class or parameter whose decorator, annotation or default it is
  std::string_view keyword;  // of a keyword argument
  std::string_view name;     // dotted name as written; empty if it is not one
  std::string_view attr;
  std::string_view root;
  std::string_view op;
  std::string_view value;  // content of a text literal, or the literal itself
};

struct AssignFact {
  ByteSpan span;  // of the target
  Place place;
  Level level = Level::kModule;
  std::string_view form;  // "plain", "augmented", …
  std::string_view op;
  RowIndex target = kNoRow;      // expr
  RowIndex value = kNoRow;       // expr
  RowIndex annotation = kNoRow;  // expr
  std::string_view type;         // C++: as declared
  bool in_tuple = false;
  std::optional<uint32_t> position;  // in the tuple, where every value before it has one target
};

struct LoopFact {
  ByteSpan span;
  ByteSpan body;
  Place place;  // place.loop: the loop around it
  std::string_view form;
  RowIndex iterable = kNoRow;   // expr
  RowIndex condition = kNoRow;  // expr
  uint32_t depth = 0;
  std::vector<std::string_view> variables;
};

struct StatementFact {
  ByteSpan span;
  Place place;  // place.statement: the statement around it
  StatementType type = StatementType::kOther;
  bool nested = false;
  bool after_jump = false;
  bool bare = false;
  uint32_t index = 0;
  RowIndex value = kNoRow;  // expr
  std::vector<std::string_view> names;
};

struct CommentFact {
  ByteSpan span;
  Place place;
  std::string_view body;
  bool own_line = false;
};

struct SectionFact {
  ByteSpan span;  // heading and body
  ByteSpan head;
  ByteSpan body;
  ByteSpan own;
  std::string_view title;
  uint32_t level = 0;
  uint32_t index = 0;
  RowIndex parent = kNoRow;
};

// Check-boxes, list items, links and codewords of Markdown.
struct MarkdownItemFact {
  ByteSpan span;
  RowIndex section = kNoRow;
  uint32_t index = 0;
  std::string_view body;
  std::string_view extra;  // mark of a check-box; title of a link
};

struct TableRowFact {
  ByteSpan span;
  RowIndex section = kNoRow;
  uint32_t table = 0;
  uint32_t index = 0;
  std::vector<std::string_view> cells;
  RowIndex header = kNoRow;  // in FileFacts::table_headers
};

struct CodeBlockFact {
  ByteSpan span;
  ByteSpan body;
  RowIndex section = kNoRow;
  std::string_view language;
  bool valid = false;
};

enum class EntryType : uint8_t { kText, kNumber, kBoolean, kNull, kList, kMap };

struct EntryFact {
  ByteSpan span;
  EntryType type = EntryType::kNull;
  bool duplicate = false;
  bool front = false;
  RowIndex parent = kNoRow;
  RowIndex subtree_end = 0;
  uint32_t index = 0;
  uint32_t depth = 0;
  uint32_t size = 0;
  std::string_view key;  // empty in a list
  std::string_view pointer;
  std::string_view value;  // of a scalar
  double number = 0;
};

// A macro or a namespace.
struct NamedFact {
  ByteSpan span;
  Place place;
  std::string_view name;
  std::string_view body;
};

// Syntax error: the place of the first one.
struct SyntaxError {
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string message;
};

// Passed limit.
struct LimitProblem {
  std::string message;
};

struct FileFacts {
  Language language = Language::kText;
  std::string_view text;  // of the owner; outlives this
  std::vector<uint32_t> line_starts;
  bool front_matter = false;
  std::vector<SyntaxError> errors;
  std::vector<LimitProblem> limits;

  std::vector<FunctionFact> functions;
  std::vector<ParameterFact> parameters;
  std::vector<ClassFact> classes;
  std::vector<ImportFact> imports;
  std::vector<ExprFact> exprs;
  std::vector<AssignFact> assigns;
  std::vector<LoopFact> loops;
  std::vector<StatementFact> statements;
  std::vector<CommentFact> comments;
  std::vector<SectionFact> sections;
  std::vector<MarkdownItemFact> checkboxes;
  std::vector<TableRowFact> table_rows;
  std::vector<std::vector<std::string_view>> table_headers;
  std::vector<MarkdownItemFact> list_items;
  std::vector<CodeBlockFact> code_blocks;
  std::vector<MarkdownItemFact> codewords;
  std::vector<MarkdownItemFact> links;
  std::vector<EntryFact> entries;
  std::vector<NamedFact> macros;
  std::vector<NamedFact> namespaces;

  // Expressions by type and by slot, in order.
  std::array<std::vector<RowIndex>, kExprTypeCount> exprs_by_type;
  std::array<std::vector<RowIndex>, kSlotCount> exprs_by_slot;
  std::array<std::vector<RowIndex>, 19> statements_by_type;
  // Names that imports bind → what they stand for ("p" → "pypto"). The last one wins.
  std::unordered_map<std::string_view, std::string_view> aliases;
  // Assignments to plain names by the function (or kNoRow) that they stand in, in order.
  struct ScopedName {
    RowIndex function = kNoRow;
    std::string_view name;
    friend bool operator==(const ScopedName&, const ScopedName&) = default;
  };
  struct ScopedNameHash {
    size_t operator()(const ScopedName& key) const {
      return std::hash<std::string_view>()(key.name) * 31 + key.function;
    }
  };
  std::unordered_map<ScopedName, std::vector<RowIndex>, ScopedNameHash> assigns_by_name;
  // Functions of the module by name; the last one wins.
  std::unordered_map<std::string_view, RowIndex> module_functions;

  // Rows of all tables together, and cells of tables.
  size_t rows = 0;

  // Texts that do not stand in the file.
  std::deque<std::string> made;
  size_t made_bytes = 0;
  std::string_view Keep(std::string value) {
    made_bytes += value.size();
    return made.emplace_back(std::move(value));
  }

  std::string_view Text(ByteSpan span) const { return text.substr(span.begin, span.end - span.begin); }
  // From 1.
  uint32_t LineOf(uint32_t offset) const;
  // Text of a line (from 1) without its end.
  std::string_view LineText(uint32_t line) const;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_FACTS_H_
