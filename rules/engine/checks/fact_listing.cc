#include "rules/engine/checks/fact_listing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/checks/field_getters.h"
#include "rules/engine/checks/file_roles.h"
#include "rules/engine/checks/run.h"
#include "services/core/readable.h"
#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxListedPoints = 200;  // code points of a text
constexpr size_t kMaxListedElements = 50;
constexpr std::chrono::milliseconds kListingLimit{10'000};

// What the place says already, and what only a change has.
constexpr std::array<std::string_view, 7> kUnlisted = {"file", "line", "column", "added", "removed", "kind", "change"};

std::string_view KindOf(const RowRef& row) {
  const FileFacts& facts = row.unit->facts();
  if (row.table == FactTable::kExpr) {
    const ExprType type = facts.exprs[row.index].type;
    return type == ExprType::kOther ? TableName(row.table) : NameOf(type);
  }
  if (row.table == FactTable::kStatement && facts.statements[row.index].type < StatementType::kAssign) {
    return NameOf(facts.statements[row.index].type);
  }
  return TableName(row.table);
}

// Files may hold bytes that are no UTF-8; JSON must not.
std::string ListedText(std::string_view text) {
  const std::string_view cut = FirstCodePoints(text, kMaxListedPoints);
  std::string out = IsValidUtf8(cut) ? std::string(cut) : Readable(cut, kMaxListedPoints);
  if (cut.size() < text.size()) out += "…";
  return out;
}

Json ListedValue(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kMissing:
      return nullptr;
    case Value::Kind::kBool:
      return value.number != 0;
    case Value::Kind::kNumber: {
      // JSON of Python has numbers that are none.
      if (!std::isfinite(value.number)) return absl::StrCat(value.number);
      const auto whole = static_cast<int64_t>(std::clamp(value.number, -9e15, 9e15));
      return static_cast<double>(whole) == value.number ? Json(whole) : Json(value.number);
    }
    case Value::Kind::kText:
      return ListedText(value.text);
    case Value::Kind::kRow: {
      const RowRef& row = value.row;
      return {{"kind", KindOf(row)},
              {"line", row.unit->LineOf(row.table, row.index)},
              {"text", ListedText(row.unit->facts().Text(row.unit->HeadOf(row.table, row.index)))}};
    }
    case Value::Kind::kList: {
      Json list = Json::array();
      for (size_t i = 0; i < std::min(value.list->size(), kMaxListedElements); ++i) {
        list.push_back(ListedValue((*value.list)[i]));
      }
      if (value.list->size() > kMaxListedElements) list.push_back("…");
      return list;
    }
  }
  return nullptr;
}

// Goes over the rows of one file.
class Lister {
 public:
  Lister(std::shared_ptr<const SourceFile> source, const CheckSet::Impl& checks) : checks_(checks), run_(checks) {
    auto unit = std::make_unique<Unit>(std::move(source));
    AssignRole(checks, "", "", *unit);
    run_.units.push_back(std::move(unit));
    run_.profile_name = checks.default_profile;
    run_.Start(kListingLimit);
  }

  const Unit& unit() const { return *run_.units.front(); }
  bool in_time() const { return !run_.expired(); }

  void List(const KindInfo& kind, absl::FunctionRef<void(const ListedFact&)> visit) {
    const Rows rows = RowsOf(unit(), kind);
    for (size_t i = 0; i < rows.count; ++i) visit(Listed({&unit(), kind.table, rows.At(i)}));
  }

 private:
  ListedFact Listed(const RowRef& row) {
    run_.Forget();
    ListedFact fact;
    fact.kind = KindOf(row);
    fact.line = row.unit->LineOf(row.table, row.index);
    fact.fields = Json::object();
    for (const std::string_view name : FieldNames(row.table)) {
      if (absl::c_linear_search(kUnlisted, name)) continue;
      Json value = ListedValue(FindField(row.table, name)->get(run_, row));
      if (!value.is_null()) fact.fields[std::string(name)] = std::move(value);
    }
    if (row.table == FactTable::kFile) {
      for (const auto& [name, value] : unit().groups) fact.fields.emplace(name, ListedText(value));
    }
    const Value column = FindField(row.table, "column")->get(run_, row);
    fact.column = static_cast<uint32_t>(column.number);
    for (size_t i = 0; i < checks_.definitions.size(); ++i) {
      if (run_.Is(i, row)) fact.definitions.push_back(checks_.definitions[i].name);
    }
    return fact;
  }

  const CheckSet::Impl& checks_;
  Run run_;
};

}  // namespace

ListedFile ListFacts(std::shared_ptr<const SourceFile> source, const CheckSet* checks, std::string_view kind,
                     absl::FunctionRef<void(const ListedFact&)> visit) {
  const CheckSet::Impl none;
  Lister lister(std::move(source), checks == nullptr ? none : checks->impl());
  if (!kind.empty()) {
    lister.List(*FindKind(kind), visit);
  } else {
    for (const std::string_view table : kTables) {
      const KindInfo& all = *FindKind(table);
      const bool of_file = all.table != FactTable::kSet && all.table != FactTable::kMatch &&
                           all.table != FactTable::kValue && all.table != FactTable::kLine;
      if (of_file) lister.List(all, visit);
    }
  }
  return {lister.unit().role, lister.in_time()};
}

}  // namespace yardmaster::rules
