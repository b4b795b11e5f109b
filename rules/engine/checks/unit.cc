#include "rules/engine/checks/unit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {

std::string_view FileChangeName(FileChange::Kind kind) {
  static constexpr std::array<std::string_view, 5> kNames = {"added", "removed", "modified", "renamed", "copied"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

// Hops from a name to what it stands for.
constexpr int kMaxHops = 10;
// Bytes of a name with its import resolved; longer ones stay as they are written.
constexpr size_t kMaxResolvedBytes = 512;
// Functions in all remembered walks over the calls of a file.
constexpr size_t kMaxWalked = 4 * 1024 * 1024;
// For a tree that is made again: the first time it took less.
constexpr std::chrono::milliseconds kParseLimit{2000};

std::optional<double> ParseNumber(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '_') digits += c;
  }
  if (digits.empty()) return std::nullopt;
  if (digits.size() > 2 && digits[0] == '0' && std::string_view("xXbBoO").find(digits[1]) != std::string_view::npos) {
    const int base = digits[1] == 'x' || digits[1] == 'X' ? 16 : digits[1] == 'b' || digits[1] == 'B' ? 2 : 8;
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), number, base);
    if (error != std::errc()) return std::nullopt;
    return static_cast<double>(number);
  }
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  return end == digits.c_str() ? std::nullopt : std::optional<double>(number);
}

template <typename Rows>
RowIndex FirstAt(const Rows& rows, uint32_t offset) {
  const auto it = absl::c_lower_bound(rows, offset, [](const auto& row, uint32_t at) { return row.span.begin < at; });
  return static_cast<RowIndex>(it - rows.begin());
}

// Calls `use` with the rows of a table.
template <typename Result, typename Use>
Result WithRows(const FileFacts& facts, FactTable table, Result none, Use use) {
  switch (table) {
    case FactTable::kFunction:
      return use(facts.functions);
    case FactTable::kParameter:
      return use(facts.parameters);
    case FactTable::kClass:
      return use(facts.classes);
    case FactTable::kImport:
      return use(facts.imports);
    case FactTable::kExpr:
      return use(facts.exprs);
    case FactTable::kAssign:
      return use(facts.assigns);
    case FactTable::kLoop:
      return use(facts.loops);
    case FactTable::kStatement:
      return use(facts.statements);
    case FactTable::kComment:
      return use(facts.comments);
    case FactTable::kSection:
      return use(facts.sections);
    case FactTable::kCheckbox:
      return use(facts.checkboxes);
    case FactTable::kTableRow:
      return use(facts.table_rows);
    case FactTable::kListItem:
      return use(facts.list_items);
    case FactTable::kCodeBlock:
      return use(facts.code_blocks);
    case FactTable::kCodeword:
      return use(facts.codewords);
    case FactTable::kLink:
      return use(facts.links);
    case FactTable::kEntry:
      return use(facts.entries);
    case FactTable::kMacro:
      return use(facts.macros);
    case FactTable::kNamespace:
      return use(facts.namespaces);
    default:
      return none;
  }
}

}  // namespace

const SyntaxTree& Unit::Tree() const {
  if (!tree_ && facts().limits.empty() && !facts().text.empty()) {
    tree_ = ParseSource(facts().language, facts().text, kParseLimit);
  }
  return tree_;
}

size_t Unit::RowCount(FactTable table) const {
  if (gone()) return 0;
  if (table == FactTable::kFile) return 1;
  if (table == FactTable::kLine) return facts().text.empty() ? 0 : facts().line_starts.size();
  if (table == FactTable::kMatch) return matches.size();
  return WithRows(facts(), table, size_t{0}, [](const auto& rows) { return rows.size(); });
}

ByteSpan Unit::SpanOf(FactTable table, RowIndex row) const {
  const auto size = static_cast<uint32_t>(facts().text.size());
  if (table == FactTable::kLine) {
    const uint32_t begin = facts().line_starts[row];
    return {begin, static_cast<uint32_t>(begin + facts().LineText(row + 1).size())};
  }
  if (table == FactTable::kMatch) return matches[row].span;
  return WithRows(facts(), table, ByteSpan{0, size}, [&](const auto& rows) { return rows[row].span; });
}

bool Unit::SpanTouchesAdded(FactTable table, RowIndex row) const {
  const ByteSpan span = SpanOf(table, row);
  const auto& starts = facts().line_starts;
  uint32_t line = facts().LineOf(span.begin);
  // starts[line] is where the line behind it begins.
  while (!Added(line) && line < starts.size() && starts[line] < span.end) ++line;
  return Added(line);
}

bool Unit::TouchesAdded(FactTable table, RowIndex row) const {
  if (!compared()) return true;
  if (table == FactTable::kLine) return Added(row + 1);
  if (table == FactTable::kMatch) return SpanTouchesAdded(table, row);  // those of the query at hand
  const auto number = static_cast<size_t>(table);
  if (touches_added_.size() <= number) touches_added_.resize(number + 1);
  std::vector<uint8_t>& known = touches_added_[number];
  if (known.empty()) {
    known.resize(RowCount(table));
    for (RowIndex i = 0; i < known.size(); ++i) known[i] = SpanTouchesAdded(table, i) ? 1 : 0;
  }
  return row < known.size() ? known[row] != 0 : SpanTouchesAdded(table, row);
}

ByteSpan Unit::HeadOf(FactTable table, RowIndex row) const {
  switch (table) {
    case FactTable::kFunction:
      return facts().functions[row].head;
    case FactTable::kClass:
      return facts().classes[row].head;
    case FactTable::kSection:
      return facts().sections[row].head;
    default:
      return SpanOf(table, row);
  }
}

ByteSpan Unit::BodyOf(FactTable table, RowIndex row) const {
  switch (table) {
    case FactTable::kFunction:
      return facts().functions[row].body;
    case FactTable::kClass:
      return facts().classes[row].body;
    case FactTable::kLoop:
      return facts().loops[row].body;
    case FactTable::kSection:
      return facts().sections[row].body;
    case FactTable::kCodeBlock:
      return facts().code_blocks[row].body;
    default:
      return SpanOf(table, row);
  }
}

RowIndex Unit::LowerBound(FactTable table, uint32_t offset) const {
  if (table == FactTable::kLine) {
    const auto& starts = facts().line_starts;
    return static_cast<RowIndex>(absl::c_lower_bound(starts, offset) - starts.begin());
  }
  if (table == FactTable::kMatch || table == FactTable::kCodeword) return 0;  // not in order: look at all
  return WithRows(facts(), table, RowIndex{0}, [&](const auto& rows) { return FirstAt(rows, offset); });
}

RowIndex Unit::ParameterNamed(RowIndex function, std::string_view name) const {
  if (function == kNoRow) return kNoRow;
  const FunctionFact& fact = facts().functions[function];
  for (uint32_t i = 0; i < fact.parameters; ++i) {
    const RowIndex row = fact.first_parameter + i;
    if (row < facts().parameters.size() && facts().parameters[row].name == name) return row;
  }
  return kNoRow;
}

std::vector<RowIndex> Unit::DecoratorsOf(FactTable table, RowIndex row) const {
  const ByteSpan span = SpanOf(table, row);
  const uint32_t head = HeadOf(table, row).begin;
  const auto& all = facts().exprs_by_slot[static_cast<size_t>(Slot::kDecorator)];
  const auto& exprs = facts().exprs;
  auto it =
      absl::c_lower_bound(all, span.begin, [&](RowIndex expr, uint32_t at) { return exprs[expr].span.begin < at; });
  std::vector<RowIndex> out;
  for (; it != all.end() && exprs[*it].span.begin < head; ++it) out.push_back(*it);
  return out;
}

RowIndex Unit::BindingOf(RowIndex name) const {
  const ExprFact& expr = facts().exprs[name];
  if (expr.type != ExprType::kName) return kNoRow;
  // Outwards: each enclosing function, then the module. The last assignment before the name counts; in outer scopes,
  // which may run later, the last of all.
  RowIndex function = expr.place.function;
  bool same_scope = true;
  for (int hop = 0; hop <= kMaxHops; ++hop) {
    const auto found = facts().assigns_by_name.find({function, expr.name});
    if (found != facts().assigns_by_name.end()) {
      const std::vector<RowIndex>& rows = found->second;
      auto end = rows.end();
      if (same_scope) {
        end = absl::c_lower_bound(rows, expr.span.begin,
                                  [&](RowIndex row, uint32_t at) { return facts().assigns[row].span.begin < at; });
      }
      while (end != rows.begin()) {
        const AssignFact& assign = facts().assigns[*--end];
        if (assign.place.block != expr.place.block) continue;
        if (assign.level == Level::kClass && assign.place.cls != expr.place.cls) continue;
        // A name in the value of the assignment means what was there before.
        if (same_scope && assign.value != kNoRow && facts().exprs[assign.value].span.end > expr.span.begin) continue;
        return *end;
      }
    }
    if (function == kNoRow) return kNoRow;
    // A parameter hides what is outside.
    if (ParameterNamed(function, expr.name) != kNoRow) return kNoRow;
    function = facts().functions[function].place.function;
    same_scope = false;
  }
  return kNoRow;
}

RowIndex Unit::ParameterOf(RowIndex name) const {
  const ExprFact& expr = facts().exprs[name];
  if (expr.type != ExprType::kName) return kNoRow;
  RowIndex function = expr.place.function;
  for (int hop = 0; hop <= kMaxHops && function != kNoRow; ++hop) {
    const RowIndex parameter = ParameterNamed(function, expr.name);
    if (parameter != kNoRow) return BindingOf(name) == kNoRow ? parameter : kNoRow;
    function = facts().functions[function].place.function;
  }
  return kNoRow;
}

RowIndex Unit::TargetOf(RowIndex call) const {
  const ExprFact& expr = facts().exprs[call];
  if (expr.type != ExprType::kCall || expr.name.empty() || expr.base == kNoRow) return kNoRow;
  if (facts().exprs[expr.base].type != ExprType::kName) return kNoRow;
  const auto found = facts().module_functions.find(expr.name);
  return found == facts().module_functions.end() ? kNoRow : found->second;
}

std::optional<double> Unit::NumberOf(RowIndex expr) const {
  for (int hop = 0; hop <= kMaxHops && expr != kNoRow; ++hop) {
    const ExprFact& fact = facts().exprs[expr];
    if (fact.type == ExprType::kNumber) return ParseNumber(fact.value);
    if (fact.type == ExprType::kUnary && (fact.op == "-" || fact.op == "+") && expr + 1 < facts().exprs.size()) {
      const ExprFact& operand = facts().exprs[expr + 1];
      if (operand.type != ExprType::kNumber || operand.parent != expr) return std::nullopt;
      const auto number = ParseNumber(operand.value);
      return number && fact.op == "-" ? -*number : number;
    }
    if (fact.type != ExprType::kName) return std::nullopt;
    const RowIndex binding = BindingOf(expr);
    if (binding == kNoRow || facts().assigns[binding].form == "augmented") return std::nullopt;
    expr = facts().assigns[binding].value;
  }
  return std::nullopt;
}

std::optional<std::string_view> Unit::TextOf(RowIndex expr) const {
  for (int hop = 0; hop <= kMaxHops && expr != kNoRow; ++hop) {
    const ExprFact& fact = facts().exprs[expr];
    if (fact.type == ExprType::kString) return Interpolated(expr);
    if (fact.type == ExprType::kBinary && fact.op == "+") return Joined(expr);
    if (fact.type != ExprType::kName) return std::nullopt;
    const RowIndex binding = BindingOf(expr);
    if (binding == kNoRow || facts().assigns[binding].form == "augmented") return std::nullopt;
    expr = facts().assigns[binding].value;
  }
  return std::nullopt;
}

// The direct parts of an expression put together; `add` says how. Texts that name each other, or are too long, are not
// known.
template <typename Add>
std::optional<std::string_view> Unit::Composed(RowIndex expr, std::string text, Add add) const {
  const auto [known, first] = texts_.try_emplace(expr);
  if (!first) return known->second;
  if (composing_ >= kMaxHops) return std::nullopt;
  ++composing_;
  bool whole = true;
  for (RowIndex i = expr + 1; whole && i < facts().exprs[expr].subtree_end; i = facts().exprs[i].subtree_end) {
    const std::optional<std::string_view> part = TextOf(i);
    whole = part && text.size() + part->size() <= kMaxResolvedBytes && add(text, i, *part);
  }
  --composing_;
  resolved_bytes_ += whole ? text.size() : 0;
  if (!whole || resolved_full()) return std::nullopt;
  return texts_[expr] = std::move(text);
}

std::string_view Unit::Interpolated(RowIndex expr) const {
  const ExprFact& fact = facts().exprs[expr];
  if (fact.op.find_first_of("fF") == std::string_view::npos || fact.subtree_end == expr + 1) return fact.value;
  const auto replace = [&](std::string& text, RowIndex name, std::string_view part) {
    const std::string place = "{" + std::string(facts().Text(facts().exprs[name].span)) + "}";
    const size_t at = text.find(place);
    if (at != std::string::npos) text.replace(at, place.size(), part);
    return at != std::string::npos;
  };
  return Composed(expr, std::string(fact.value), replace).value_or(fact.value);
}

std::optional<std::string_view> Unit::Joined(RowIndex expr) const {
  return Composed(expr, {}, [](std::string& text, RowIndex, std::string_view part) {
    text += part;
    return true;
  });
}

std::string_view Unit::ResolvedName(RowIndex expr) const {
  const ExprFact& fact = facts().exprs[expr];
  if (fact.name.empty()) return {};
  const auto alias = facts().aliases.find(fact.root);
  if (alias == facts().aliases.end() || alias->second == fact.root || !fact.name.starts_with(fact.root) ||
      alias->second.size() + fact.name.size() > kMaxResolvedBytes) {
    return fact.name;
  }
  const auto known = resolved_.find(expr);
  if (known != resolved_.end()) return known->second;
  resolved_bytes_ += alias->second.size() + fact.name.size();
  if (resolved_full()) return fact.name;
  const auto [it, inserted] = resolved_.try_emplace(expr);
  if (inserted) {
    it->second = std::string(alias->second) + std::string(fact.name.substr(fact.root.size()));
  }
  return it->second;
}

void Unit::BuildCalls() const {
  if (calls_built_) return;
  calls_built_ = true;
  callees_.resize(facts().functions.size());
  callers_.resize(facts().functions.size());
  std::vector<std::pair<RowIndex, RowIndex>> calls;
  for (const RowIndex call : facts().exprs_by_type[static_cast<size_t>(ExprType::kCall)]) {
    const RowIndex target = TargetOf(call);
    const RowIndex function = facts().exprs[call].place.function;
    if (target != kNoRow && function != kNoRow) calls.emplace_back(function, target);
  }
  // Each pair once: a hostile text calls the same function many times at the bottom of many.
  absl::c_sort(calls);
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  for (const auto& call : calls) {
    // A call inside of nested functions belongs to all of them.
    for (RowIndex function = call.first; function != kNoRow; function = facts().functions[function].place.function) {
      callees_[function].push_back(call.second);
      callers_[call.second].push_back(function);
    }
  }
}

std::shared_ptr<const std::vector<RowIndex>> Unit::Remembered(Walks& walks, RowIndex function,
                                                              const std::vector<std::vector<RowIndex>>& edges) const {
  auto& known = walks[function];
  if (known != nullptr) return known;
  std::vector<bool> seen(edges.size(), false);
  std::vector<RowIndex> todo = {function};
  std::vector<RowIndex> out;
  seen[function] = true;
  while (!todo.empty()) {
    const RowIndex next = todo.back();
    todo.pop_back();
    out.push_back(next);
    for (const RowIndex other : edges[next]) {
      if (seen[other]) continue;
      seen[other] = true;
      todo.push_back(other);
    }
  }
  absl::c_sort(out);
  auto result = std::make_shared<const std::vector<RowIndex>>(std::move(out));
  // Long chains of calls would make the square of their length: what is remembered is forgotten now and then.
  walked_ += result->size();
  if (walked_ > kMaxWalked) {
    reachable_.clear();
    reaching_.clear();
    walked_ = result->size();
    walks[function] = result;
  } else {
    known = result;
  }
  return result;
}

std::shared_ptr<const std::vector<RowIndex>> Unit::Reachable(RowIndex function) const {
  BuildCalls();
  return Remembered(reachable_, function, callees_);
}

std::shared_ptr<const std::vector<RowIndex>> Unit::Reaching(RowIndex function) const {
  BuildCalls();
  return Remembered(reaching_, function, callers_);
}

}  // namespace yardmaster::rules
