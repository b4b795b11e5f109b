#include "services/triage/triage_planner.h"

#include <cstdint>
#include <string_view>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/core/readable.h"
#include "services/core/short_digest.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

v1::Confidence ToProto(rules::Confidence confidence) {
  static constexpr v1::Confidence kConfidences[] = {v1::CONFIDENCE_UNSPECIFIED, v1::CONFIDENCE_LOW,
                                                    v1::CONFIDENCE_MEDIUM, v1::CONFIDENCE_HIGH};
  return kConfidences[static_cast<size_t>(confidence)];
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

// The matched bytes as they are shown: valid UTF-8, cut to their limit. `room` keeps them where they had to be changed.
std::string_view ShownText(std::string_view matched, std::string& room) {
  matched = CutUtf8(matched, kMaxEvidenceTextBytes);
  if (IsValidUtf8(matched)) return matched;
  // Replacement characters are longer than what they replace: cut again.
  AppendValidUtf8(matched, room);
  return CutUtf8(room, kMaxEvidenceTextBytes);
}

v1::TextSpan::Source SourceToProto(rules::TextSource source) {
  switch (source) {
    case rules::TextSource::kTitle:
      return v1::TextSpan::SOURCE_TITLE;
    case rules::TextSource::kComment:
      return v1::TextSpan::SOURCE_COMMENT;
    default:
      return v1::TextSpan::SOURCE_BODY;
  }
}

void WriteSpan(const rules::Evidence& evidence, int field, WireWriter& out) {
  const size_t before = out.size();
  out.Number(v1::TextSpan::kEndFieldNumber, evidence.end);
  out.Number(v1::TextSpan::kBeginFieldNumber, evidence.begin);
  if (evidence.source == rules::TextSource::kComment) {
    out.Number(v1::TextSpan::kCommentIndexFieldNumber, evidence.comment_index);
  }
  out.Number(v1::TextSpan::kSourceFieldNumber, SourceToProto(evidence.source));
  out.Message(field, before);
}

void WriteEvidence(const rules::IssueText& text, std::string_view label, const rules::Evidence& evidence, int field,
                   WireWriter& out) {
  const size_t before = out.size();
  out.Double(v1::Evidence::kScoreFieldNumber, evidence.score);
  if (evidence.existing_label) {
    out.Text(v1::Evidence::kTextFieldNumber, label);
    out.Text(v1::Evidence::kZoneFieldNumber, "labels");
  } else if (evidence.source == rules::TextSource::kNone) {
    out.Text(v1::Evidence::kZoneFieldNumber, "derived");
  } else {
    std::string room;
    out.Text(v1::Evidence::kTextFieldNumber, ShownText(MatchedText(text, evidence), room));
    WriteSpan(evidence, v1::Evidence::kSpanFieldNumber, out);
    out.Text(v1::Evidence::kZoneFieldNumber, rules::ZoneName(evidence.zone));
  }
  out.Text(v1::Evidence::kRuleIdFieldNumber, evidence.rule_id);
  out.Message(field, before);
}

void WriteSuppression(const rules::Suppression& suppression, int field, WireWriter& out) {
  const size_t before = out.size();
  out.Double(v1::Suppression::kScoreAfterFieldNumber, suppression.score_after);
  out.Double(v1::Suppression::kScoreBeforeFieldNumber, suppression.score_before);
  out.Text(v1::Suppression::kReasonFieldNumber, suppression.reason);
  out.Text(v1::Suppression::kRuleIdFieldNumber, suppression.rule_id);
  out.Message(field, before);
}

void WriteLabel(const rules::IssueText& text, const rules::LabelResult& result, int field, WireWriter& out) {
  using Label = v1::LabelExplanation;
  const size_t before = out.size();
  out.Text(Label::kWouldChangeFieldNumber, result.would_change);
  for (size_t i = result.suppressed.size(); i-- > 0;) {
    WriteSuppression(result.suppressed[i], Label::kSuppressedFieldNumber, out);
  }
  for (size_t i = result.evidence.size(); i-- > 0;) {
    WriteEvidence(text, result.label, result.evidence[i], Label::kRulesFieldNumber, out);
  }
  out.Number(Label::kConfidenceFieldNumber, ToProto(result.confidence));
  out.Double(Label::kHighThresholdFieldNumber, result.high_threshold);
  out.Double(Label::kThresholdFieldNumber, result.threshold);
  out.Double(Label::kScoreFieldNumber, result.score);
  out.Number(Label::kChosenFieldNumber, result.chosen ? 1 : 0);
  out.Text(Label::kClassifierFieldNumber, result.classifier);
  out.Text(Label::kLabelFieldNumber, result.label);
  out.Message(field, before);
}

void WriteStep(const rules::StepResult& step, int field, WireWriter& out) {
  const size_t before = out.size();
  out.Number(v1::StepOutcome::kStoppedFieldNumber, step.stopped ? 1 : 0);
  out.Text(v1::StepOutcome::kWhyFieldNumber, step.why);
  out.Number(v1::StepOutcome::kTakenFieldNumber, step.taken ? 1 : 0);
  out.Text(v1::StepOutcome::kIdFieldNumber, step.id);
  out.Message(field, before);
}

// The fields of an Explanation, see wire_writer.h for the order.
void WriteExplanation(const rules::IssueText& text, const rules::Decision& decision, WireWriter& out) {
  out.Text(v1::Explanation::kCommentSuppressedFieldNumber, decision.comment_suppressed);
  for (size_t i = decision.guardrails.size(); i-- > 0;) {
    const rules::GuardrailNote& note = decision.guardrails[i];
    WriteSuppression({note.rule_id, note.reason, 0, 0}, v1::Explanation::kGuardrailsFieldNumber, out);
  }
  for (size_t i = decision.steps.size(); i-- > 0;) {
    WriteStep(decision.steps[i], v1::Explanation::kStepsFieldNumber, out);
  }
  for (size_t i = decision.results.size(); i-- > 0;) {
    WriteLabel(text, decision.results[i], v1::Explanation::kLabelsFieldNumber, out);
  }
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

// Everything but the explanation.
void WritePlanHead(const rules::PackModel& pack, const rules::Decision& decision, const PlanOptions& options,
                   v1::Plan& plan) {
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
                        v1::Plan& plan, WireWriter* explanation) {
  if (!pack.model().has_rubric) return errors::PackWithoutRubric(pack.model().name);
  const rules::IssueText text = TextOf(issue);
  const rules::Decision decision = pack.Decide(text);
  *plan.mutable_subject() = issue.subject();
  if (plan.subject().kind() == v1::SUBJECT_KIND_UNSPECIFIED) plan.mutable_subject()->set_kind(v1::SUBJECT_KIND_ISSUE);
  if (explanation != nullptr) {
    WritePlanHead(pack.model(), decision, options, plan);
    if (options.explain) WriteExplanation(text, decision, *explanation);
  } else {
    WritePlan(pack.model(), text, decision, options, plan);
  }
  plan.set_input_digest(InputDigest(issue));
  return absl::OkStatus();
}

void WritePlan(const rules::PackModel& pack, const rules::IssueText& text, const rules::Decision& decision,
               const PlanOptions& options, v1::Plan& plan) {
  WritePlanHead(pack, decision, options, plan);
  if (!options.explain) return;
  WireWriter explanation;
  WriteExplanation(text, decision, explanation);
  const std::string_view bytes = explanation.bytes();
  plan.mutable_explanation()->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
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
