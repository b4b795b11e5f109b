#include "services/triage/planner.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "rules/engine/readable.h"
#include "services/core/errors.h"
#include "services/core/issue_snapshot.h"
#include "services/core/limits.h"
#include "services/core/short_digest.h"
#include "services/triage/utf8.h"

namespace yardmaster {
namespace {

v1::Confidence ToProto(rules::Confidence confidence) {
  switch (confidence) {
    case rules::Confidence::kNone:
      return v1::CONFIDENCE_UNSPECIFIED;
    case rules::Confidence::kLow:
      return v1::CONFIDENCE_LOW;
    case rules::Confidence::kMedium:
      return v1::CONFIDENCE_MEDIUM;
    case rules::Confidence::kHigh:
      return v1::CONFIDENCE_HIGH;
  }
  return v1::CONFIDENCE_UNSPECIFIED;
}

void SetText(std::string* field, std::string_view text) { field->assign(text.data(), text.size()); }

// The text that a piece of evidence points into; empty if the place is not inside it.
std::string_view MatchedText(const rules::IssueText& text, const rules::Evidence& evidence) {
  std::string_view source;
  switch (evidence.source) {
    case rules::TextSource::kTitle:
      source = text.title;
      break;
    case rules::TextSource::kBody:
      source = text.body;
      break;
    case rules::TextSource::kComment:
      if (evidence.comment_index < text.comments.size()) source = text.comments[evidence.comment_index].body;
      break;
    case rules::TextSource::kNone:
      break;
  }
  if (evidence.begin > evidence.end || evidence.end > source.size()) return {};
  return source.substr(evidence.begin, evidence.end - evidence.begin);
}

void WriteEvidence(const rules::IssueText& text, std::string_view label, const rules::Evidence& evidence,
                   v1::Evidence& out) {
  SetText(out.mutable_rule_id(), evidence.rule_id);
  out.set_score(evidence.score);
  if (evidence.existing_label) {
    out.set_zone("labels");
    SetText(out.mutable_text(), label);
    return;
  }
  if (evidence.source == rules::TextSource::kNone) {
    out.set_zone("derived");
    return;
  }
  SetText(out.mutable_zone(), rules::ZoneName(evidence.zone));
  v1::TextSpan& span = *out.mutable_span();
  switch (evidence.source) {
    case rules::TextSource::kTitle:
      span.set_source(v1::TextSpan::SOURCE_TITLE);
      break;
    case rules::TextSource::kComment:
      span.set_source(v1::TextSpan::SOURCE_COMMENT);
      span.set_comment_index(evidence.comment_index);
      break;
    default:
      span.set_source(v1::TextSpan::SOURCE_BODY);
      break;
  }
  span.set_begin(evidence.begin);
  span.set_end(evidence.end);
  const std::string_view matched = CutUtf8(MatchedText(text, evidence), kMaxEvidenceTextBytes);
  if (rules::IsValidUtf8(matched)) {
    SetText(out.mutable_text(), matched);
  } else {
    // Replacement characters are longer than what they replace: cut again.
    std::string valid;
    AppendValidUtf8(matched, valid);
    SetText(out.mutable_text(), CutUtf8(valid, kMaxEvidenceTextBytes));
  }
}

void WriteSuppression(const rules::Suppression& suppression, v1::Suppression& out) {
  SetText(out.mutable_rule_id(), suppression.rule_id);
  SetText(out.mutable_reason(), suppression.reason);
  out.set_score_before(suppression.score_before);
  out.set_score_after(suppression.score_after);
}

void WriteLabel(const rules::IssueText& text, const rules::LabelResult& result, v1::LabelExplanation& out) {
  SetText(out.mutable_label(), result.label);
  SetText(out.mutable_classifier(), result.classifier);
  out.set_chosen(result.chosen);
  out.set_score(result.score);
  out.set_threshold(result.threshold);
  out.set_high_threshold(result.high_threshold);
  out.set_confidence(ToProto(result.confidence));
  out.mutable_rules()->Reserve(static_cast<int>(result.evidence.size()));
  for (const rules::Evidence& evidence : result.evidence) WriteEvidence(text, result.label, evidence, *out.add_rules());
  for (const rules::Suppression& suppression : result.suppressed) WriteSuppression(suppression, *out.add_suppressed());
  SetText(out.mutable_would_change(), result.would_change);
}

void WriteExplanation(const rules::IssueText& text, const rules::Decision& decision, v1::Explanation& out) {
  out.mutable_labels()->Reserve(static_cast<int>(decision.results.size()));
  for (const rules::LabelResult& result : decision.results) WriteLabel(text, result, *out.add_labels());
  out.mutable_steps()->Reserve(static_cast<int>(decision.steps.size()));
  for (const rules::StepResult& step : decision.steps) {
    v1::StepOutcome& outcome = *out.add_steps();
    SetText(outcome.mutable_id(), step.id);
    outcome.set_taken(step.taken);
    SetText(outcome.mutable_why(), step.why);
    outcome.set_stopped(step.stopped);
  }
  for (const rules::GuardrailNote& note : decision.guardrails) {
    v1::Suppression& suppression = *out.add_guardrails();
    SetText(suppression.mutable_rule_id(), note.rule_id);
    SetText(suppression.mutable_reason(), note.reason);
  }
  SetText(out.mutable_comment_suppressed(), decision.comment_suppressed);
}

// Comment first, labels second: a run that fails between them can be finished, since the labels are what marks an issue
// as done.
void WriteActions(const rules::PackModel& pack, v1::Plan& plan) {
  if (!plan.comment_template().empty()) {
    v1::PostTemplate& post = *plan.add_actions()->mutable_post_template();
    post.set_template_id(plan.comment_template());
    for (const rules::TemplateModel& candidate : pack.templates) {
      if (candidate.id == plan.comment_template()) post.set_body(candidate.body);
    }
  }
  if (plan.applied_size() > 0) *plan.add_actions()->mutable_add_labels()->mutable_labels() = plan.applied();
}

// Fields with their lengths, one behind the other.
class Fields {
 public:
  explicit Fields(size_t bytes) { bytes_.reserve(bytes); }

  void AddNumber(uint64_t number) {
    for (size_t i = 0; i < 8; ++i) bytes_.push_back(static_cast<char>(number >> (8 * i)));
  }

  void AddText(std::string_view text) {
    AddNumber(text.size());
    bytes_.append(text);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

v1::IssueSnapshot SnapshotOf(const rules::IssueInput& input) {
  v1::IssueSnapshot issue;
  issue.mutable_subject()->set_kind(v1::SUBJECT_KIND_ISSUE);
  issue.mutable_subject()->set_number(input.number);
  issue.set_title(input.title);
  issue.set_body(input.body);
  issue.set_author(input.author);
  issue.set_labels_known(input.labels_before.has_value());
  if (input.labels_before.has_value()) {
    for (const std::string& label : *input.labels_before) issue.add_labels(label);
  }
  for (const rules::IssueInput::Comment& comment : input.comments) {
    v1::Comment& out = *issue.add_comments();
    out.set_author(comment.author);
    if (comment.author_is_bot.has_value()) out.set_author_is_bot(*comment.author_is_bot);
    out.set_body(comment.body);
  }
  return issue;
}

absl::Status PlanTriage(const rules::CompiledPack& pack, const v1::IssueSnapshot& issue, const PlanOptions& options,
                        v1::Plan& plan) {
  if (!pack.model().has_rubric) return errors::PackWithoutRubric(pack.model().name);
  const rules::IssueText text = TextOf(issue);
  std::string error;
  const rules::Decision decision = pack.Decide(text, &error);
  if (!error.empty()) return errors::MatchFailed(pack.model().name, error);
  *plan.mutable_subject() = issue.subject();
  if (plan.subject().kind() == v1::SUBJECT_KIND_UNSPECIFIED) plan.mutable_subject()->set_kind(v1::SUBJECT_KIND_ISSUE);
  WritePlan(pack.model(), text, decision, options, plan);
  plan.set_input_digest(InputDigest(issue));
  return absl::OkStatus();
}

void WritePlan(const rules::PackModel& pack, const rules::IssueText& text, const rules::Decision& decision,
               const PlanOptions& options, v1::Plan& plan) {
  plan.set_pack(pack.name);
  plan.set_pack_revision(pack.revision);
  plan.set_mode(options.mode);
  for (const std::string_view label : decision.labels) {
    SetText(plan.add_labels(), label);
    for (const rules::LabelResult& result : decision.results) {
      if (result.label != label || result.confidence == rules::Confidence::kNone) continue;
      v1::LabelConfidence& confidence = *plan.add_confidence();
      SetText(confidence.mutable_label(), label);
      confidence.set_confidence(ToProto(result.confidence));
      break;
    }
  }
  for (const std::string_view label : decision.applied) SetText(plan.add_applied(), label);
  SetText(plan.mutable_comment_template(), decision.comment_template);
  WriteActions(pack, plan);
  if (options.explain) WriteExplanation(text, decision, *plan.mutable_explanation());
}

std::string InputDigest(const v1::IssueSnapshot& issue) {
  constexpr size_t kRoomForLengths = 256;
  Fields fields(issue.title().size() + issue.body().size() + kRoomForLengths);
  fields.AddText(issue.title());
  fields.AddText(issue.body());
  fields.AddNumber(static_cast<uint64_t>(issue.comments_size()));
  for (const v1::Comment& comment : issue.comments()) {
    fields.AddText(comment.author());
    fields.AddText(comment.body());
  }
  // "Unknown" and "none" are different inputs.
  fields.AddNumber(issue.labels_known() ? 1 : 0);
  fields.AddNumber(static_cast<uint64_t>(issue.labels_size()));
  for (const std::string& label : issue.labels()) fields.AddText(label);
  return ShortDigest(fields.bytes());
}

}  // namespace yardmaster
