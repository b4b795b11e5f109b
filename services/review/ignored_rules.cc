#include "services/review/ignored_rules.h"

#include <algorithm>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "rules/engine/checks/check_set.h"
#include "services/core/absl_view.h"
#include "services/core/glob.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

void Apply(const v1::IgnoreRule& action, IgnoredRules& ignored) {
  std::erase_if(ignored, [&](const v1::IgnoredRule& one) { return IsSameIgnored(one, action.rule()); });
  if (action.ended()) return;
  ignored.push_back(action.rule());
  ignored.back().clear_findings();
}

bool Covers(const v1::IgnoredRule& ignored, const rules::Finding& finding) {
  const bool same_rule = absl::EqualsIgnoreCase(ignored.rule_id(), finding.rule_id) ||
                         absl::EqualsIgnoreCase(ignored.rule_id(), rules::RuleAndPart(finding.rule_id, finding.part));
  return same_rule && (ignored.path().empty() || MatchesGlob(ignored.path(), finding.path));
}

bool IsPattern(std::string_view path) { return path.find_first_of("*?") != std::string_view::npos; }

// A name without a folder is about that name in every folder (MatchesGlob).
bool IsOnePath(std::string_view path) { return !IsPattern(path) && absl::StrContains(Abs(path), "/"); }

}  // namespace

bool IsSameIgnored(const v1::IgnoredRule& a, const v1::IgnoredRule& b) {
  return absl::EqualsIgnoreCase(a.rule_id(), b.rule_id()) && a.path() == b.path();
}

IgnoredRules IgnoredRulesOf(const std::vector<v1::Action>& written, const std::optional<v1::IgnoreRule>& asked) {
  IgnoredRules ignored;
  std::for_each(written.rbegin(), written.rend(), [&](const v1::Action& action) {
    if (action.has_ignore_rule()) Apply(action.ignore_rule(), ignored);
  });
  if (asked.has_value()) Apply(*asked, ignored);
  return ignored;
}

std::string DigestOf(const IgnoredRules& ignored) {
  std::vector<std::string_view> parts;
  for (const v1::IgnoredRule& one : ignored) {
    parts.push_back(one.rule_id());
    parts.push_back(one.path());
  }
  return ShortDigestOf(parts);
}

absl::StatusOr<IgnoredRules> GoneAtHead(const IgnoredRules& ignored, Change& change) {
  IgnoredRules gone;
  for (const v1::IgnoredRule& one : ignored) {
    if (one.path().empty()) continue;
    bool there = true;
    if (IsOnePath(one.path())) {
      ASSIGN_OR_RETURN(const std::optional<std::string> text, change.Read(ChangeSide::kHead, one.path(), 0));
      there = text.has_value();
    } else {
      ASSIGN_OR_RETURN(const std::vector<std::string>* paths, change.Paths(ChangeSide::kHead));
      there = paths == nullptr ||
              absl::c_any_of(*paths, [&](const std::string& path) { return MatchesGlob(one.path(), path); });
    }
    if (!there) gone.push_back(one);
  }
  return gone;
}

void HoldBack(IgnoredRules& ignored, ReviewReport& report) {
  std::erase_if(report.findings, [&](const ReportedFinding& reported) {
    if (reported.status == FindingStatus::kFixed) return false;
    const auto covering =
        absl::c_find_if(ignored, [&](const v1::IgnoredRule& one) { return Covers(one, reported.finding); });
    if (covering == ignored.end()) return false;
    covering->set_findings(covering->findings() + 1);
    return true;
  });
}

}  // namespace yardmaster
