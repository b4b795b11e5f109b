#include "clients/cli/rules_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "clients/cli/answer.h"
#include "clients/cli/style.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "services/core/lines.h"
#include "services/core/repository_name.h"
#include "services/packs/answers.h"
#include "services/packs/rule_view.h"
#include "services/triage/decision_json.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;

// Rules without a case and issues that changed are listed up to here; --json has all.
constexpr int kMaxListed = 50;

template <typename Strings>
std::string Joined(const Strings& strings, const char* separator) {
  return absl::StrJoin(strings, separator,
                       [](std::string* out, const std::string& text) { out->append(Printable(text)); });
}

std::string Number(size_t number) { return std::to_string(number); }

std::string Place(const std::string& file, uint32_t line) {
  return line == 0 ? file : file + ":" + std::to_string(line);
}

const char* KindName(v1::LabelFinding::Kind kind) {
  switch (kind) {
    case v1::LabelFinding::KIND_MISSING:
      return "missing";
    case v1::LabelFinding::KIND_SPELLING:
      return "spelling";
    case v1::LabelFinding::KIND_LENGTH:
      return "length";
    default:
      return "unknown";
  }
}

std::string More(int all) {
  return all <= kMaxListed ? "" : "  … and " + std::to_string(all - kMaxListed) + " more; --json has all\n";
}

}  // namespace

Json PackJson(const v1::PackInfo& pack) {
  return Json{{"name", pack.name()},
              {"title", pack.title()},
              {"revision", pack.revision()},
              {"extends", pack.extends()},
              {"rules", pack.rules()},
              {"labels", pack.labels()},
              {"cases", pack.cases()},
              {"commands", pack.commands()},
              {"has_rubric", pack.has_rubric()},
              {"has_guardrails", pack.has_guardrails()}};
}

std::string PackTable(const google::protobuf::RepeatedPtrField<v1::PackInfo>& packs, const Output& output) {
  Table table;
  table.AlignRight({2, 3, 4, 5});
  table.Header({"pack", "revision", "rules", "labels", "cases", "commands", "can", "title"});
  for (const v1::PackInfo& pack : packs) {
    std::string can = pack.has_rubric() ? "triage" : "";
    if (!pack.has_guardrails()) can += can.empty() ? "read only" : ", read only";
    std::string title = Printable(pack.title());
    if (!pack.extends().empty()) title += " (extends " + Printable(pack.extends()) + ")";
    table.Row({{Printable(pack.name()), Style::kStrong},
               {pack.revision(), Style::kFaint},
               Number(pack.rules()),
               Number(pack.labels()),
               Number(pack.cases()),
               Number(pack.commands()),
               can,
               title});
  }
  return table.Render(0, output.columns(), output.color());
}

Json RuleJson(const v1::RuleInfo& rule) {
  // As written, if it is JSON; it always is, but it may come from a server.
  Json written = Json::parse(rule.json(), nullptr, false);
  if (written.is_discarded()) written = rule.json();
  return Json{{"pack", rule.pack()}, {"id", rule.id()}, {"kind", rule.kind()},  {"file", rule.file()},
              {"line", rule.line()}, {"rule", written}, {"cases", rule.cases()}};
}

std::string RuleText(const v1::RuleInfo& rule, const Output& output) {
  std::string out = output.Paint(Printable(rule.kind()), Style::kFaint) + " " +
                    output.Paint(Printable(rule.id()), Style::kTitle) + "  " +
                    output.Paint("pack " + Printable(rule.pack()) + " · " + Printable(Place(rule.file(), rule.line())),
                                 Style::kFaint) +
                    "\n";
  const RuleView view = ViewOf(rule);
  for (const auto& [name, text] : view.prose) {
    out += "  " + output.Paint(name + ": ", Style::kFaint) + Printable(text) + "\n";
  }
  for (const std::string& json : {view.written, view.cases}) {
    for (const std::string_view line : LinesOf(json)) out += "  " + Printable(line) + "\n";
  }
  if (rule.kind() == "command") {
    out += "  " + output.Paint("examples: ", Style::kFaint) + Joined(rule.cases(), " · ") + "\n";
  } else if (rule.cases().empty()) {
    out += "  " + output.Paint("no case of the pack makes it fire", Style::kWarning) + "\n";
  } else if (view.cases.empty()) {
    out += "  " + output.Paint("fires in: ", Style::kFaint) + Joined(rule.cases(), ", ") + "\n";
  }
  return out;
}

Problem ReadProblem(const v1::PackProblem& problem) {
  return {problem.file(), problem.pointer(), problem.line(), problem.column(), problem.message()};
}

Problems ReadProblems(const google::protobuf::RepeatedPtrField<v1::PackProblem>& problems) {
  Problems read;
  absl::c_transform(problems, std::back_inserter(read), ReadProblem);
  return read;
}

Json ProblemJson(const Problem& problem) {
  return Json{{"file", problem.file},
              {"pointer", problem.pointer},
              {"line", problem.line},
              {"column", problem.column},
              {"message", problem.message}};
}

Json LabelCheckJson(const v1::LabelCheck& check) {
  return Json{{"forge", check.forge()},
              {"repository", check.repository()},
              {"labels", check.labels()},
              {"findings", JsonList(check.findings(), [](const v1::LabelFinding& finding) {
                 return Json{{"label", finding.label()},
                             {"kind", KindName(finding.kind())},
                             {"repository_label", finding.repository_label()},
                             {"written", finding.written()},
                             {"message", finding.message()}};
               })}};
}

std::string LabelCheckText(const v1::LabelCheck& check, const Output& output) {
  const std::string repository = Printable(QualifiedName(check.forge(), check.repository()));
  if (check.findings().empty()) {
    return "     " + repository + " has all " + std::to_string(check.labels()) + " labels\n";
  }
  std::string out = "     " + repository + " lacks " + std::to_string(check.findings_size()) + " of " +
                    std::to_string(check.labels()) + " labels; people create them, the bot never does\n";
  for (const v1::LabelFinding& finding : check.findings()) {
    out += "     " + output.Paint(KindName(finding.kind()), Style::kBad) + "  " + Printable(finding.message()) +
           (finding.written() ? "" : " (only looked for, never written)") + "\n";
  }
  return out;
}

PackTestTotals TotalsOf(const v1::TestPackResponse& response) {
  PackTestTotals totals;
  for (const v1::PackTestResult& pack : response.packs()) {
    ++totals.packs;
    totals.cases += pack.cases();
    totals.failed += pack.failed();
    totals.rules += pack.rules();
    totals.rules_covered += pack.rules_covered();
  }
  return totals;
}

Json TestJson(const v1::TestPackResponse& response) {
  const PackTestTotals totals = TotalsOf(response);
  Json packs = Json::array();
  for (const v1::PackTestResult& pack : response.packs()) {
    packs.push_back(Json{{"pack", pack.pack()},
                         {"cases", pack.cases()},
                         {"failed", pack.failed()},
                         {"rules", pack.rules()},
                         {"rules_covered", pack.rules_covered()},
                         {"rules_with_own_function", pack.rules_with_own_function()},
                         {"rules_with_own_function_in_pack", pack.rules_with_own_function_in_pack()},
                         {"uncovered", pack.uncovered()}});
  }
  Json failures = Json::array();
  for (const v1::CaseFailure& failure : response.failures()) {
    failures.push_back(Json{{"pack", failure.pack()},
                            {"case", failure.case_id()},
                            {"file", failure.file()},
                            {"line", failure.line()},
                            {"differences", failure.differences()}});
  }
  return Json{{"cases", totals.cases},
              {"failed", totals.failed},
              {"rules", totals.rules},
              {"rules_covered", totals.rules_covered},
              {"coverage_percent", totals.CoveragePercent()},
              {"packs", packs},
              {"failures", failures}};
}

std::string TestText(const v1::TestPackResponse& response, const Output& output) {
  std::string out;
  for (const v1::CaseFailure& failure : response.failures()) {
    out += output.Paint("FAILED", Style::kBad) + " " +
           output.Paint(Printable(failure.pack() + "/" + failure.case_id()), Style::kStrong) + "  " +
           output.Paint(Printable(Place(failure.file(), failure.line())), Style::kFaint) + "\n";
    for (const std::string& difference : failure.differences()) out += "  " + Printable(difference) + "\n";
  }
  if (!response.failures().empty()) out += "\n";
  for (const v1::PackTestResult& pack : response.packs()) {
    if (pack.uncovered().empty()) continue;
    out += output.Paint(Printable(pack.pack()), Style::kStrong) + ": no case covers\n";
    for (int i = 0; i < std::min(kMaxListed, pack.uncovered_size()); ++i)
      out += "  " + Printable(pack.uncovered(i)) + "\n";
    out += More(pack.uncovered_size()) + "\n";
  }
  for (const v1::PackTestResult& pack : response.packs()) out += Printable(PackTestLine(pack)) + "\n";
  return out + TotalsOf(response).Line() + "\n";
}

Json BacktestJson(const v1::BacktestResponse& response) {
  Json labels = Json::array();
  for (const v1::LabelDifference& label : response.labels()) {
    labels.push_back(Json{{"label", label.label()},
                          {"base", label.base()},
                          {"candidate", label.candidate()},
                          {"added", label.added()},
                          {"removed", label.removed()}});
  }
  Json issues = Json::array();
  for (const v1::IssueDifference& issue : response.issues()) {
    issues.push_back(Json{{"index", issue.index()},
                          {"number", issue.subject().number()},
                          {"subject", SubjectReference(issue.subject())},
                          {"added", issue.added()},
                          {"removed", issue.removed()},
                          {"applied_added", issue.applied_added()},
                          {"applied_removed", issue.applied_removed()},
                          {"base_template", issue.base_template()},
                          {"candidate_template", issue.candidate_template()}});
  }
  return Json{{"base_revision", response.base_revision()},
              {"candidate_revision", response.candidate_revision()},
              {"cases", response.cases()},
              {"changed", response.issues_size()},
              {"labels", labels},
              {"issues", issues}};
}

std::string BacktestText(const v1::BacktestResponse& response, const Output& output) {
  Table labels;
  labels.AlignRight({1, 2, 3, 4});
  labels.Header({"label", "base", "candidate", "added", "removed"});
  for (const v1::LabelDifference& label : response.labels()) {
    const bool changed = label.added() > 0 || label.removed() > 0;
    labels.Row({{Printable(label.label()), changed ? Style::kStrong : Style::kFaint},
                Number(label.base()),
                Number(label.candidate()),
                {label.added() > 0 ? "+" + Number(label.added()) : "", Style::kGood},
                {label.removed() > 0 ? "−" + Number(label.removed()) : "", Style::kBad}});
  }
  std::string out = labels.empty() ? "" : labels.Render(0, output.columns(), output.color()) + "\n";
  for (int i = 0; i < std::min(kMaxListed, response.issues_size()); ++i) {
    const v1::IssueDifference& issue = response.issues(i);
    std::string line = output.Paint(Printable(SubjectReference(issue.subject())), Style::kName);
    const auto list = [&](const auto& names, const char* sign, const char* suffix, Style style) {
      for (const std::string& name : names) line += "  " + output.Paint(sign + Printable(name) + suffix, style);
    };
    list(issue.added(), "+", "", Style::kGood);
    list(issue.removed(), "−", "", Style::kBad);
    list(issue.applied_added(), "+", " (applied)", Style::kGood);
    list(issue.applied_removed(), "−", " (applied)", Style::kBad);
    if (issue.base_template() != issue.candidate_template()) {
      const auto name = [](const std::string& id) { return id.empty() ? std::string("none") : Printable(id); };
      line += "  comment: " + name(issue.base_template()) + " → " + name(issue.candidate_template());
    }
    out += line + "\n";
  }
  out += More(response.issues_size());
  if (response.issues_size() > 0) out += "\n";
  return out + Number(response.cases()) + " cases, " + Number(static_cast<size_t>(response.issues_size())) +
         " changed; " + response.base_revision() + " → " + response.candidate_revision() + "\n";
}

void PrintRules(const v1::ShowRuleResponse& response, Session& session) {
  if (session.options.json) {
    session.output.Json({{"rules", JsonList(response.rules(), RuleJson)}});
    return;
  }
  session.output.out() << absl::StrJoin(response.rules(), "\n", [&](std::string* out, const v1::RuleInfo& rule) {
    out->append(RuleText(rule, session.output));
  });
}

}  // namespace yardmaster::cli
