#include "services/intake/event.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

v1::Event::Kind KindOf(ForgeEventKind kind) {
  switch (kind) {
    case ForgeEventKind::kOpened:
      return v1::Event::KIND_OPENED;
    case ForgeEventKind::kReopened:
      return v1::Event::KIND_REOPENED;
    case ForgeEventKind::kEdited:
      return v1::Event::KIND_EDITED;
    case ForgeEventKind::kLabelsChanged:
      return v1::Event::KIND_LABELS_CHANGED;
    case ForgeEventKind::kCommented:
      return v1::Event::KIND_COMMENTED;
    case ForgeEventKind::kCommentEdited:
      return v1::Event::KIND_COMMENT_EDITED;
    case ForgeEventKind::kClosed:
      return v1::Event::KIND_CLOSED;
    case ForgeEventKind::kPushed:
      return v1::Event::KIND_PUSHED;
    case ForgeEventKind::kReady:
      return v1::Event::KIND_READY;
    case ForgeEventKind::kRequested:
      return v1::Event::KIND_RERUN;
  }
  return v1::Event::KIND_UNSPECIFIED;
}

}  // namespace

RoutedEvent ToRoutedEvent(std::string_view forge, std::string_view delivery_id, ForgeEvent event) {
  RoutedEvent routed;
  v1::Event& out = routed.event;
  out.set_id(std::string(delivery_id));
  out.set_origin(v1::Event::ORIGIN_WEBHOOK);
  out.set_kind(KindOf(event.kind));
  *out.mutable_subject() = SubjectOf(forge, event.subject);
  out.set_actor(std::move(event.actor));
  out.set_actor_is_bot(event.actor_is_bot);
  out.set_head(std::move(event.head));
  out.set_check(std::move(event.check));
  if (event.comment > 0) out.set_comment(absl::StrCat(event.comment));
  out.set_text(std::move(event.text));
  out.set_text_author(std::move(event.text_author));
  out.set_text_author_is_bot(event.text_author_is_bot);
  routed.facts = std::move(event.facts);
  routed.label_added = std::move(event.label_added);
  routed.label_removed = std::move(event.label_removed);
  return routed;
}

v1::Subject SubjectOf(std::string_view forge, const ForgeSubject& subject) {
  v1::Subject out;
  if (subject.repository.empty()) return out;
  out.set_forge(std::string(forge));
  out.set_repository(subject.repository);
  out.set_number(subject.number);
  // An event about a repository has no number, and is about pull requests if about anything.
  out.set_kind(subject.pull_request ? v1::SUBJECT_KIND_PULL_REQUEST
               : subject.number > 0 ? v1::SUBJECT_KIND_ISSUE
                                    : v1::SUBJECT_KIND_UNSPECIFIED);
  return out;
}

ForgeSubject ForgeSubjectOf(const v1::Subject& subject) {
  return {subject.repository(), subject.number(), subject.kind() == v1::SUBJECT_KIND_PULL_REQUEST};
}

std::string SubjectKey(const v1::Subject& subject) {
  return absl::StrCat(QualifiedName(subject.forge(), absl::AsciiStrToLower(subject.repository())),
                      subject.kind() == v1::SUBJECT_KIND_PULL_REQUEST ? "!" : "#", subject.number());
}

}  // namespace yardmaster
