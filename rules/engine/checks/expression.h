// Compiled conditions, matchers, values, queries and templates: functions that compiler.h makes from JSON. Immutable,
// and free of names that would have to be looked up while they run.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_EXPRESSION_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_EXPRESSION_H_

#include <re2/re2.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "rules/engine/checks/fields.h"
#include "rules/engine/checks/run.h"
#include "rules/engine/checks/value.h"

namespace yardmaster::rules {

// Rows inside each other: the one of the check, then one for each query around.
inline constexpr size_t kMaxSlots = 10;

struct Frame;

// A value.
using Operand = absl::AnyInvocable<Value(Run&, Frame&) const>;
// What a value must be.
using ValueMatcher = absl::AnyInvocable<bool(Run&, Frame&, const Value&) const>;
// What must hold.
struct Clause {
  absl::AnyInvocable<bool(Run&, Frame&) const> holds;
  // Cheap ones are tried first: 0 for a field, more for what goes over rows.
  int cost = 0;

  explicit operator bool() const { return holds != nullptr; }
};

// The rows that are being looked at, and the values that the check named.
struct Frame {
  std::array<RowRef, kMaxSlots> rows;
  const std::vector<Operand>* lets = nullptr;
  std::vector<std::optional<Value>>* let_values = nullptr;
};

// From a row, an option or a named value along references to a value.
class Path {
 public:
  enum class Start : uint8_t { kSlot, kOption, kLet, kSet };
  enum class StepKind : uint8_t {
    kField,
    kGroup,
    kSetGroup,
    kArgument,
    kItem,
    kParameter,
    kChild,
    kDecorator,
    kCell,
    kCapture
  };
  // A position or a name.
  struct Selector {
    std::optional<int> position;
    std::string name;
  };
  struct Step {
    StepKind kind = StepKind::kField;
    const FieldInfo* field = nullptr;
    std::string name;
    std::vector<Selector> selectors;  // the first that leads somewhere
    size_t capture = 0;
  };

  Value Get(Run& run, Frame& frame) const;

  Start start = Start::kSlot;
  size_t slot = 0;   // of the row, or of the named value
  std::string name;  // of the option
  std::vector<Step> steps;
};

// The value at the end of a path.
Operand PathOperand(Path path);
// What a group of a pattern matched; missing where it took no part.
Value PieceValue(const re2::StringPiece& piece);

// A text with placeholders.
class Template {
 public:
  struct Filter {
    enum class Kind : uint8_t { kUpper, kLower, kOr, kMap, kNearest };
    Kind kind = Kind::kUpper;
    std::string argument;
    const std::map<std::string, std::string>* map = nullptr;
    const std::vector<std::string>* list = nullptr;
  };
  struct Part {
    std::string text;          // literal; before the value
    std::optional<Path> path;  // none: the literal alone
    std::vector<Filter> filters;
  };

  bool constant() const { return parts.empty() || (parts.size() == 1 && !parts[0].path); }
  // `missing` is set if a placeholder had no value.
  // `shown`: for people; what placeholders stand for then is one line and not too long.
  std::string Expand(Run& run, Frame& frame, bool& missing, bool shown = false) const;

  std::vector<Part> parts;
};

// One kind of rows, and the definitions that they must belong to.
struct KindSelection {
  KindInfo kind;
  std::vector<size_t> definitions;
};

// The rows of a file that a kind selects, in order: all of a table, or those of an index.
struct Rows {
  const std::vector<RowIndex>* index = nullptr;
  size_t count = 0;
  RowIndex At(size_t i) const { return index == nullptr ? static_cast<RowIndex>(i) : (*index)[i]; }
};
Rows RowsOf(const Unit& unit, const KindInfo& kind);

// Whether the row is of the definitions of a selection.
bool InDefinitions(Run& run, const KindSelection& selection, RowRef row);
// Whether the row is of the kind.
bool OfKind(Run& run, const KindSelection& selection, RowRef row);
bool OfAnyKind(Run& run, const std::vector<KindSelection>& selections, RowRef row);

// Rows related to a row.
class Query {
 public:
  // A condition on a text of the rows that others don't meet: they are looked up instead of tried.
  struct Lookup {
    const FieldInfo* field = nullptr;
    Path wanted;
  };

  enum class Scope : uint8_t {
    kFile,
    kInside,
    kBody,
    kAround,
    kBefore,
    kAfter,
    kChildren,
    kReachable,
    kReaching,
    kFiles,
  };

  // The table of the rows.
  FactTable table() const { return list ? FactTable::kValue : kinds.front().kind.table; }

  // Calls `visit` with each row, which then also stands in `frame`, until it returns false.
  void ForEach(Run& run, Frame& frame, absl::FunctionRef<bool(RowRef)> visit) const;

  std::vector<KindSelection> kinds;
  Scope scope = Scope::kFile;
  std::optional<Path> of;  // none: the row of `anchor`
  size_t anchor = 0;       // slot
  size_t slot = 0;         // where the rows stand
  bool base = false;
  bool filter_files = false;
  std::vector<Template> tree;     // globs of files of the tree; empty: files of the review
  std::optional<Path> loaded_by;  // a file or an import: rows of the files that Python runs for it
  std::vector<std::string> roles;
  Clause files;                  // on a file at `slot`; may be none
  Clause where;                  // may be none
  std::optional<Lookup> lookup;  // a part of `where`; for rows of whole files
  Operand list;                  // elements of a list instead of rows

 private:
  // Each returns false once `visit` did.
  bool Offer(Run& run, Frame& frame, RowRef row, absl::FunctionRef<bool(RowRef)> visit) const;
  bool OverUnit(Run& run, Frame& frame, const Unit& unit, RowRef anchor, absl::FunctionRef<bool(RowRef)> visit) const;
  // One file of the tree. Returns false once `visit` did.
  bool OverFile(Run& run, Frame& frame, const Unit& unit, RowRef anchor, absl::FunctionRef<bool(RowRef)> visit) const;
  void OverLoaded(Run& run, Frame& frame, RowRef anchor, absl::FunctionRef<bool(RowRef)> visit) const;
  void OverTree(Run& run, Frame& frame, RowRef anchor, absl::FunctionRef<bool(RowRef)> visit) const;
  bool OverKind(Run& run, Frame& frame, const Unit& unit, RowRef anchor, const KindSelection& kind,
                absl::FunctionRef<bool(RowRef)> visit) const;
  bool OverWhole(Run& run, Frame& frame, const Unit& unit, const KindSelection& kind,
                 absl::FunctionRef<bool(RowRef)> visit) const;
  bool OverRange(Run& run, Frame& frame, const Unit& unit, const KindSelection& kind, ByteSpan range, RowRef except,
                 absl::FunctionRef<bool(RowRef)> visit) const;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_EXPRESSION_H_
