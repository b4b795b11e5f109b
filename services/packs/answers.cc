#include "services/packs/answers.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/checks/rule_names.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/packs/case_issue.h"

namespace yardmaster {
namespace {

// One rule of a pack, whatever its kind.
struct FoundRule {
  std::string_view kind;
  const std::string* id;
  const std::string* written;
  const Origin* origin;
};

// People write ids in any case.
bool SameId(std::string_view a, std::string_view b) { return absl::EqualsIgnoreCase(Abs(a), Abs(b)); }

// Ids are unique among signals, suppressors and steps; a classifier may share one.
std::vector<FoundRule> FindRules(const rules::PackModel& pack, std::string_view id) {
  std::vector<FoundRule> found;
  const auto look = [&](std::string_view kind, const auto& pieces) {
    for (const auto& piece : pieces) {
      if (SameId(piece.id, id)) found.push_back({kind, &piece.id, &piece.written, &piece.origin});
    }
  };
  look("signal", pack.signals);
  look("suppressor", pack.suppressors);
  look("classifier", pack.classifiers);
  look("step", pack.steps);
  return found;
}

// Ids of the pack's cases in which the rule fires.
absl::Status FiringCases(const rules::CompiledPack& pack, std::string_view id, const KeepGoing& keep_going,
                         std::vector<std::string>& out) {
  for (const rules::CaseModel& model : pack.model().cases) {
    if (keep_going) {
      RETURN_IF_ERROR(keep_going());
    }
    ASSIGN_OR_RETURN(const rules::IssueInput issue, CaseIssue(pack.model().name, model));
    const std::vector<std::string_view> fired = pack.FiredRules(issue.View());
    if (absl::c_linear_search(fired, id)) out.push_back(model.id);
  }
  return absl::OkStatus();
}

// Protobuf strings must be valid UTF-8; what a library says about bad input need not be.
std::string AsText(const std::string& text) {
  constexpr size_t kMaxBytes = 4096;
  return IsValidUtf8(text) ? text : Readable(text, kMaxBytes);
}

void Append(const std::vector<std::string>& names, google::protobuf::RepeatedPtrField<std::string>& out) {
  for (const std::string& name : names) *out.Add() = name;
}

// The review checks of that rule: one rule may be several checks.
void AddCheck(const PackSet& packs, const std::string& pack, std::string_view id, v1::ShowRuleResponse& out) {
  const std::shared_ptr<const rules::CheckSet> checks = packs.FindChecks(pack);
  if (checks == nullptr) return;
  for (const rules::CheckInfo& check : checks->checks()) {
    if (!rules::IsNamed(check, id)) continue;
    v1::RuleInfo& info = *out.add_rules();
    info.set_pack(pack);
    info.set_id(check.id);
    info.set_kind("check");
    info.set_file(AsText(check.file));
    info.set_line(check.line);
    info.set_json(AsText(check.written));
    for (size_t i = 0; i < check.good_cases; ++i) info.add_cases(check.id + "/good/" + std::to_string(i));
    for (size_t i = 0; i < check.bad_cases; ++i) info.add_cases(check.id + "/bad/" + std::to_string(i));
  }
}

// The command of that id; its examples stand in the place of cases.
void AddCommand(const rules::CompiledPack& pack, std::string_view id, v1::ShowRuleResponse& out) {
  const rules::CommandModel* command = pack.commands()->Find(absl::AsciiStrToLower(Abs(id)));
  if (command == nullptr) return;
  v1::RuleInfo& info = *out.add_rules();
  info.set_pack(pack.model().name);
  info.set_id(command->id);
  info.set_kind("command");
  info.set_file(AsText(command->origin.file));
  info.set_line(command->origin.line);
  info.set_json(AsText(command->written));
  for (const rules::CommandExample& example : command->examples) info.add_cases(AsText(example.text));
}

}  // namespace

v1::PackInfo DescribePack(const rules::CompiledPack& pack) {
  const rules::PackModel& model = pack.model();
  v1::PackInfo info;
  info.set_name(model.name);
  info.set_title(model.title);
  info.set_revision(model.revision);
  info.set_extends(model.extends);
  info.set_rules(static_cast<uint32_t>(model.signals.size() + model.suppressors.size() + model.steps.size()));
  info.set_labels(static_cast<uint32_t>(model.guardrails ? model.guardrails->allow.size() : 0));
  info.set_cases(static_cast<uint32_t>(model.cases.size()));
  info.set_has_rubric(model.has_rubric);
  info.set_has_guardrails(model.guardrails.has_value());
  info.set_commands(static_cast<uint32_t>(pack.commands()->commands().size()));
  return info;
}

void WriteProblems(const Problems& problems, google::protobuf::RepeatedPtrField<v1::PackProblem>& out) {
  for (const Problem& problem : problems) {
    v1::PackProblem& to = *out.Add();
    to.set_file(AsText(problem.file));
    to.set_pointer(AsText(problem.pointer));
    to.set_line(problem.line);
    to.set_column(problem.column);
    to.set_message(AsText(problem.message));
  }
}

std::string ProblemLines(const Problems& problems) {
  return absl::StrJoin(problems, "\n", [](std::string* out, const Problem& one) { *out += one.ToString(); });
}

absl::Status ShowRule(const PackSet& packs, std::string_view id, std::string_view pack, v1::ShowRuleResponse& out,
                      const KeepGoing& keep_going) {
  if (id.empty()) return errors::FieldMissing("id");
  if (id.size() > kMaxNameBytes) return errors::OverLimit("id", id.size(), kMaxNameBytes, "bytes");
  std::vector<std::shared_ptr<const rules::CompiledPack>> looked_at;
  if (pack.empty()) {
    for (const auto& [name, one] : packs.packs()) looked_at.push_back(one);
  } else {
    ASSIGN_OR_RETURN(std::shared_ptr<const rules::CompiledPack> one, FindPack(packs, pack));
    looked_at.push_back(std::move(one));
  }
  for (const std::shared_ptr<const rules::CompiledPack>& one : looked_at) {
    AddCheck(packs, one->model().name, id, out);
    AddCommand(*one, id, out);
    const std::vector<FoundRule> found = FindRules(one->model(), id);
    if (found.empty()) continue;
    std::vector<std::string> cases;
    RETURN_IF_ERROR(FiringCases(*one, *found.front().id, keep_going, cases));
    for (const FoundRule& rule : found) {
      v1::RuleInfo& info = *out.add_rules();
      info.set_pack(one->model().name);
      info.set_id(*rule.id);
      info.set_kind(std::string(rule.kind));
      info.set_file(rule.origin->file);
      info.set_line(rule.origin->line);
      info.set_json(*rule.written);
      // Classifiers don't fire; the id is then that of another rule.
      if (rule.kind != "classifier") Append(cases, *info.mutable_cases());
    }
  }
  return out.rules_size() > 0 ? absl::OkStatus() : errors::RuleUnknown(id, pack);
}

std::optional<v1::ShowRuleResponse> FindRule(const std::filesystem::path& packs_dir, std::string_view id) {
  Problems problems;
  const std::shared_ptr<const PackSet> packs = LoadPackSet(packs_dir, problems);
  v1::ShowRuleResponse found;
  return packs != nullptr && ShowRule(*packs, id, "", found).ok() ? std::optional(std::move(found)) : std::nullopt;
}

void WritePackTest(const PackTest& result, v1::TestPackResponse& out) {
  v1::PackTestResult& totals = *out.add_packs();
  totals.set_pack(result.pack);
  totals.set_cases(static_cast<uint32_t>(result.cases));
  totals.set_failed(static_cast<uint32_t>(result.failures.size()));
  totals.set_rules(static_cast<uint32_t>(result.rules));
  totals.set_rules_covered(static_cast<uint32_t>(result.rules_covered));
  totals.set_rules_with_own_function(static_cast<uint32_t>(result.rules_with_own_function));
  totals.set_rules_with_own_function_in_pack(static_cast<uint32_t>(result.rules_with_own_function_in_pack));
  Append(result.uncovered, *totals.mutable_uncovered());
  for (const FailedCase& failed : result.failures) {
    v1::CaseFailure& to = *out.add_failures();
    to.set_pack(result.pack);
    to.set_case_id(failed.case_id);
    to.set_file(failed.file);
    to.set_line(failed.line);
    Append(failed.differences, *to.mutable_differences());
  }
}

std::string PackTestLine(const v1::PackTestResult& result) {
  const uint32_t rules = result.rules();
  return absl::StrCat(result.pack(), ": ", result.cases(), " cases, ", result.failed(), " failed, ",
                      rules == 0 ? 100 : result.rules_covered() * 100 / rules, " % of rules covered, ",
                      rules == 0 ? 0 : result.rules_with_own_function() * 100 / rules,
                      " % of rules need a function of their own (",
                      rules == 0 ? 0 : result.rules_with_own_function_in_pack() * 100 / rules, " % within the pack)");
}

void WriteBacktest(const BacktestResult& result, v1::BacktestResponse& out) {
  out.set_cases(static_cast<uint32_t>(result.cases));
  for (const LabelChange& label : result.labels) {
    v1::LabelDifference& to = *out.add_labels();
    to.set_label(label.label);
    to.set_base(static_cast<uint32_t>(label.base));
    to.set_candidate(static_cast<uint32_t>(label.candidate));
    to.set_added(static_cast<uint32_t>(label.added));
    to.set_removed(static_cast<uint32_t>(label.removed));
  }
  for (const IssueChange& issue : result.issues) {
    v1::IssueDifference& to = *out.add_issues();
    to.set_index(static_cast<uint32_t>(issue.index));
    Append(issue.added, *to.mutable_added());
    Append(issue.removed, *to.mutable_removed());
    Append(issue.applied_added, *to.mutable_applied_added());
    Append(issue.applied_removed, *to.mutable_applied_removed());
    to.set_base_template(issue.base_template);
    to.set_candidate_template(issue.candidate_template);
  }
}

}  // namespace yardmaster
