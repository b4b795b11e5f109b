#include "rules/engine/checks/review_settings.h"

#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/review.h"
#include "services/core/glob.h"

namespace yardmaster::rules {
namespace {

bool Covers(const Exemption& exemption, const Finding& finding, std::string_view today) {
  // Days of this form are ordered as texts.
  if (!exemption.until.empty() && (today.empty() || today > exemption.until)) return false;
  const auto& rules = exemption.rules;
  const auto names = [&](const std::string& rule) {
    return rule == finding.rule_id || rule == RuleAndPart(finding.rule_id, finding.part);
  };
  if (!rules.empty() && !absl::c_any_of(rules, names)) return false;
  const auto& paths = exemption.paths;
  return paths.empty() ||
         absl::c_any_of(paths, [&](const std::string& glob) { return MatchesGlob(glob, finding.path); });
}

}  // namespace

std::string_view ReviewSettings::ProfileOf(std::string_view pack) const {
  auto it = profiles.find(pack);
  if (it == profiles.end()) it = profiles.find("");
  return it == profiles.end() ? std::string_view() : std::string_view(it->second);
}

SettledFinding Settle(const ReviewSettings& settings, const Finding& finding, std::string_view today) {
  SettledFinding out;
  out.severity = finding.severity;
  // What is said of the part goes before what is said of the rule.
  auto severity = settings.severities.find(RuleAndPart(finding.rule_id, finding.part));
  if (severity == settings.severities.end()) severity = settings.severities.find(finding.rule_id);
  if (severity != settings.severities.end()) {
    if (!severity->second.has_value()) {
      out.stands = false;
      out.reason = "the repository's file switches this rule off";
      out.reason_zh = "仓库的配置文件关闭了这条规则";
      return out;
    }
    out.severity = *severity->second;
  }
  for (const Exemption& exemption : settings.exemptions) {
    if (!Covers(exemption, finding, today)) continue;
    out.stands = false;
    out.reason = "exempted by the repository's file: " + exemption.reason;
    out.reason_zh = "仓库的配置文件豁免：" + exemption.reason;
    if (!exemption.until.empty()) {
      out.reason += " (until " + exemption.until + ")";
      out.reason_zh += "（至 " + exemption.until + "）";
    }
    return out;
  }
  return out;
}

void ApplyReviewSettings(const ReviewSettings& settings, std::string_view today, std::vector<Finding>& findings,
                         std::vector<SkippedCheck>& skipped) {
  std::set<std::tuple<std::string, std::string, std::string>> told;
  std::vector<Finding> standing;
  standing.reserve(findings.size());
  for (Finding& finding : findings) {
    SettledFinding settled = Settle(settings, finding, today);
    if (settled.stands) {
      finding.severity = settled.severity;
      standing.push_back(std::move(finding));
    } else if (told.emplace(RuleAndPart(finding.rule_id, finding.part), finding.path, settled.reason).second) {
      skipped.push_back(
          {finding.rule_id, finding.path, std::move(settled.reason), finding.part, std::move(settled.reason_zh)});
    }
  }
  findings = std::move(standing);
}

}  // namespace yardmaster::rules
