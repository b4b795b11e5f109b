#include "rules/engine/checks/expression.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "rules/engine/checks/compiled_checks.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

// Definitions that ask for other rows of themselves: deeper is false.
constexpr int kMaxDefinitionDepth = 64;
// Of a text that stands in a message.
constexpr size_t kMaxShownBytes = 90;

// Codewords and matches stand in no order.
bool Ordered(FactTable table) { return table != FactTable::kCodeword && table != FactTable::kMatch; }

bool Selected(const Unit& unit, const KindInfo& kind, RowIndex row) {
  switch (kind.select) {
    case KindInfo::Select::kAll:
      return true;
    case KindInfo::Select::kExprType:
      return static_cast<uint8_t>(unit.facts().exprs[row].type) == kind.value;
    case KindInfo::Select::kSlot: {
      const Slot slot = unit.facts().exprs[row].slot;
      const bool argument = static_cast<Slot>(kind.value) == Slot::kArgument;
      return static_cast<uint8_t>(slot) == kind.value || (argument && slot == Slot::kKeyword);
    }
    case KindInfo::Select::kStatementType:
      return static_cast<uint8_t>(unit.facts().statements[row].type) == kind.value;
  }
  return false;
}

// Rows that have a parent, and which it is.
RowIndex ParentOf(const Unit& unit, FactTable table, RowIndex row, FactTable of) {
  const FileFacts& facts = unit.facts();
  if (table == of && table == FactTable::kExpr) return facts.exprs[row].parent;
  if (table == of && table == FactTable::kEntry) return facts.entries[row].parent;
  if (table == of && table == FactTable::kStatement) return facts.statements[row].place.statement;
  if (table == of && table == FactTable::kSection) return facts.sections[row].parent;
  if (table == FactTable::kParameter && of == FactTable::kFunction) return facts.parameters[row].function;
  if (table == FactTable::kFunction && of == FactTable::kFunction) return facts.functions[row].place.function;
  if (table == FactTable::kFunction && of == FactTable::kClass) {
    return facts.functions[row].level == Level::kClass ? facts.functions[row].place.cls : kNoRow;
  }
  if (table == FactTable::kLoop && of == FactTable::kLoop) return facts.loops[row].place.loop;
  if (table == FactTable::kExpr && of == FactTable::kStatement) return facts.exprs[row].place.statement;
  if (table == FactTable::kAssign && of == FactTable::kStatement) return facts.assigns[row].place.statement;
  return kNoRow;
}

std::string NumberText(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15) return std::to_string(static_cast<long long>(number));
  std::string text = std::to_string(number);
  while (text.ends_with('0')) text.pop_back();
  return text;
}

void Append(const Value& value, std::string& out) {
  switch (value.kind) {
    case Value::Kind::kMissing:
      return;
    case Value::Kind::kBool:
      out += value.number != 0 ? "true" : "false";
      return;
    case Value::Kind::kNumber:
      out += NumberText(value.number);
      return;
    case Value::Kind::kText:
      out += value.text;
      return;
    case Value::Kind::kRow:
      out += value.row.unit == nullptr
                 ? std::string_view()
                 : value.row.unit->facts().Text(value.row.unit->SpanOf(value.row.table, value.row.index));
      return;
    case Value::Kind::kList:
      for (size_t i = 0; i < value.list->size(); ++i) {
        if (i > 0) out += ", ";
        Append((*value.list)[i], out);
      }
  }
}

// The child of an expression that a selector names.
RowIndex SelectArgument(const Unit& unit, RowIndex call, const Path::Selector& selector, bool items) {
  const auto& exprs = unit.facts().exprs;
  const ExprFact& around = exprs[call];
  int position = 0;
  int wanted = selector.position.value_or(-1);
  if (selector.position && wanted < 0) wanted += around.positional;
  for (RowIndex i = call + 1; i < around.subtree_end; i = exprs[i].subtree_end) {
    const Slot slot = exprs[i].slot;
    if (!selector.position) {
      if (!exprs[i].keyword.empty() && exprs[i].keyword == selector.name) return i;
      continue;
    }
    const bool counts = items ? slot == Slot::kItem || slot == Slot::kIndex || slot == Slot::kLeft ||
                                    slot == Slot::kRight || slot == Slot::kOperand
                              : slot == Slot::kArgument || slot == Slot::kIndex;
    if (counts && position++ == wanted) return i;
  }
  return kNoRow;
}

RowIndex SelectChild(const Unit& unit, RowIndex entry, const Path::Selector& selector) {
  const auto& entries = unit.facts().entries;
  int position = 0;
  int wanted = selector.position.value_or(-1);
  if (selector.position && wanted < 0) wanted += static_cast<int>(entries[entry].size);
  for (RowIndex i = entry + 1; i < entries[entry].subtree_end; i = entries[i].subtree_end) {
    if (selector.position ? position++ == wanted : entries[i].key == selector.name) return i;
  }
  return kNoRow;
}

RowIndex SelectParameter(const Unit& unit, RowIndex function, const Path::Selector& selector) {
  if (!selector.position) return unit.ParameterNamed(function, selector.name);
  const FunctionFact& fact = unit.facts().functions[function];
  int wanted = *selector.position;
  if (wanted < 0) wanted += static_cast<int>(fact.parameters);
  if (wanted < 0 || wanted >= static_cast<int>(fact.parameters)) return kNoRow;
  return fact.first_parameter + static_cast<RowIndex>(wanted);
}

// A cell of a row of Markdown, by its place or by what the table's header says there, in any letter case.
Value CellOf(const Path::Step& step, const Unit& unit, RowIndex index) {
  const TableRowFact& row = unit.facts().table_rows[index];
  for (const Path::Selector& selector : step.selectors) {
    auto place = static_cast<size_t>(-1);
    if (selector.position) {
      const int wanted =
          *selector.position < 0 ? *selector.position + static_cast<int>(row.cells.size()) : *selector.position;
      if (wanted >= 0) place = static_cast<size_t>(wanted);
    } else if (row.header != kNoRow) {
      const std::vector<std::string_view>& header = unit.facts().table_headers[row.header];
      const auto named = [&](std::string_view cell) { return absl::EqualsIgnoreCase(Abs(cell), selector.name); };
      place = static_cast<size_t>(absl::c_find_if(header, named) - header.begin());
    }
    if (place < row.cells.size()) return Value::Text(row.cells[place]);
  }
  return {};
}

Value Follow(const Path::Step& step, const Unit& unit, RowRef row) {
  for (const Path::Selector& selector : step.selectors) {
    RowIndex found = kNoRow;
    FactTable table = FactTable::kExpr;
    switch (step.kind) {
      case Path::StepKind::kArgument:
        found = SelectArgument(unit, row.index, selector, false);
        break;
      case Path::StepKind::kItem:
        found = SelectArgument(unit, row.index, selector, true);
        break;
      case Path::StepKind::kParameter:
        table = FactTable::kParameter;
        found = SelectParameter(unit, row.index, selector);
        break;
      case Path::StepKind::kChild:
        table = FactTable::kEntry;
        found = SelectChild(unit, row.index, selector);
        break;
      case Path::StepKind::kDecorator: {
        const std::vector<RowIndex> decorators = unit.DecoratorsOf(row.table, row.index);
        const auto position = static_cast<size_t>(std::max(0, selector.position.value_or(0)));
        if (position < decorators.size()) found = decorators[position];
        break;
      }
      default:
        break;
    }
    if (found != kNoRow) return Value::Row({&unit, table, found});
  }
  return {};
}

}  // namespace

Rows RowsOf(const Unit& unit, const KindInfo& kind) {
  const FileFacts& facts = unit.facts();
  switch (kind.select) {
    case KindInfo::Select::kAll:
      return {nullptr, unit.RowCount(kind.table)};
    case KindInfo::Select::kExprType:
      return {&facts.exprs_by_type[kind.value], facts.exprs_by_type[kind.value].size()};
    case KindInfo::Select::kSlot:
      return {&facts.exprs_by_slot[kind.value], facts.exprs_by_slot[kind.value].size()};
    case KindInfo::Select::kStatementType:
      return {&facts.statements_by_type[kind.value], facts.statements_by_type[kind.value].size()};
  }
  return {};
}

bool InDefinitions(Run& run, const KindSelection& selection, RowRef row) {
  return absl::c_all_of(selection.definitions, [&](size_t definition) { return run.Is(definition, row); });
}

bool OfKind(Run& run, const KindSelection& selection, RowRef row) {
  if (row.table != selection.kind.table) return false;
  if (row.unit != nullptr && !Selected(*row.unit, selection.kind, row.index)) return false;
  return InDefinitions(run, selection, row);
}

bool OfAnyKind(Run& run, const std::vector<KindSelection>& selections, RowRef row) {
  return absl::c_any_of(selections, [&](const KindSelection& selection) { return OfKind(run, selection, row); });
}

bool Run::Is(size_t definition, RowRef row) {
  const CompiledDefinition& compiled = checks_.definitions[definition];
  if (row.table != compiled.table) return false;
  std::vector<std::vector<uint8_t>>& all = row.unit == nullptr ? set_memo_ : row.unit->memo;
  if (all.size() < checks_.definitions.size()) all.resize(checks_.definitions.size());
  // Values and matches are gone when the next ones come.
  const bool remembered = row.table != FactTable::kValue && row.table != FactTable::kMatch;
  if (remembered && all[definition].empty()) {
    all[definition].resize(row.unit == nullptr ? 1 : row.unit->RowCount(row.table), 0);
  }
  if (remembered) {
    const uint8_t known = all[definition][row.index];
    if (known != 0) return known == 1;
  }
  if (depth >= kMaxDefinitionDepth || !Step()) return false;
  if (remembered) all[definition][row.index] = 3;
  ++depth;
  Frame frame;
  frame.rows[0] = row;
  const bool result = OfAnyKind(*this, compiled.kinds, row) && (!compiled.where || compiled.where.holds(*this, frame));
  --depth;
  if (remembered) {
    // Looked up anew: the tables may have moved meanwhile.
    std::vector<std::vector<uint8_t>>& memo = row.unit == nullptr ? set_memo_ : row.unit->memo;
    memo[definition][row.index] = expired_ ? 0 : result ? 1 : 2;
  }
  return result;
}

const std::vector<RowIndex>* Run::RowsWith(const Unit& unit, FactTable table, const FieldInfo& field,
                                           std::string_view text) {
  static const std::vector<RowIndex> kNone;
  constexpr size_t kBytesOfRow = sizeof(RowsByText::value_type) + sizeof(RowIndex);
  if (text.size() > kMaxLookupText) return nullptr;
  auto index = rows_by_text_.find({&unit, &field});
  if (index == rows_by_text_.end()) {
    const size_t count = unit.RowCount(table);
    if (lookup_bytes_ + count * kBytesOfRow > kMaxLookupBytes) return nullptr;
    lookup_bytes_ += count * kBytesOfRow;
    Step(count / 16);
    RowsByText rows;
    for (size_t i = 0; i < count; ++i) {
      const auto row = static_cast<RowIndex>(i);
      const Value value = field.get(*this, {&unit, table, row});
      if (value.kind == Value::Kind::kText && value.text.size() <= kMaxLookupText) rows[Abs(value.text)].push_back(row);
    }
    index = rows_by_text_.emplace(std::pair(&unit, &field), std::move(rows)).first;
  }
  const auto rows = index->second.find(Abs(text));
  return rows == index->second.end() ? &kNone : &rows->second;
}

Value Path::Get(Run& run, Frame& frame) const {
  // Most paths are a field of the row at hand.
  if (start == Start::kSlot && steps.size() == 1 && steps.front().kind == StepKind::kField) {
    return steps.front().field->get(run, frame.rows[slot]);
  }
  Value value;
  switch (start) {
    case Start::kOption: {
      const auto option = run.options.find(name);
      return option == run.options.end() ? Value() : Value::Text(option->second);
    }
    case Start::kLet: {
      std::optional<Value>& known = (*frame.let_values)[slot];
      if (!known) {
        // One that asks for itself is missing.
        known = Value();
        // Its queries have slots that a query around this path may be using.
        Frame own = frame;
        known = (*frame.lets)[slot](run, own);
      }
      value = *known;
      break;
    }
    case Start::kSet:
      value = Value::Row({nullptr, FactTable::kSet, 0});
      break;
    case Start::kSlot:
      value = {Value::Kind::kRow, 0, {}, frame.rows[slot], nullptr};
      break;
  }
  for (const Step& step : steps) {
    if (value.kind != Value::Kind::kRow) return {};
    const RowRef row = value.row;
    switch (step.kind) {
      case StepKind::kField:
        value = step.field->get(run, row);
        break;
      case StepKind::kGroup: {
        const auto group = row.unit->groups.find(step.name);
        value = group == row.unit->groups.end() ? Value() : Value::Text(group->second);
        break;
      }
      case StepKind::kSetGroup: {
        const auto group = run.set_groups.find(step.name);
        value = group == run.set_groups.end() ? Value() : Value::Text(group->second);
        break;
      }
      case StepKind::kCell:
        value = CellOf(step, *row.unit, row.index);
        break;
      case StepKind::kCapture: {
        const ByteSpan span = row.unit->matches[row.index].captures[step.capture];
        value = span.begin <= span.end ? Value::Text(row.unit->facts().Text(span)) : Value();
        break;
      }
      default:
        value = Follow(step, *row.unit, row);
    }
  }
  return value;
}

std::string Template::Expand(Run& run, Frame& frame, bool& missing, bool shown) const {
  std::string out;
  for (const Part& part : parts) {
    out += part.text;
    if (!part.path) continue;
    const Value value = part.path->Get(run, frame);
    std::string text;
    Append(value, text);
    bool none = value.kind == Value::Kind::kMissing;
    for (const Filter& filter : part.filters) {
      switch (filter.kind) {
        case Filter::Kind::kUpper:
          absl::AsciiStrToUpper(&text);
          break;
        case Filter::Kind::kLower:
          absl::AsciiStrToLower(&text);
          break;
        case Filter::Kind::kOr:
          if (none || text.empty()) text = filter.argument;
          none = false;
          break;
        case Filter::Kind::kMap: {
          const auto mapped = filter.map->find(text);
          none |= mapped == filter.map->end();
          text = mapped == filter.map->end() ? std::string() : mapped->second;
          break;
        }
        case Filter::Kind::kNearest: {
          const std::vector<std::string_view> known(filter.list->begin(), filter.list->end());
          text = std::string(NearestName(text, known));
          break;
        }
      }
    }
    missing |= none;
    if (shown && (text.find('\n') != std::string::npos || text.size() > kMaxShownBytes)) {
      // Lists of names are not cut: each of them is a part of what is wrong.
      const bool list = value.kind == Value::Kind::kList;
      std::string line;
      // More than enough for what is shown.
      const size_t enough = list ? text.size() : 8 * kMaxShownBytes;
      for (const char c : text) {
        if (line.size() > enough) break;
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank) {
          line += c;
        } else if (!line.ends_with(' ')) {
          line += ' ';
        }
      }
      text = list ? line : Readable(line, kMaxShownBytes);
    }
    out += text;
  }
  return out;
}

bool Query::Offer(Run& run, Frame& frame, RowRef row, absl::FunctionRef<bool(RowRef)> visit) const {
  if (!run.Step()) return false;
  frame.rows[slot] = row;
  if (where && !where.holds(run, frame)) return true;
  // A condition inside may have used the slot.
  frame.rows[slot] = row;
  return visit(row);
}

bool Query::OverRange(Run& run, Frame& frame, const Unit& unit, const KindSelection& kind, ByteSpan range,
                      RowRef except, absl::FunctionRef<bool(RowRef)> visit) const {
  const FactTable table = kind.kind.table;
  const Rows rows = RowsOf(unit, kind.kind);
  size_t begin = 0;
  if (Ordered(table)) {
    const RowIndex first = unit.LowerBound(table, range.begin);
    begin = rows.index == nullptr ? first
                                  : static_cast<size_t>(absl::c_lower_bound(*rows.index, first) - rows.index->begin());
  }
  const bool exact = except.table == FactTable::kExpr && table == FactTable::kExpr && except.unit == &unit;
  for (size_t i = begin; i < rows.count; ++i) {
    const RowRef row = {&unit, table, rows.At(i)};
    const ByteSpan span = unit.SpanOf(table, row.index);
    if (span.begin >= range.end && Ordered(table)) break;
    if (span.begin < range.begin || span.end > range.end || row == except) continue;
    // What encloses the expression may have the same span.
    if (exact && (row.index < except.index || row.index >= unit.facts().exprs[except.index].subtree_end)) continue;
    if (!InDefinitions(run, kind, row)) continue;
    if (!Offer(run, frame, row, visit)) return false;
  }
  return true;
}

bool Query::OverWhole(Run& run, Frame& frame, const Unit& unit, const KindSelection& kind,
                      absl::FunctionRef<bool(RowRef)> visit) const {
  const auto offer = [&](RowIndex index) {
    const RowRef row = {&unit, kind.kind.table, index};
    return !InDefinitions(run, kind, row) || Offer(run, frame, row, visit);
  };
  const Value wanted = lookup ? lookup->wanted.Get(run, frame) : Value();
  const bool is_text = wanted.kind == Value::Kind::kText;
  if (const auto* with = is_text ? run.RowsWith(unit, kind.kind.table, *lookup->field, wanted.text) : nullptr) {
    return absl::c_all_of(*with, [&](RowIndex index) { return !Selected(unit, kind.kind, index) || offer(index); });
  }
  const Rows rows = RowsOf(unit, kind.kind);
  for (size_t i = 0; i < rows.count; ++i) {
    if (!offer(rows.At(i))) return false;
  }
  return true;
}

bool Query::OverKind(Run& run, Frame& frame, const Unit& unit, RowRef anchor, const KindSelection& kind,
                     absl::FunctionRef<bool(RowRef)> visit) const {
  const FactTable table = kind.kind.table;
  const auto all = [&](auto fits) {
    const Rows rows = RowsOf(unit, kind.kind);
    run.Step(rows.count / 64);
    for (size_t i = 0; i < rows.count; ++i) {
      const RowRef row = {&unit, table, rows.At(i)};
      if (!fits(row) || !InDefinitions(run, kind, row)) continue;
      if (!Offer(run, frame, row, visit)) return false;
    }
    return true;
  };
  const auto span_of = [&](RowRef row) { return unit.SpanOf(row.table, row.index); };
  switch (scope) {
    case Scope::kFile:
    case Scope::kFiles:
      return OverWhole(run, frame, unit, kind, visit);
    case Scope::kInside:
      return OverRange(run, frame, unit, kind, span_of(anchor), anchor, visit);
    case Scope::kBody:
      return OverRange(run, frame, unit, kind, unit.BodyOf(anchor.table, anchor.index), anchor, visit);
    case Scope::kAround: {
      const ByteSpan inner = span_of(anchor);
      return all([&](RowRef row) {
        const ByteSpan span = span_of(row);
        if (row == anchor || span.begin > inner.begin || span.end < inner.end) return false;
        return row.table != anchor.table || span.begin < inner.begin || span.end > inner.end ||
               row.index < anchor.index;
      });
    }
    case Scope::kBefore: {
      const ByteSpan inner = span_of(anchor);
      return all([&](RowRef row) { return span_of(row).end <= inner.begin; });
    }
    case Scope::kAfter: {
      const ByteSpan inner = span_of(anchor);
      return all([&](RowRef row) { return span_of(row).begin >= inner.end; });
    }
    case Scope::kChildren: {
      if (table == FactTable::kExpr && anchor.table == FactTable::kExpr) {
        const auto& exprs = unit.facts().exprs;
        for (RowIndex i = anchor.index + 1; i < exprs[anchor.index].subtree_end; i = exprs[i].subtree_end) {
          const RowRef row = {&unit, table, i};
          if (!OfKind(run, kind, row)) continue;
          if (!Offer(run, frame, row, visit)) return false;
        }
        return true;
      }
      return all([&](RowRef row) { return ParentOf(unit, table, row.index, anchor.table) == anchor.index; });
    }
    case Scope::kReachable:
    case Scope::kReaching: {
      if (anchor.table != FactTable::kFunction) return true;
      const std::shared_ptr<const std::vector<RowIndex>> reached =
          scope == Scope::kReachable ? unit.Reachable(anchor.index) : unit.Reaching(anchor.index);
      const std::vector<RowIndex>& functions = *reached;
      run.Step(functions.size() / 16);
      for (const RowIndex function : functions) {
        const RowRef row = {&unit, FactTable::kFunction, function};
        if (table == FactTable::kFunction) {
          if (OfKind(run, kind, row) && !Offer(run, frame, row, visit)) return false;
          continue;
        }
        // What lies in a function around it was or will be seen there.
        bool seen = false;
        for (RowIndex outer = unit.facts().functions[function].place.function; outer != kNoRow;
             outer = unit.facts().functions[outer].place.function) {
          seen |= absl::c_binary_search(functions, outer);
        }
        if (!seen && !OverRange(run, frame, unit, kind, span_of(row), row, visit)) return false;
      }
      return true;
    }
  }
  return true;
}

bool Query::OverUnit(Run& run, Frame& frame, const Unit& unit, RowRef anchor,
                     absl::FunctionRef<bool(RowRef)> visit) const {
  const Unit* side = base ? unit.base.get() : &unit;
  if (side == nullptr) return true;
  return absl::c_all_of(kinds,
                        [&](const KindSelection& kind) { return OverKind(run, frame, *side, anchor, kind, visit); });
}

bool Query::OverFile(Run& run, Frame& frame, const Unit& unit, RowRef anchor,
                     absl::FunctionRef<bool(RowRef)> visit) const {
  if (!roles.empty() && !absl::c_linear_search(roles, unit.role)) return true;
  if (files) {
    frame.rows[slot] = {&unit, FactTable::kFile, 0};
    if (!files.holds(run, frame)) return true;
  }
  return absl::c_all_of(kinds,
                        [&](const KindSelection& kind) { return OverKind(run, frame, unit, anchor, kind, visit); });
}

void Query::OverLoaded(Run& run, Frame& frame, RowRef anchor, absl::FunctionRef<bool(RowRef)> visit) const {
  const Value from = loaded_by->Get(run, frame);
  if (from.kind != Value::Kind::kRow || from.row.unit == nullptr) return;
  const RowIndex import = from.row.table == FactTable::kImport ? from.row.index : kNoRow;
  const TreeSide side = base ? TreeSide::kBase : TreeSide::kHead;
  for (const Unit* unit : run.imports.LoadedBy(*from.row.unit, import, side, [&] { return run.Step(); })) {
    if (!OverFile(run, frame, *unit, anchor, visit)) return;
  }
}

void Query::OverTree(Run& run, Frame& frame, RowRef anchor, absl::FunctionRef<bool(RowRef)> visit) const {
  const bool parsed = absl::c_any_of(kinds, [](const KindSelection& kind) {
    return kind.kind.table != FactTable::kFile && kind.kind.table != FactTable::kLine;
  });
  for (const Template& glob : tree) {
    bool missing = false;
    const std::string paths = glob.Expand(run, frame, missing);
    if (missing) continue;
    for (const Unit* unit : run.tree.Find(paths, base ? TreeSide::kBase : TreeSide::kHead, parsed)) {
      if (!OverFile(run, frame, *unit, anchor, visit)) return;
    }
  }
}

void Query::ForEach(Run& run, Frame& frame, absl::FunctionRef<bool(RowRef)> visit) const {
  if (list) {
    const Value value = list(run, frame);
    if (value.kind != Value::Kind::kList) return;
    const size_t around = run.values.size();
    for (size_t i = 0; i < value.list->size(); ++i) {
      run.values.emplace_back((*value.list)[i], i);
      const RowRef row = {nullptr, FactTable::kValue, static_cast<RowIndex>(run.values.size() - 1)};
      const bool more = Offer(run, frame, row, visit);
      run.values.resize(around);
      if (!more) return;
    }
    return;
  }
  // The set has one row.
  if (kinds.size() == 1 && kinds[0].kind.table == FactTable::kSet) {
    const RowRef row = {nullptr, FactTable::kSet, 0};
    if (InDefinitions(run, kinds[0], row)) Offer(run, frame, row, visit);
    return;
  }

  RowRef from = frame.rows[anchor];
  if (of) {
    const Value value = of->Get(run, frame);
    if (value.kind != Value::Kind::kRow) return;
    from = value.row;
  }
  if (loaded_by) {
    OverLoaded(run, frame, from, visit);
    return;
  }
  const bool everywhere = !tree.empty() || scope == Scope::kFiles || from.unit == nullptr;
  if (!everywhere) {
    OverUnit(run, frame, *from.unit, from, visit);
    return;
  }
  if (!tree.empty()) {
    OverTree(run, frame, from, visit);
    return;
  }
  for (const std::unique_ptr<Unit>& unit : run.units) {
    if (!roles.empty() && !absl::c_linear_search(roles, unit->role)) continue;
    if (files) {
      frame.rows[slot] = {unit.get(), FactTable::kFile, 0};
      if (!files.holds(run, frame)) continue;
    }
    if (!OverUnit(run, frame, *unit, from, visit)) return;
  }
}

}  // namespace yardmaster::rules
