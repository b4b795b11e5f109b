#include "services/triage/issue_planner.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/algorithm/container.h"
#include "clients/forge/labels.h"
#include "rules/engine/guardrails.h"
#include "services/core/limits.h"
#include "services/core/reasons.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/plans/label_guard.h"
#include "services/triage/triage_planner.h"

namespace yardmaster {
namespace {

// Between the body and each comment that counts as further text: a paragraph of its own.
constexpr std::string_view kParagraph = "\n\n";

bool IsMarked(const PlanInput& input) {
  const auto& guardrails = input.pack->model().guardrails;
  if (!guardrails.has_value()) return false;
  return absl::c_any_of(guardrails->markers,
                        [&](const std::string& marker) { return HasLabel(input.snapshot.labels(), marker); });
}

// We set a label that says that we wait, and it is still there.
bool IsWaiting(const PlanInput& input) {
  const std::vector<std::string>& waiting = input.pack->model().waiting_labels;
  return absl::c_any_of(waiting, [&](const std::string& label) {
    return HasLabel(input.our_labels, label) && HasLabel(input.snapshot.labels(), label);
  });
}

bool IsPersons(const v1::Comment& comment) { return !comment.author_is_bot(); }

// A comment that became part of the body: where it lies there.
struct Joined {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t comment = 0;
};

// The snapshot as if people had said everything in the opening post, and as if we had not been here.
v1::IssueSnapshot AsNew(const PlanInput& input, std::vector<Joined>& joined) {
  v1::IssueSnapshot issue = input.snapshot;
  issue.clear_comments();
  std::string& body = *issue.mutable_body();
  for (int i = 0; i < input.snapshot.comments_size(); ++i) {
    const v1::Comment& comment = input.snapshot.comments(i);
    const bool fits = body.size() + kParagraph.size() + comment.body().size() <= kMaxBodyBytes;
    if (!IsPersons(comment) || !fits) {
      // Ours still tell which templates were posted.
      *issue.add_comments() = comment;
      continue;
    }
    body += kParagraph;
    joined.push_back({body.size(), body.size() + comment.body().size(), static_cast<uint32_t>(i)});
    body += comment.body();
  }
  issue.clear_labels();
  for (const std::string& label : input.snapshot.labels()) {
    if (!HasLabel(input.our_labels, label)) issue.add_labels(label);
  }
  return issue;
}

// Evidence that was found in a joined comment points there again.
void MapSpans(const std::vector<Joined>& joined, v1::Plan& plan) {
  for (v1::LabelExplanation& label : *plan.mutable_explanation()->mutable_labels()) {
    for (v1::Evidence& evidence : *label.mutable_rules()) {
      if (!evidence.has_span() || evidence.span().source() != v1::TextSpan::SOURCE_BODY) continue;
      for (const Joined& part : joined) {
        if (evidence.span().begin() < part.begin || evidence.span().begin() >= part.end) continue;
        v1::TextSpan& span = *evidence.mutable_span();
        span.set_source(v1::TextSpan::SOURCE_COMMENT);
        span.set_comment_index(part.comment);
        span.set_begin(span.begin() - part.begin);
        span.set_end(std::min(span.end(), part.end) - part.begin);
        break;
      }
    }
  }
}

// What may be added to the issue as it really is: the guardrails have the last word here, too.
void OnlyWhatFits(const PlanInput& input, v1::Plan& plan) {
  rules::GuardrailResult allowed;
  const std::unique_ptr<rules::Guardrails> guardrails = GuardrailsOf(*input.pack);
  if (guardrails != nullptr) {
    rules::GuardrailRequest request = GuardrailRequestOf(*guardrails, plan);
    request.labels_on_issue.assign(input.snapshot.labels().begin(), input.snapshot.labels().end());
    allowed = guardrails->Apply(request);
  }
  for (const rules::GuardrailNote& note : allowed.notes) {
    v1::Suppression& suppression = *plan.mutable_explanation()->add_guardrails();
    suppression.set_rule_id(std::string(note.rule_id));
    suppression.set_reason(note.reason);
  }
  plan.clear_applied();
  for (const std::string_view label : allowed.labels) {
    if (!HasLabel(input.snapshot.labels(), label)) plan.add_applied(std::string(label));
  }
  for (int i = plan.actions_size() - 1; i >= 0; --i) {
    if (!plan.actions(i).has_add_labels()) continue;
    if (plan.applied().empty()) {
      plan.mutable_actions()->DeleteSubrange(i, 1);
    } else {
      *plan.mutable_actions(i)->mutable_add_labels()->mutable_labels() = plan.applied();
    }
  }
}

}  // namespace

bool IssuePlanner::Handles(v1::SubjectKind kind, const rules::PackModel& pack) const {
  return kind == v1::SUBJECT_KIND_ISSUE && pack.has_rubric;
}

TriggerResult IssuePlanner::TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                                       const std::vector<std::string>* seen_labels) const {
  const bool by_bot = event.event.actor_is_bot();
  if (by_bot && pack.ignore_bots) return {Trigger::kNone, reasons::kBot};
  // What the payload knows for certain already. An entry label may come with a later event.
  const bool closed = event.facts.open == false;
  switch (event.event.kind()) {
    case v1::Event::KIND_OPENED:
    case v1::Event::KIND_REOPENED:
      return {Trigger::kPlan, {}};
    case v1::Event::KIND_EDITED:
    case v1::Event::KIND_LABELS_CHANGED: {
      if (pack.entry_label.empty()) return {Trigger::kNone, reasons::kNoTrigger};
      if (closed) return {Trigger::kNone, reasons::kClosed};
      if (!event.label_added.empty() || !event.label_removed.empty()) {
        if (SameLabel(event.label_added, pack.entry_label)) return {Trigger::kPlan, {}};
        return {Trigger::kNone, reasons::kNoTrigger};
      }
      // The forge sent the whole set: is the entry label new in it?
      const bool there = event.facts.labels.has_value() && HasLabel(*event.facts.labels, pack.entry_label);
      const bool was_there = seen_labels != nullptr && HasLabel(*seen_labels, pack.entry_label);
      if (there && !was_there) return {Trigger::kPlan, {}};
      return {Trigger::kNone, reasons::kNoTrigger};
    }
    case v1::Event::KIND_COMMENTED:
      if (by_bot) return {Trigger::kNone, reasons::kBot};
      if (pack.waiting_labels.empty()) return {Trigger::kNone, reasons::kNoTrigger};
      // Where the payload has the labels, they tell that nobody waits.
      if (event.facts.labels.has_value() && absl::c_none_of(pack.waiting_labels, [&](const std::string& label) {
            return HasLabel(*event.facts.labels, label);
          })) {
        return {Trigger::kNone, reasons::kNoTrigger};
      }
      return {Trigger::kReply, {}};
    case v1::Event::KIND_REQUESTED:
      return {Trigger::kManual, {}};
    default:
      return {Trigger::kNone, reasons::kNoTrigger};
  }
}

std::string_view IssuePlanner::SkipReason(const PlanInput& input) const {
  const std::string& entry = input.pack->model().entry_label;
  if (!input.open) return reasons::kClosed;
  if (!entry.empty() && !HasLabel(input.snapshot.labels(), entry)) return reasons::kNotInQueue;
  if (input.trigger == Trigger::kManual) return {};
  if (input.trigger == Trigger::kReply) return IsWaiting(input) ? std::string_view() : reasons::kNoTrigger;
  return IsMarked(input) ? reasons::kMarked : std::string_view();
}

std::string IssuePlanner::Digest(const PlanInput& input) const {
  const v1::IssueSnapshot& issue = input.snapshot;
  const bool reply = input.trigger == Trigger::kReply;
  std::vector<std::string_view> parts = {issue.title(), issue.body()};
  for (const v1::Comment& comment : issue.comments()) {
    if (!IsPersons(comment)) continue;
    const bool by_reporter = !issue.author().empty() && SameLogin(comment.author(), issue.author());
    if (by_reporter || reply) parts.push_back(comment.body());
  }
  return ShortDigest((reply ? "reply" : "") + LengthPrefixed(parts));
}

absl::Status IssuePlanner::Plan(const PlanInput& input, v1::Plan& plan) const {
  PlanOptions options;
  options.mode = input.mode;
  if (input.trigger != Trigger::kReply) return PlanTriage(*input.pack, input.snapshot, options, plan);
  std::vector<Joined> joined;
  const v1::IssueSnapshot issue = AsNew(input, joined);
  RETURN_IF_ERROR(PlanTriage(*input.pack, issue, options, plan));
  MapSpans(joined, plan);
  OnlyWhatFits(input, plan);
  plan.set_input_digest(InputDigest(input.snapshot));
  return absl::OkStatus();
}

}  // namespace yardmaster
