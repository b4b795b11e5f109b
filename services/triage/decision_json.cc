#include "services/triage/decision_json.h"

#include <google/protobuf/util/time_util.h>

#include <cmath>
#include <cstdint>

#include "services/core/messages/plan_names.h"
#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

using Json = nlohmann::ordered_json;

// Whole numbers without a fraction, others with at most 4 decimals: sums of weights such as 0.1 would print noise.
Json Score(double score) {
  const double rounded = std::round(score * 1e4) / 1e4;
  if (std::abs(rounded) < 1e15 && rounded == std::trunc(rounded)) return static_cast<int64_t>(rounded);
  return rounded;
}

template <typename Strings>
Json Names(const Strings& strings) {
  Json names = Json::array();
  for (const std::string& name : strings) names.push_back(name);
  return names;
}

Json Comment(const v1::Plan& plan) {
  if (plan.comment_template().empty()) return nullptr;
  return Json{{"template", plan.comment_template()}};
}

Json ConfidenceOf(const v1::Plan& plan) {
  Json confidence = Json::object();
  for (const v1::LabelConfidence& entry : plan.confidence())
    confidence[entry.label()] = ConfidenceName(entry.confidence());
  return confidence;
}

Json Rule(const v1::Evidence& evidence) {
  Json rule{{"id", evidence.rule_id()}, {"zone", evidence.zone()}};
  if (evidence.has_span()) {
    switch (evidence.span().source()) {
      case v1::TextSpan::SOURCE_TITLE:
        rule["source"] = "title";
        break;
      case v1::TextSpan::SOURCE_COMMENT:
        rule["source"] = "comment";
        rule["comment"] = evidence.span().comment_index();
        break;
      default:
        rule["source"] = "body";
        break;
    }
  }
  // Without a place: 0 and 0, an empty range.
  rule["begin"] = evidence.span().begin();
  rule["end"] = evidence.span().end();
  rule["text"] = evidence.text();
  rule["score"] = Score(evidence.score());
  return rule;
}

Json Suppressed(const v1::Suppression& suppression) {
  return Json{{"id", suppression.rule_id()},
              {"reason", suppression.reason()},
              {"score_before", Score(suppression.score_before())},
              {"score_after", Score(suppression.score_after())}};
}

Json LabelExplanation(const v1::LabelExplanation& label) {
  Json out{{"label", label.label()},
           {"classifier", label.classifier()},
           {"chosen", label.chosen()},
           {"score", Score(label.score())},
           {"threshold", Score(label.threshold())},
           {"high_threshold", Score(label.high_threshold())},
           {"confidence", ConfidenceName(label.confidence())}};
  Json& rules = out["rules"] = Json::array();
  for (const v1::Evidence& evidence : label.rules()) rules.push_back(Rule(evidence));
  Json& suppressed = out["suppressed"] = Json::array();
  for (const v1::Suppression& suppression : label.suppressed()) suppressed.push_back(Suppressed(suppression));
  out["would_change"] = label.would_change();
  return out;
}

Json Explanation(const v1::Plan& plan) {
  Json labels = Json::array();
  for (const v1::LabelExplanation& label : plan.explanation().labels()) labels.push_back(LabelExplanation(label));
  return labels;
}

Json Steps(const v1::Plan& plan) {
  Json steps = Json::array();
  for (const v1::StepOutcome& step : plan.explanation().steps()) {
    steps.push_back(Json{{"id", step.id()}, {"taken", step.taken()}, {"why", step.why()}, {"stopped", step.stopped()}});
  }
  return steps;
}

Json Guardrails(const v1::Plan& plan) {
  Json notes = Json::array();
  for (const v1::Suppression& note : plan.explanation().guardrails()) {
    notes.push_back(Json{{"id", note.rule_id()}, {"reason", note.reason()}});
  }
  return notes;
}

Json Similar(const v1::Plan& plan) {
  Json similar = Json::array();
  for (const v1::SimilarSubject& one : plan.explanation().similar()) {
    similar.push_back(Json{{"subject", SubjectReference(one.subject())},
                           {"title", one.title()},
                           {"state", one.state()},
                           {"score", Score(one.score())}});
  }
  return similar;
}

}  // namespace

Json DecisionJson(const v1::Plan& plan) {
  Json decision{{"id", plan.id()},
                {"subject", SubjectReference(plan.subject())},
                {"pack", plan.pack()},
                {"pack_revision", plan.pack_revision()},
                {"mode", ModeName(plan.mode())},
                {"labels", Names(plan.labels())},
                {"applied", Names(plan.applied())},
                {"comment", Comment(plan)},
                {"confidence", ConfidenceOf(plan)},
                {"steps", Steps(plan)},
                {"explanation", Explanation(plan)},
                {"guardrails", Guardrails(plan)},
                {"comment_suppressed", plan.explanation().comment_suppressed()},
                {"input_digest", plan.input_digest()}};
  if (plan.has_created_at()) {
    decision["labels_before"] = Names(plan.labels_before());
    decision["similar"] = Similar(plan);
    decision["created_at"] = google::protobuf::util::TimeUtil::ToString(plan.created_at());
  }
  return decision;
}

Json EvalLineJson(const v1::Plan& plan) {
  return Json{{"number", plan.subject().number()},
              {"labels", Names(plan.labels())},
              {"applied", Names(plan.applied())},
              {"comment", Comment(plan)},
              {"confidence", ConfidenceOf(plan)},
              {"explanation", Explanation(plan)},
              {"steps", Steps(plan)},
              {"guardrails", Guardrails(plan)},
              {"comment_suppressed", plan.explanation().comment_suppressed()},
              {"pack", plan.pack()},
              {"pack_revision", plan.pack_revision()}};
}

std::string DumpLine(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string SubjectReference(const v1::Subject& subject) {
  std::string reference;
  if (!subject.forge().empty() || !subject.repository().empty()) {
    reference = QualifiedName(subject.forge(), subject.repository());
  }
  return reference + "#" + std::to_string(subject.number());
}

}  // namespace yardmaster
