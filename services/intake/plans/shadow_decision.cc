#include "services/intake/plans/shadow_decision.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "services/core/limits.h"
#include "services/core/messages/timestamps.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

using Kind = v1::ShadowDifference;
using NameList = google::protobuf::RepeatedPtrField<std::string>;
using RuleIds = std::set<std::string>;

// Rules that a sentence names.
constexpr size_t kRulesTold = 3;
constexpr size_t kMaxTextTold = 80;

bool Has(const NameList& names, const std::string& name) { return absl::c_linear_search(names, name); }

const v1::LabelExplanation* ExplanationOf(const v1::Plan& plan, const std::string& label) {
  const auto& labels = plan.explanation().labels();
  const auto found = absl::c_find_if(labels, [&](const auto& one) { return one.label() == label; });
  return found == labels.end() ? nullptr : &*found;
}

RuleIds Evidenced(const v1::LabelExplanation* label) {
  RuleIds ids;
  if (label == nullptr) return ids;
  for (const v1::Evidence& evidence : label->rules()) ids.insert(evidence.rule_id());
  return ids;
}

RuleIds Suppressed(const v1::LabelExplanation* label) {
  RuleIds ids;
  if (label == nullptr) return ids;
  for (const v1::Suppression& suppression : label->suppressed()) ids.insert(suppression.rule_id());
  return ids;
}

RuleIds OnlyIn(const RuleIds& a, const RuleIds& b) {
  RuleIds out;
  absl::c_set_difference(a, b, std::inserter(out, out.end()));
  return out;
}

std::string ScoreText(const v1::LabelExplanation* label) {
  if (label == nullptr) return "no evidence";
  return absl::StrFormat("%.2f of %.2f", label->score(), label->threshold());
}

// The quoted text of the first piece of evidence of `rule`; empty if there is none.
std::string Quoted(const v1::LabelExplanation& label, const std::string& rule) {
  for (const v1::Evidence& evidence : label.rules()) {
    if (evidence.rule_id() != rule || evidence.text().empty()) continue;
    return absl::StrCat(" (\"", std::string(CutUtf8(evidence.text(), kMaxTextTold)), "\")");
  }
  return {};
}

// What made a label that only one of both gives: rules that matched there alone, what holds it back in the other, or,
// where neither is different, all that it stands on.
void Explain(const v1::LabelExplanation* with, const v1::LabelExplanation* without, v1::ShadowDifference& difference) {
  const RuleIds all = Evidenced(with);
  const RuleIds matched = OnlyIn(all, Evidenced(without));
  const RuleIds held_back = OnlyIn(Suppressed(without), Suppressed(with));
  std::vector<std::string> told;
  for (const std::string& rule : matched) {
    if (told.size() < kRulesTold) told.push_back(absl::StrCat(rule, with == nullptr ? "" : Quoted(*with, rule)));
  }
  std::vector<std::string> why;
  if (!told.empty()) {
    why.push_back(
        absl::StrCat("only there: ", absl::StrJoin(told, ", "),
                     matched.size() > told.size() ? absl::StrCat(" and ", matched.size() - told.size(), " more") : ""));
  }
  if (!held_back.empty()) {
    why.push_back(absl::StrCat("held back in the other by ", absl::StrJoin(held_back, ", ")));
  }
  why.push_back(absl::StrCat("score ", ScoreText(with), " there, ", ScoreText(without), " in the other"));
  for (const RuleIds* ids : {&matched, &held_back}) {
    for (const std::string& rule : *ids) difference.add_rules(rule);
  }
  if (difference.rules().empty()) {
    for (const std::string& rule : all) difference.add_rules(rule);
  }
  difference.set_why(absl::StrJoin(why, "; "));
}

// What took a label to apply away, or put it there, while the classification is the same.
std::string WhyApplied(const v1::Plan& without, const std::string& label, v1::ShadowDifference& difference) {
  for (const v1::Suppression& guard : without.explanation().guardrails()) {
    if (guard.reason().find(label) == std::string::npos) continue;
    difference.add_rules(guard.rule_id());
    return absl::StrCat("in the other: ", guard.reason());
  }
  return "the other does not ask for it to be applied";
}

// Steps that only one of both took.
void ExplainSteps(const v1::Plan& with, const v1::Plan& without, v1::ShadowDifference& difference) {
  for (const v1::StepOutcome& step : with.explanation().steps()) {
    const bool elsewhere = absl::c_any_of(without.explanation().steps(), [&](const v1::StepOutcome& other) {
      return other.id() == step.id() && other.taken() == step.taken();
    });
    if (elsewhere || !step.taken()) continue;
    difference.add_rules(step.id());
    if (difference.why().empty()) difference.set_why(absl::StrCat("step ", step.id(), ": ", step.why()));
  }
  if (!difference.why().empty()) return;
  const std::string& held = without.explanation().comment_suppressed();
  difference.set_why(held.empty() ? "the other posts another comment, or none" : "in the other: " + held);
}

class Comparison {
 public:
  explicit Comparison(v1::ShadowRun& run) : run_(run) {}

  // What `with` has and `without` has not.
  void OneWay(const v1::Plan& with, const v1::Plan& without, bool in_shadow) {
    for (const std::string& label : with.labels()) {
      if (Has(without.labels(), label)) continue;
      if (v1::ShadowDifference* difference = Add(Kind::KIND_LABEL, label, in_shadow)) {
        Explain(ExplanationOf(with, label), ExplanationOf(without, label), *difference);
      }
    }
    for (const std::string& label : with.applied()) {
      const bool told = Has(with.labels(), label) && !Has(without.labels(), label);
      if (told || Has(without.applied(), label)) continue;
      if (v1::ShadowDifference* difference = Add(Kind::KIND_APPLIED, label, in_shadow)) {
        difference->set_why(WhyApplied(without, label, *difference));
      }
    }
    if (with.comment_template().empty() || with.comment_template() == without.comment_template()) return;
    if (v1::ShadowDifference* difference = Add(Kind::KIND_COMMENT, with.comment_template(), in_shadow)) {
      ExplainSteps(with, without, *difference);
    }
  }

 private:
  // Null where there are enough.
  v1::ShadowDifference* Add(v1::ShadowDifference::Kind kind, const std::string& name, bool in_shadow) {
    if (static_cast<size_t>(run_.differences_size()) >= kMaxShadowDifferences) return nullptr;
    v1::ShadowDifference& difference = *run_.add_differences();
    difference.set_kind(kind);
    difference.set_name(name);
    difference.set_in_shadow(in_shadow);
    return &difference;
  }

  v1::ShadowRun& run_;
};

std::shared_ptr<const rules::CompiledPack> ShadowOf(const SubjectRun& run, const Planner& planner) {
  const IntakeEnvironment& env = run.env();
  if (env.shadows == nullptr || env.find_shadow == nullptr || !planner.FollowsFromPack()) return nullptr;
  return env.find_shadow(run.subject(), run.pack()->model().name);
}

}  // namespace

void CompareDecisions(const v1::Plan& base, const v1::Plan& shadow, v1::ShadowRun& run) {
  *run.mutable_base() = base.labels();
  *run.mutable_shadow() = shadow.labels();
  Comparison comparison(run);
  comparison.OneWay(shadow, base, true);
  comparison.OneWay(base, shadow, false);
}

bool HasShadow(const SubjectRun& run, const Planner& planner) { return ShadowOf(run, planner) != nullptr; }

void DecideInShadow(const SubjectRun& run, const Planner& planner, const PlanInput& input, const std::string& digest,
                    const v1::Plan& made, const std::string& id) {
  const std::shared_ptr<const rules::CompiledPack> shadow = ShadowOf(run, planner);
  if (shadow == nullptr) return;
  const rules::PackModel& model = run.pack()->model();
  v1::ShadowRun record;
  *record.mutable_subject() = run.subject();
  record.set_planner(std::string(planner.name()));
  record.set_pack(model.name);
  record.set_base_revision(model.revision);
  record.set_shadow_revision(shadow->model().revision);
  *record.mutable_created_at() = ToTimestamp(run.env().clock.Now());
  record.set_decision(id);
  *record.mutable_labels_before() = input.snapshot.labels();

  PlanInput beside = input;
  beside.pack = shadow;
  v1::Plan plan;
  *plan.mutable_subject() = run.subject();
  plan.set_pack(shadow->model().name);
  plan.set_pack_revision(shadow->model().revision);
  plan.set_mode(input.mode);
  // Labels that the shadow's own procedure would skip the issue for are its decision, too.
  const std::string_view skipped = planner.Handles(run.subject().kind(), shadow->model())
                                       ? planner.SkipReason(beside)
                                       : std::string_view("it has no rules for this");
  if (skipped.empty()) {
    const absl::Status planned = planner.Plan(beside, plan);
    if (!planned.ok()) record.set_error(std::string(planned.message()));
  }
  if (record.error().empty()) CompareDecisions(made, plan, record);
  for (v1::ShadowDifference& difference : *record.mutable_differences()) {
    if (!skipped.empty()) difference.set_why(absl::StrCat("the shadow skips it: ", std::string(skipped)));
  }
  const absl::Status kept =
      run.env().shadows->Put({run.subject(), record.planner(), record.pack(), record.base_revision(),
                              record.shadow_revision(), digest, record.SerializeAsString()});
  if (!kept.ok()) {
    run.env().logger.Warning("what the pack in the shadow would have done is not kept",
                             {{"pack", record.pack()}, {"error", std::string(kept.message())}});
  }
}

}  // namespace yardmaster
