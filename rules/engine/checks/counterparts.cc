#include "rules/engine/checks/counterparts.h"

#include <string>
#include <unordered_map>

#include "rules/engine/checks/normalized.h"

namespace yardmaster::rules {
namespace {

// What a row is called within its file; equal names are paired in order.
std::string NameOfRow(FactTable table, const Unit& unit, RowIndex row) {
  const FileFacts& facts = unit.facts();
  switch (table) {
    case FactTable::kFunction:
      return std::string(facts.functions[row].qualified);
    case FactTable::kClass:
      return std::string(facts.classes[row].qualified);
    case FactTable::kSection:
      return std::string(facts.sections[row].title);
    case FactTable::kEntry:
      return std::string(facts.entries[row].pointer);
    default:
      return Normalized(facts.Text(unit.SpanOf(table, row)));
  }
}

std::string_view TextOf(const RowRef& row) { return row.unit->facts().Text(row.unit->SpanOf(row.table, row.index)); }

std::string CodeOf(const RowRef& row) { return Normalized(TextOf(row)); }

// Most rows are the same to the letter.
bool SameCode(const RowRef& a, const RowRef& b) {
  const std::string_view left = TextOf(a);
  const std::string_view right = TextOf(b);
  return left == right || SameNormalized(left, right);
}

// Rows by name, in order.
std::unordered_map<std::string, std::vector<RowIndex>> ByName(FactTable table, const Unit& unit) {
  std::unordered_map<std::string, std::vector<RowIndex>> out;
  for (RowIndex row = 0; row < unit.RowCount(table); ++row) out[NameOfRow(table, unit, row)].push_back(row);
  return out;
}

}  // namespace

bool Counterparts::Has(FactTable table) {
  return table == FactTable::kFunction || table == FactTable::kParameter || table == FactTable::kClass ||
         table == FactTable::kImport || table == FactTable::kSection || table == FactTable::kEntry;
}

void Counterparts::PairWithinFile(FactTable table, const Unit& head, const Unit& base, Table& pairs) const {
  const auto pair = [&](RowIndex now, RowIndex before) {
    pairs.former[{&head, now}] = {&base, table, before};
    pairs.later[{&base, before}] = {&head, table, now};
  };
  auto olds = ByName(table, base);
  for (auto& [name, rows] : ByName(table, head)) {
    const auto found = olds.find(name);
    if (found == olds.end()) continue;
    std::vector<RowIndex> left = found->second;
    std::vector<RowIndex> open;
    // Overloads: those that did not change first.
    for (const RowIndex row : rows) {
      const std::string code = rows.size() + left.size() > 2 ? CodeOf({&head, table, row}) : std::string();
      size_t same = left.size();
      for (size_t i = 0; !code.empty() && i < left.size() && same == left.size(); ++i) {
        if (CodeOf({&base, table, left[i]}) == code) same = i;
      }
      if (same == left.size()) {
        open.push_back(row);
      } else {
        pair(row, left[same]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(same));
      }
    }
    for (size_t i = 0; i < open.size() && i < left.size(); ++i) pair(open[i], left[i]);
  }
}

void Counterparts::PairMoved(FactTable table, Table& pairs) const {
  std::map<std::string, std::vector<RowRef>> gone;
  std::map<std::string, std::vector<RowRef>> come;
  for (const auto& unit : units_) {
    for (RowIndex row = 0; unit->change && row < unit->RowCount(table); ++row) {
      if (!pairs.former.contains({unit.get(), row})) {
        come[NameOfRow(table, *unit, row)].push_back({unit.get(), table, row});
      }
    }
    for (RowIndex row = 0; unit->base && row < unit->base->RowCount(table); ++row) {
      if (!pairs.later.contains({unit->base.get(), row})) {
        gone[NameOfRow(table, *unit->base, row)].push_back({unit->base.get(), table, row});
      }
    }
  }
  // Only where it is clear which one it was.
  for (const auto& [name, rows] : come) {
    const auto found = gone.find(name);
    if (rows.size() != 1 || found == gone.end() || found->second.size() != 1) continue;
    const RowRef before = found->second.front();
    pairs.former[{rows.front().unit, rows.front().index}] = before;
    pairs.later[{before.unit, before.index}] = rows.front();
  }
}

Counterparts::Table& Counterparts::TableOf(FactTable table) {
  const auto [it, added] = tables_.try_emplace(table);
  Table& pairs = it->second;
  if (!added) return pairs;
  for (const auto& unit : units_) {
    if (unit->base != nullptr) PairWithinFile(table, *unit, *unit->base, pairs);
  }
  if (table == FactTable::kFunction || table == FactTable::kClass) PairMoved(table, pairs);
  return pairs;
}

// The parameter of another version of its function: by name, else at the same place where both names are unknown to the
// other version.
RowRef Counterparts::ParameterIn(const RowRef& function, const RowRef& parameter) {
  if (!function) return {};
  const ParameterFact& fact = parameter.unit->facts().parameters[parameter.index];
  const RowIndex same = function.unit->ParameterNamed(function.index, fact.name);
  if (same != kNoRow) return {function.unit, FactTable::kParameter, same};
  const FunctionFact& other = function.unit->facts().functions[function.index];
  const FunctionFact& own = parameter.unit->facts().functions[fact.function];
  if (own.parameters != other.parameters) return {};
  const RowIndex at_place = other.first_parameter + fact.index;
  if (fact.index >= other.parameters || at_place >= function.unit->facts().parameters.size()) return {};
  const std::string_view name = function.unit->facts().parameters[at_place].name;
  if (parameter.unit->ParameterNamed(fact.function, name) != kNoRow) return {};
  return {function.unit, FactTable::kParameter, at_place};
}

RowRef Counterparts::FormerOf(const RowRef& row) {
  if (row.unit == nullptr || row.unit->is_base) return {};
  // A file that the change does not touch.
  if (!row.unit->change && row.unit->base == nullptr) return row.unit->untouched ? row : RowRef();
  if (row.table == FactTable::kParameter) {
    const RowIndex function = row.unit->facts().parameters[row.index].function;
    return ParameterIn(FormerOf({row.unit, FactTable::kFunction, function}), row);
  }
  const Pairs& pairs = TableOf(row.table).former;
  const auto found = pairs.find({row.unit, row.index});
  return found == pairs.end() ? RowRef() : found->second;
}

RowRef Counterparts::LaterOf(const RowRef& row) {
  if (row.unit == nullptr || !row.unit->is_base) return {};
  if (row.table == FactTable::kParameter) {
    const RowIndex function = row.unit->facts().parameters[row.index].function;
    return ParameterIn(LaterOf({row.unit, FactTable::kFunction, function}), row);
  }
  const Pairs& pairs = TableOf(row.table).later;
  const auto found = pairs.find({row.unit, row.index});
  return found == pairs.end() ? RowRef() : found->second;
}

std::string_view Counterparts::ChangeOf(const RowRef& row) {
  const std::tuple<const Unit*, FactTable, RowIndex> key(row.unit, row.table, row.index);
  if (const auto known = changes_.find(key); known != changes_.end()) return known->second;
  const std::string_view change = FindChange(row);
  changes_.emplace(key, change);
  return change;
}

std::string_view Counterparts::FindChange(const RowRef& row) {
  const bool compares = row.unit->is_base || row.unit->change || row.unit->base != nullptr || row.unit->untouched;
  if (!compares) return {};
  const RowRef other = row.unit->is_base ? LaterOf(row) : FormerOf(row);
  if (!other) return row.unit->is_base ? "removed" : "added";
  if (other.unit == row.unit) return "same-as-base";
  const Unit& head = row.unit->is_base ? *other.unit : *row.unit;
  const Unit& base = row.unit->is_base ? *row.unit : *other.unit;
  if (row.table == FactTable::kParameter) {
    const auto name = [](const RowRef& one) { return one.unit->facts().parameters[one.index].name; };
    if (name(row) != name(other)) return "renamed";
  } else if (head.base.get() != &base) {
    return "moved";
  }
  return SameCode(row, other) ? "same-as-base" : "changed";
}

}  // namespace yardmaster::rules
