#include "rules/engine/checks/near_miss.h"

#include <chrono>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

constexpr std::chrono::milliseconds kNearMissLimit{2000};
constexpr size_t kMaxSeenElements = 5;

std::string SeenText(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kMissing:
      return "nothing";
    case Value::Kind::kBool:
      return value.number != 0 ? "true" : "false";
    case Value::Kind::kNumber:
      return nlohmann::json(value.number == static_cast<double>(static_cast<int64_t>(value.number))
                                ? nlohmann::json(static_cast<int64_t>(value.number))
                                : nlohmann::json(value.number))
          .dump();
    case Value::Kind::kText:
      return Quoted(value.text);
    case Value::Kind::kRow:
      if (value.row.unit == nullptr) return "";
      return Quoted(value.row.unit->facts().Text(value.row.unit->SpanOf(value.row.table, value.row.index)));
    case Value::Kind::kList: {
      std::string out;
      for (size_t i = 0; i < value.list->size(); ++i) {
        if (i > 0) out += ", ";
        if (i == kMaxSeenElements) return out + "…";
        out += SeenText((*value.list)[i]);
      }
      return out.empty() ? "an empty list" : out;
    }
  }
  return "";
}

// Of a condition about other rows the lines that they begin in.
std::string Seen(Run& run, Frame& frame, const RuleCondition& condition) {
  if (!condition.seen) return "";
  const Value value = condition.seen(run, frame);
  if (!condition.lines) return SeenText(value);
  if (value.kind != Value::Kind::kList || value.list->empty()) return "no such row";
  return (value.list->size() == 1 ? "one in line " : "some in lines ") + SeenText(value);
}

class NearMissFinder {
 public:
  NearMissFinder(Run& run, const RuleBody& body) : run_(run), body_(body) {}

  void Look(const RowRef& row) {
    run_.Forget();
    Frame frame;
    frame.rows[0] = row;
    std::vector<std::optional<Value>> lets(body_.lets.size());
    frame.lets = &body_.lets;
    frame.let_values = &lets;
    size_t held = 0;
    const RuleCondition* stopped = nullptr;
    for (const RuleCondition& condition : body_.conditions) {
      if (condition.clause.holds(run_, frame)) {
        ++held;
      } else if (stopped == nullptr) {
        stopped = &condition;
      }
    }
    ++nearest_.looked;
    const bool nearer = stopped != nullptr && (!nearest_.row || held > nearest_.held);
    if (nearer) nearest_ = {row, nearest_.looked, held, stopped, Seen(run_, frame, *stopped)};
  }

  NearMiss Take() { return std::move(nearest_); }

 private:
  Run& run_;
  const RuleBody& body_;
  NearMiss nearest_;
};

}  // namespace

NearMiss FindNearMiss(Run& run, const CompiledRule& rule, const RuleBody& body, const std::vector<const Unit*>& units,
                      const std::vector<uint32_t>& lines) {
  NearMissFinder finder(run, body);
  run.Start(kNearMissLimit);
  if (rule.table == FactTable::kSet) finder.Look({nullptr, FactTable::kSet, 0});
  // Elements of lists and matches of queries are there only while they are judged.
  if (!rule.OverFiles() || rule.query != nullptr) return finder.Take();
  for (const Unit* unit : units) {
    for (const KindSelection& kind : rule.kinds) {
      const Rows rows = RowsOf(*unit, kind.kind);
      for (size_t i = 0; i < rows.count && !run.expired(); ++i) {
        const RowRef row = {unit, rule.table, rows.At(i)};
        if (!lines.empty() && !absl::c_linear_search(lines, unit->LineOf(row.table, row.index))) continue;
        if (InDefinitions(run, kind, row)) finder.Look(row);
      }
    }
  }
  return finder.Take();
}

std::string NoRowText(const CheckSet::Impl& checks, const CompiledRule& rule, const std::vector<uint32_t>& lines) {
  std::vector<std::string> kinds;
  for (const KindSelection& selection : rule.kinds) {
    const bool named = !selection.definitions.empty();
    kinds.emplace_back(named ? checks.definitions[selection.definitions.back()].name : selection.kind.name);
  }
  std::string out = absl::StrCat("there is no ", absl::StrJoin(kinds, " or "));
  if (!lines.empty()) absl::StrAppend(&out, lines.size() == 1 ? " in line " : " in lines ", absl::StrJoin(lines, ", "));
  return out;
}

std::string NearMissText(const NearMiss& near, const RuleBody& body) {
  std::string out = "nearest: ";
  if (near.row.unit != nullptr) {
    const std::string_view text = near.row.unit->facts().Text(near.row.unit->SpanOf(near.row.table, near.row.index));
    out += near.row.unit->path() + ":" + std::to_string(near.row.unit->LineOf(near.row.table, near.row.index)) + " " +
           Quoted(text, 60) + ", ";
  }
  out += std::to_string(near.held) + " of " + std::to_string(body.conditions.size()) + " conditions hold, stopped by " +
         near.stopped->text;
  return near.seen.empty() ? out : out + ", which saw " + near.seen;
}

}  // namespace yardmaster::rules
