#include "services/review/backtest/backtest.h"

#include <algorithm>
#include <compare>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/review/report.h"

namespace yardmaster {
namespace {

// One place of a change that a rule points at.
using FindingKey = std::tuple<std::string_view, std::string_view, std::string_view, uint32_t>;

FindingKey KeyOf(const FindingAt& at) {
  return {at.change->commit, at.finding->rule, at.finding->path, at.finding->line};
}

std::vector<FindingAt> AllOf(const std::vector<ReplayedChange>& changes) {
  std::vector<FindingAt> all;
  for (const ReplayedChange& change : changes) {
    for (const ReplayedFinding& finding : change.findings) all.push_back({&change, &finding});
  }
  return all;
}

// "RULE.PART" is a part of "RULE".
bool IsAbout(const Verdict& verdict, const ReplayedFinding& finding) {
  const std::string_view rule = finding.rule;
  return verdict.path == finding.path && (rule == verdict.rule || (rule.starts_with(verdict.rule) &&
                                                                   rule.substr(verdict.rule.size()).starts_with('.')));
}

// The findings that a verdict is about: all at its line, since a rule may say several things of one; else the only one
// in the file.
std::vector<const ReplayedFinding*> FindingsOf(const Verdict& verdict, const ReplayedChange& change) {
  std::vector<const ReplayedFinding*> in_file;
  for (const ReplayedFinding& finding : change.findings) {
    if (IsAbout(verdict, finding)) in_file.push_back(&finding);
  }
  std::vector<const ReplayedFinding*> at_line;
  absl::c_copy_if(in_file, std::back_inserter(at_line),
                  [&](const ReplayedFinding* finding) { return finding->line == verdict.line; });
  if (!at_line.empty()) return at_line;
  return in_file.size() == 1 ? in_file : at_line;
}

bool IsLoud(const ReplayedFinding& finding) {
  return finding.severity == rules::Severity::kBlock || finding.severity == rules::Severity::kMajor;
}

std::vector<FindingAt> OnlyIn(const std::vector<ReplayedChange>& some, const std::vector<ReplayedChange>& others) {
  std::multiset<FindingKey> left;
  for (const FindingAt& at : AllOf(others)) left.insert(KeyOf(at));
  std::vector<FindingAt> only;
  for (const FindingAt& at : AllOf(some)) {
    if (const auto found = left.find(KeyOf(at)); found != left.end()) {
      left.erase(found);
    } else {
      only.push_back(at);
    }
  }
  return only;
}

}  // namespace

size_t ReplayedChange::Count(rules::Severity severity) const {
  return static_cast<size_t>(
      absl::c_count_if(findings, [&](const ReplayedFinding& finding) { return finding.severity == severity; }));
}

absl::StatusOr<ReplayedChange> Replay(const ReviewPacks& packs, Change& change, const DiffReviewOptions& options,
                                      std::string commit, std::string title) {
  ASSIGN_OR_RETURN(const ReviewReport report, ReviewChange(packs, change, options));
  ReplayedChange replayed{std::move(commit), std::move(title), {}, report.complete, {}};
  // What is skipped in one folder may have run in another.
  for (const rules::SkippedCheck& one : report.skipped) {
    if (one.path.empty()) replayed.skipped.insert(rules::RuleAndPart(one.rule_id, one.part));
  }
  for (const ReportedFinding& one : report.findings) {
    if (one.status != FindingStatus::kNew) continue;
    const rules::Finding& finding = one.finding;
    replayed.findings.push_back({rules::RuleAndPart(finding.rule_id, finding.part), finding.severity, finding.path,
                                 std::max<uint32_t>(1, finding.line), finding.message});
  }
  return replayed;
}

std::vector<BaseRate> BaseRates(const ReviewPacks& packs, const std::vector<ReplayedChange>& changes) {
  std::map<std::string, BaseRate> by_rule;
  for (const auto& pack : packs) {
    for (const rules::CheckInfo& check : pack->checks()) by_rule[check.id] = {check.id, check.severity};
  }
  for (const ReplayedChange& change : changes) {
    for (auto& [rule, rate] : by_rule) rate.ran += change.skipped.contains(rule) ? 0 : 1;
    std::set<std::string_view> here;
    for (const ReplayedFinding& finding : change.findings) {
      BaseRate& rate = by_rule[finding.rule];
      rate.rule = finding.rule;
      rate.severity = finding.severity;
      ++rate.findings;
      if (here.insert(finding.rule).second) ++rate.changes;
    }
  }
  std::vector<BaseRate> rates;
  rates.reserve(by_rule.size());
  for (auto& [rule, rate] : by_rule) rates.push_back(std::move(rate));
  absl::c_sort(rates, [](const BaseRate& a, const BaseRate& b) {
    return std::tie(a.severity, b.findings, a.rule) < std::tie(b.severity, a.findings, b.rule);
  });
  return rates;
}

JudgedFindings Judge(const std::vector<Verdict>& verdicts, const std::vector<ReplayedChange>& changes) {
  std::map<std::string_view, const ReplayedChange*> by_commit;
  for (const ReplayedChange& change : changes) by_commit[change.commit] = &change;
  JudgedFindings result;
  std::set<const ReplayedFinding*> judged;
  for (const Verdict& verdict : verdicts) {
    const auto change = by_commit.find(verdict.commit);
    if (change == by_commit.end()) {
      result.elsewhere.push_back(&verdict);
      continue;
    }
    const std::vector<const ReplayedFinding*> findings = FindingsOf(verdict, *change->second);
    if (findings.empty()) {
      result.lost.push_back(&verdict);
      continue;
    }
    judged.insert(findings.begin(), findings.end());
    ++result.found[findings.front()->severity].by_judgement.at(static_cast<size_t>(verdict.judgement));
  }
  for (const FindingAt& at : AllOf(changes)) {
    if (IsLoud(*at.finding) && !judged.contains(at.finding)) result.unjudged.push_back(at);
  }
  return result;
}

std::vector<FindingAt> SampleOf(const std::vector<FindingAt>& findings, size_t count) {
  // Within a rule the order is that of a digest: neither the newest changes nor the first files come first.
  std::map<std::string_view, std::vector<std::pair<std::string, FindingAt>>> by_rule;
  std::set<FindingKey> places;
  for (const FindingAt& at : findings) {
    if (!places.insert(KeyOf(at)).second) continue;  // one verdict is about all findings of a rule at one place
    const std::string line = absl::StrCat(at.finding->line);
    by_rule[at.finding->rule].emplace_back(ShortDigestOf({at.change->commit, at.finding->path, line}), at);
  }
  for (auto& [rule, list] : by_rule) {
    absl::c_sort(list, [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  std::vector<FindingAt> sample;
  count = std::min(count, places.size());
  for (size_t round = 0; sample.size() < count; ++round) {
    for (const auto& [rule, list] : by_rule) {
      if (round < list.size() && sample.size() < count) sample.push_back(list[round].second);
    }
  }
  return sample;
}

FindingDifference Differ(const std::vector<ReplayedChange>& base, const std::vector<ReplayedChange>& candidate) {
  return {.gained = OnlyIn(candidate, base), .lost = OnlyIn(base, candidate)};
}

}  // namespace yardmaster
