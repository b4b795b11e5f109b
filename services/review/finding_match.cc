#include "services/review/finding_match.h"

#include <map>
#include <tuple>

#include "absl/algorithm/container.h"

namespace yardmaster {
namespace {

using rules::Finding;

class Matcher {
 public:
  Matcher(const std::vector<Finding>& base, const VersionMap& versions, std::vector<ReportedFinding>& head)
      : base_(base), versions_(versions), head_(head), taken_(base.size()) {}

  std::vector<Finding> Run() {
    for (ReportedFinding& one : head_) one.status = FindingStatus::kNew;
    MatchBy([&](const Finding& at_head) { return AtSameLine(at_head); },
            [](const Finding& at_base) { return std::tuple(at_base.path, RuleOf(at_base), at_base.line, 0ULL); });
    MatchBy(
        [&](const Finding& at_head) { return std::tuple(BasePath(at_head.path), RuleOf(at_head), 0U, at_head.anchor); },
        [](const Finding& at_base) { return std::tuple(at_base.path, RuleOf(at_base), 0U, at_base.anchor); });
    // Moved to another file. What is about a whole file stays with it.
    MatchBy([](const Finding& at_head) { return Elsewhere(at_head); },
            [](const Finding& at_base) { return Elsewhere(at_base); });
    const std::set<std::string> cut_off = CutOffAtBase(base_, versions_);
    for (ReportedFinding& one : head_) {
      if (one.status != FindingStatus::kNew || one.finding.rule_id == rules::kLimitRule) continue;
      if (cut_off.contains(one.finding.path) && AtSameLine(one.finding) != Key()) one.status = FindingStatus::kStill;
    }
    std::vector<Finding> left;
    for (size_t i = 0; i < base_.size(); ++i) {
      if (!taken_[i]) left.push_back(base_[i]);
    }
    return left;
  }

 private:
  // A finding as one way of matching sees it: path, rule, line, code. An empty rule is never matched.
  using Key = std::tuple<std::string, std::string, uint32_t, uint64_t>;

  static std::string RuleOf(const Finding& finding) { return rules::RuleAndPart(finding.rule_id, finding.part); }

  std::string BasePath(const std::string& head) const {
    const auto found = versions_.base_path.find(head);
    return found == versions_.base_path.end() ? head : found->second;
  }

  Key AtSameLine(const Finding& at_head) const {
    const auto lines = versions_.base_lines.find(at_head.path);
    const bool known = lines != versions_.base_lines.end() && at_head.line > 0 && at_head.line < lines->second.size();
    const uint32_t line = known ? lines->second[at_head.line] : 0;
    return line == 0 ? Key() : Key(BasePath(at_head.path), RuleOf(at_head), line, 0);
  }

  static Key Elsewhere(const Finding& finding) {
    return finding.line == 0 ? Key() : Key("", RuleOf(finding), 0, finding.anchor);
  }

  template <typename HeadKey, typename BaseKey>
  void MatchBy(HeadKey head_key, BaseKey base_key) {
    std::map<Key, std::vector<size_t>> open;
    for (size_t i = base_.size(); i-- > 0;) {
      if (!taken_[i]) open[base_key(base_[i])].push_back(i);  // the first one last
    }
    for (ReportedFinding& one : head_) {
      if (one.status != FindingStatus::kNew) continue;
      const Key key = head_key(one.finding);
      const auto found = std::get<1>(key).empty() ? open.end() : open.find(key);
      if (found == open.end() || found->second.empty()) continue;
      taken_[found->second.back()] = true;
      found->second.pop_back();
      one.status = FindingStatus::kStill;
    }
  }

  const std::vector<Finding>& base_;
  const VersionMap& versions_;
  std::vector<ReportedFinding>& head_;
  std::vector<bool> taken_;
};

}  // namespace

std::string VersionMap::HeadPath(const std::string& base) const {
  const auto found = absl::c_find_if(base_path, [&](const auto& pair) { return pair.second == base; });
  return found == base_path.end() ? base : found->first;
}

std::vector<Finding> CompareVersions(const std::vector<Finding>& base, const VersionMap& versions,
                                     std::vector<ReportedFinding>& head) {
  return Matcher(base, versions, head).Run();
}

std::set<std::string> CutOffAtBase(const std::vector<rules::Finding>& base, const VersionMap& versions) {
  std::set<std::string> paths;
  for (const rules::Finding& finding : base) {
    if (finding.rule_id == rules::kLimitRule) paths.insert(versions.HeadPath(finding.path));
  }
  return paths;
}

}  // namespace yardmaster
