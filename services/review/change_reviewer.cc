#include "services/review/change_reviewer.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/limits.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/review/review_messages.h"

namespace yardmaster {
namespace {

// Lines around a change that forges show with it.
constexpr size_t kShownAround = 3;
constexpr std::string_view kConfigRule = "YM-CONFIG";

std::string DigestOf(const std::vector<std::string>& parts) {
  return ShortDigestOf(std::vector<std::string_view>(parts.begin(), parts.end()));
}

std::string RevisionOf(const PackSet& loaded, const ReviewScope& scope) {
  std::vector<std::string> parts;
  for (const auto& pack : scope.packs) {
    const auto compiled = loaded.Find(pack->pack());
    parts.push_back(pack->pack());
    parts.push_back(compiled == nullptr ? "" : compiled->model().revision);
    const std::string& profile = scope.options.profile;
    parts.push_back(profile.empty() ? std::string(scope.options.settings.ProfileOf(pack->pack())) : profile);
  }
  for (const auto& [rule, severity] : scope.options.settings.severities) {
    parts.push_back(rule);
    parts.push_back(severity.has_value() ? std::string(rules::SeverityName(*severity)) : "off");
  }
  for (const rules::Exemption& exemption : scope.options.settings.exemptions) {
    parts.insert(parts.end(), exemption.rules.begin(), exemption.rules.end());
    parts.emplace_back("in");
    parts.insert(parts.end(), exemption.paths.begin(), exemption.paths.end());
    // One that has ended is as if it had never been.
    parts.emplace_back(exemption.until.empty() || exemption.until >= scope.options.today ? "holds" : "ended");
  }
  return DigestOf(parts);
}

// What an earlier head had and this one has no more. What it had from its base is the base's business.
absl::Status AddFixed(const v1::Review& earlier, std::string_view head, const ReviewScope& scope, Change& change,
                      ReviewReport& report) {
  std::map<std::string, int> now;
  for (const ReportedFinding& one : report.findings) ++now[one.finding.fingerprint];
  std::vector<rules::Finding> gone;
  std::set<std::string> ids;
  for (ReportedFinding& before : ReadChangeReview(earlier).findings) {
    const bool was_here =
        before.status == FindingStatus::kFixed || (before.status == FindingStatus::kNew && earlier.head() != head);
    if (!was_here || now[before.finding.fingerprint]-- > 0) continue;
    ids.insert(before.finding.rule_id);
    gone.push_back(std::move(before.finding));
  }
  if (gone.empty()) return absl::OkStatus();
  // It may hold and not be told any more: the base has the line by now, or another one of the file comes first.
  ASSIGN_OR_RETURN(const std::vector<rules::Finding> standing,
                   StandingAtHead(scope.packs, change, scope.options, {ids.begin(), ids.end()}));
  std::map<std::string, int> hidden;
  for (const rules::Finding& one : standing) ++hidden[one.fingerprint];
  for (const ReportedFinding& one : report.findings) {
    if (one.status != FindingStatus::kFixed) --hidden[one.finding.fingerprint];
  }
  for (rules::Finding& one : gone) {
    if (hidden[one.fingerprint]-- > 0) continue;
    report.findings.push_back({std::move(one), FindingStatus::kFixed});
  }
  return absl::OkStatus();
}

absl::Status AddFileProblems(Change& change, const v1::Subject& subject, const RepositoryFileRules& file,
                             ReviewReport& report) {
  if (file.path == nullptr) return absl::OkStatus();
  const std::string path = file.path(subject.forge());
  const bool changed = absl::c_any_of(change.files(), [&](const ChangedFile& one) {
    return one.path == path && one.kind != ChangedFile::Kind::kRemoved;
  });
  if (!changed) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<std::string> text,
                   change.Read(ChangeSide::kHead, path, kMaxRepositoryFileBytes));
  for (const Problem& problem : file.problems(subject, text.value_or(""))) {
    ReportedFinding& found = report.findings.emplace_back();
    found.status = FindingStatus::kNew;
    found.finding.rule_id = std::string(kConfigRule);
    found.finding.severity = rules::Severity::kMajor;
    found.finding.pack_severity = std::string(rules::SeverityName(rules::Severity::kMajor));
    found.finding.path = path;
    found.finding.line = std::max(1U, problem.line);
    found.finding.end_line = found.finding.line;
    found.finding.message = problem.message;
    found.finding.fix = "Merged like this the file could not be read, and nothing would be written for anybody.";
    found.finding.fingerprint = DigestOf({std::string(kConfigRule), problem.pointer, problem.message});
  }
  return absl::OkStatus();
}

std::set<uint32_t> ShownLines(const std::vector<uint32_t>& base_lines) {
  std::set<uint32_t> shown;
  const auto show_around = [&](size_t line, size_t behind) {
    const size_t first = line > kShownAround ? line - kShownAround : 1;
    const size_t last = std::min(line + behind, base_lines.size() - 1);
    for (size_t i = first; i <= last; ++i) shown.insert(static_cast<uint32_t>(i));
  };
  uint32_t before = 0;
  for (size_t line = 1; line < base_lines.size(); ++line) {
    if (base_lines[line] == 0) {
      show_around(line, kShownAround);
      continue;
    }
    // Lines between this one and the one before it were taken away.
    if (base_lines[line] != before + 1) show_around(line, kShownAround - 1);
    before = base_lines[line];
  }
  return shown;
}

}  // namespace

absl::StatusOr<rules::ReviewSettings> SettingsAtBase(Change& change, const v1::Subject& subject,
                                                     const RepositoryFileRules& file) {
  if (file.path == nullptr || file.settings == nullptr) return rules::ReviewSettings();
  ASSIGN_OR_RETURN(const std::optional<std::string> text,
                   change.Read(ChangeSide::kBase, file.path(subject.forge()), kMaxRepositoryFileBytes));
  return text.has_value() ? file.settings(subject, *text) : rules::ReviewSettings();
}

ReviewScope ScopeOf(const PackSet& loaded, const std::vector<std::string>& packs, const rules::ReviewSettings& settings,
                    std::string_view profile, std::string_view today) {
  ReviewScope scope;
  for (const std::string& name : packs) {
    std::shared_ptr<const rules::CheckSet> set = loaded.FindChecks(name);
    if (set != nullptr && !set->checks().empty()) scope.packs.push_back(std::move(set));
  }
  scope.options.settings = settings;
  scope.options.profile = profile;
  scope.options.today = today;
  scope.revision = RevisionOf(loaded, scope);
  return scope;
}

void AddImports(std::vector<ImportedText> imports, ReviewScope& scope) {
  if (imports.empty()) return;
  std::vector<std::string> parts = {scope.revision};
  for (const ImportedText& one : imports) {
    parts.push_back(one.options.tool);
    parts.push_back(ShortDigest(one.content));
  }
  scope.revision = DigestOf(parts);
  scope.imports = std::move(imports);
}

void AddIgnored(IgnoredRules ignored, ReviewScope& scope) {
  if (ignored.empty()) return;
  scope.revision = DigestOf(std::vector<std::string>{scope.revision, DigestOf(ignored)});
  scope.ignored = std::move(ignored);
}

bool LooksAtPull(const rules::CheckSet& pack) {
  return absl::c_any_of(pack.checks(), [](const rules::CheckInfo& check) {
    return absl::c_any_of(check.files, [](const std::string& glob) { return glob.starts_with(kPullFiles); });
  });
}

absl::StatusOr<MadeReview> ReviewOf(Change& change, const ReviewScope& scope, const ReviewedChange& about,
                                    const v1::Review* earlier, const RepositoryFileRules& file) {
  ASSIGN_OR_RETURN(ReviewReport report, ReviewChange(scope.packs, change, scope.options));
  if (scope.packs.empty()) {
    report.complete = false;
    report.skipped.push_back(
        {"*", "", "the packs of this repository have no checks of code", "", "本仓的规则包没有代码检查"});
  }
  for (const ImportedText& imported : scope.imports) {
    RETURN_IF_ERROR(ImportFindings(imported.content, imported.format, imported.options, change, report).status());
  }
  RETURN_IF_ERROR(AddFileProblems(change, about.subject, file, report));
  // What was not seen now may hold still.
  if (earlier != nullptr && report.complete) {
    RETURN_IF_ERROR(AddFixed(*earlier, about.head, scope, change, report));
  }
  IgnoredRules ignored = scope.ignored;
  ASSIGN_OR_RETURN(const IgnoredRules gone, GoneAtHead(ignored, change));
  std::erase_if(ignored, [&](const v1::IgnoredRule& one) {
    return absl::c_any_of(gone, [&](const v1::IgnoredRule& other) { return IsSameIgnored(one, other); });
  });
  HoldBack(ignored, report);
  MadeReview made;
  made.gone = gone;
  for (const auto& [path, base_lines] : report.base_lines) made.diff_lines[path] = ShownLines(base_lines);
  made.review = MakeReview(report, about);
  for (v1::IgnoredRule& one : ignored) *made.review.add_ignored() = std::move(one);
  return made;
}

}  // namespace yardmaster
