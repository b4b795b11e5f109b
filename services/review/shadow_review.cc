#include "services/review/shadow_review.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/limits.h"
#include "services/core/messages/timestamps.h"

namespace yardmaster {
namespace {

// What makes two findings the same, with how often it is there.
using FindingKey = std::tuple<std::string, std::string, std::string, int>;
using FindingCounts = std::map<FindingKey, int>;

bool Holds(const v1::ReviewFinding& finding) { return finding.change() != v1::FINDING_CHANGE_FIXED; }

FindingKey KeyOf(const v1::ReviewFinding& finding) {
  return {finding.rule_id(), finding.path(), finding.fingerprint(), static_cast<int>(finding.severity())};
}

FindingCounts CountsOf(const v1::Review& review) {
  FindingCounts counts;
  for (const v1::ReviewFinding& finding : review.findings()) {
    if (Holds(finding)) ++counts[KeyOf(finding)];
  }
  return counts;
}

void AddRuleNames(const v1::Review& review, google::protobuf::RepeatedPtrField<std::string>& names) {
  std::set<std::string> rules;
  for (const v1::ReviewFinding& finding : review.findings()) {
    if (Holds(finding)) rules.insert(finding.rule_id());
  }
  for (const std::string& rule : rules) *names.Add() = rule;
}

// What a review did not look at.
class Unfinished {
 public:
  void Add(const v1::Review& review) {
    for (const v1::SkippedReviewCheck& skipped : review.skipped()) all_.insert({skipped.rule_id(), skipped.path()});
  }
  // The path of a skipped check is a file or a folder above it; empty: all.
  bool Has(const v1::ReviewFinding& finding) const {
    return absl::c_any_of(all_, [&](const auto& one) {
      const auto& [rule, path] = one;
      return (rule == "*" || rule == finding.rule_id()) &&
             (path.empty() || finding.path() == path || absl::StartsWith(finding.path(), path + "/"));
    });
  }

 private:
  std::set<std::pair<std::string, std::string>> all_;  // rule and path
};

void AddOnlyIn(const v1::Review& with, const v1::Review& without, bool in_shadow, const Unfinished& unfinished,
               v1::ShadowRun& run) {
  FindingCounts left = CountsOf(without);
  for (const v1::ReviewFinding& finding : with.findings()) {
    if (!Holds(finding) || left[KeyOf(finding)]-- > 0) continue;
    if (unfinished.Has(finding)) {
      if (!absl::c_linear_search(run.unfinished(), finding.rule_id())) run.add_unfinished(finding.rule_id());
      continue;
    }
    if (static_cast<size_t>(run.differences_size()) >= kMaxShadowDifferences) return;
    v1::ShadowDifference& difference = *run.add_differences();
    difference.set_kind(v1::ShadowDifference::KIND_FINDING);
    difference.set_name(finding.rule_id());
    difference.set_in_shadow(in_shadow);
    difference.add_rules(finding.rule_id());
    difference.set_why(absl::StrCat(finding.pack_severity(), ": ", finding.message()));
    difference.set_path(finding.path());
    difference.set_line(finding.line());
  }
}

v1::ShadowRun RunOf(const ShadowScope& shadow, const ReviewedChange& about, const v1::Review& made) {
  v1::ShadowRun run;
  *run.mutable_subject() = about.subject;
  run.set_planner("review");
  run.set_pack(shadow.pack);
  run.set_base_revision(shadow.base_revision);
  run.set_shadow_revision(shadow.shadow_revision);
  *run.mutable_created_at() = ToTimestamp(shadow.now);
  run.set_decision(made.id());
  return run;
}

absl::Status KeepRun(const v1::ShadowRun& run, const ReviewedChange& about, store::Shadows& shadows) {
  return shadows.Put({about.subject, run.planner(), run.pack(), run.base_revision(), run.shadow_revision(), about.head,
                      run.SerializeAsString()});
}

}  // namespace

void CompareReviews(const v1::Review& base, const v1::Review& shadow, v1::ShadowRun& run) {
  AddRuleNames(base, *run.mutable_base());
  AddRuleNames(shadow, *run.mutable_shadow());
  Unfinished unfinished;
  unfinished.Add(base);
  unfinished.Add(shadow);
  AddOnlyIn(shadow, base, true, unfinished, run);
  AddOnlyIn(base, shadow, false, unfinished, run);
}

absl::Status ReviewInShadow(Change& change, const ShadowScope& shadow, const ReviewedChange& about,
                            const v1::Review& made, const RepositoryFileRules& file, store::Shadows& shadows) {
  v1::ShadowRun run = RunOf(shadow, about, made);
  const absl::StatusOr<MadeReview> beside = ReviewOf(change, shadow.scope, about, nullptr, file);
  if (!beside.ok()) {
    run.set_error(std::string(beside.status().message()));
  } else {
    CompareReviews(made, beside->review, run);
  }
  return KeepRun(run, about, shadows);
}

absl::Status KeepFailedShadow(const ShadowScope& shadow, const ReviewedChange& about, const v1::Review& made,
                              std::string_view why, store::Shadows& shadows) {
  v1::ShadowRun run = RunOf(shadow, about, made);
  run.set_error(std::string(why));
  return KeepRun(run, about, shadows);
}

}  // namespace yardmaster
