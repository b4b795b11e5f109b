#include "services/packs/pack_test.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/engine/pack/pack_model.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/packs/case_issue.h"

namespace yardmaster {
namespace {

using Names = std::set<std::string_view>;

std::string Join(const Names& names) {
  std::string out;
  for (std::string_view name : names) {
    if (!out.empty()) out += ", ";
    out += '"';
    out += name;
    out += '"';
  }
  return out.empty() ? "none" : out;
}

// Those of `a` that are not in `b`.
Names Minus(const Names& a, const Names& b) {
  Names out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
  return out;
}

// What came out for one case. The names are views into the pack.
struct CaseOutcome {
  Names labels;
  Names applied;
  Names fired;
  std::string_view comment;
};

class CaseRunner {
 public:
  explicit CaseRunner(const rules::CompiledPack& pack) : pack_(pack) {}

  // Decides a case once; twins are asked for twice.
  absl::StatusOr<const CaseOutcome*> Run(const rules::CaseModel& model) {
    const auto known = outcomes_.find(&model);
    if (known != outcomes_.end()) return &known->second;
    ASSIGN_OR_RETURN(const rules::IssueInput issue, CaseIssue(pack_.model().name, model));
    const rules::IssueText text = issue.View();
    const rules::Decision decision = pack_.Decide(text);
    const std::vector<std::string_view> fired = pack_.FiredRules(text);

    CaseOutcome& outcome = outcomes_[&model];
    outcome.labels = Names(decision.labels.begin(), decision.labels.end());
    outcome.applied = Names(decision.applied.begin(), decision.applied.end());
    outcome.fired = Names(fired.begin(), fired.end());
    outcome.comment = decision.comment_template;
    return &outcome;
  }

  const rules::CaseModel* Find(std::string_view id) const {
    for (const rules::CaseModel& model : pack_.model().cases) {
      if (model.id == id) return &model;
    }
    return nullptr;
  }

 private:
  const rules::CompiledPack& pack_;
  std::map<const rules::CaseModel*, CaseOutcome> outcomes_;
};

void CompareSets(std::string_view what, const Names& expected, const Names& got, std::vector<std::string>& out) {
  if (expected == got) return;
  std::string text(what);
  text += ": expected " + Join(expected) + ", got " + Join(got);
  const Names missing = Minus(expected, got);
  const Names unexpected = Minus(got, expected);
  if (!missing.empty()) text += "; missing " + Join(missing);
  if (!unexpected.empty()) text += "; too much " + Join(unexpected);
  out.push_back(std::move(text));
}

std::vector<std::string> Compare(const rules::CaseModel& model, const CaseOutcome& outcome) {
  std::vector<std::string> out;
  const auto as_set = [](const std::vector<std::string>& names) { return Names(names.begin(), names.end()); };
  for (const std::string& rule : model.rules) {
    if (outcome.fired.count(rule) == 0) out.push_back("rules: \"" + rule + "\" did not fire");
  }
  for (const std::string& rule : model.not_rules) {
    if (outcome.fired.count(rule) > 0) out.push_back("not_rules: \"" + rule + "\" fired");
  }
  if (model.labels) CompareSets("labels", as_set(*model.labels), outcome.labels, out);
  if (const Names missing = Minus(as_set(model.has_labels), outcome.labels); !missing.empty()) {
    out.push_back("has_labels: missing " + Join(missing) + ", got " + Join(outcome.labels));
  }
  for (const std::string& label : model.lacks_labels) {
    if (outcome.labels.count(label) > 0) out.push_back("lacks_labels: got \"" + label + "\"");
  }
  if (model.applied) CompareSets("applied", as_set(*model.applied), outcome.applied, out);
  if (model.comment && *model.comment != outcome.comment) {
    const auto word = [](std::string_view id) { return id.empty() ? "none" : "\"" + std::string(id) + "\""; };
    out.push_back("comment: expected " + word(*model.comment) + ", got " + word(outcome.comment));
  }
  return out;
}

// Ids of the rules whose files are the pack's own.
std::vector<std::string_view> OwnRules(const rules::PackModel& pack) {
  std::vector<std::string_view> own;
  const auto add = [&](const auto& pieces) {
    for (const auto& piece : pieces) {
      if (piece.origin.pack == pack.name) own.push_back(piece.id);
    }
  };
  add(pack.signals);
  add(pack.suppressors);
  add(pack.steps);
  return own;
}

}  // namespace

absl::StatusOr<PackTest> TestPack(const rules::CompiledPack& pack, const KeepGoing& keep_going) {
  const rules::PackModel& model = pack.model();
  PackTest result;
  result.pack = model.name;
  CaseRunner runner(pack);
  Names covered;
  for (const rules::CaseModel& one : model.cases) {
    if (keep_going) {
      RETURN_IF_ERROR(keep_going());
    }
    ASSIGN_OR_RETURN(const CaseOutcome* outcome, runner.Run(one));
    std::vector<std::string> differences = Compare(one, *outcome);
    if (const rules::CaseModel* twin = one.twin_of.empty() ? nullptr : runner.Find(one.twin_of); twin != nullptr) {
      ASSIGN_OR_RETURN(const CaseOutcome* other, runner.Run(*twin));
      CompareSets("twin_of \"" + one.twin_of + "\"", other->labels, outcome->labels, differences);
    }
    ++result.cases;
    if (differences.empty()) {
      covered.insert(one.rules.begin(), one.rules.end());
    } else {
      result.failures.push_back({one.id, one.origin.file, one.origin.line, std::move(differences)});
    }
  }
  for (std::string_view id : OwnRules(model)) {
    ++result.rules;
    if (covered.count(id) > 0) {
      ++result.rules_covered;
    } else {
      result.uncovered.emplace_back(id);
    }
  }
  return result;
}

void PackTestTotals::Add(const PackTest& result) {
  ++packs;
  cases += result.cases;
  failed += result.failures.size();
  rules += result.rules;
  rules_covered += result.rules_covered;
}

unsigned PackTestTotals::CoveragePercent() const {
  return rules == 0 ? 100 : static_cast<unsigned>(rules_covered * 100 / rules);
}

std::string PackTestTotals::Line() const {
  return absl::StrCat(cases, " cases in ", packs, " packs, ", failed, " failed, ", CoveragePercent(),
                      " % of rules covered");
}

}  // namespace yardmaster
