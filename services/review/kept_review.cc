#include "services/review/kept_review.h"

#include <algorithm>
#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/messages/timestamps.h"
#include "services/core/repository_name.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/review/review_messages.h"

namespace yardmaster {
namespace {

// A range is known by both of its ends; a pull request's base moves on without it.
std::string IdOf(const ReviewedChange& change) {
  const v1::Subject& subject = change.subject;
  const std::string where = subject.number() > 0 ? absl::StrCat("#", subject.number()) : absl::StrCat("@", change.base);
  return ShortDigest(absl::AsciiStrToLower(QualifiedName(subject.forge(), subject.repository())) + where + " " +
                     change.head + " " + change.revision);
}

void Count(const ReviewReport& report, v1::Review& review) {
  std::array<uint32_t, 4> fresh = {};
  uint32_t still = 0;
  uint32_t fixed = 0;
  for (const ReportedFinding& reported : report.findings) {
    switch (reported.status) {
      case FindingStatus::kNone:
      case FindingStatus::kNew:
        ++fresh[static_cast<size_t>(reported.finding.severity)];
        break;
      case FindingStatus::kStill:
        ++still;
        break;
      case FindingStatus::kFixed:
        ++fixed;
        break;
    }
  }
  review.mutable_new_counts()->Assign(fresh.begin(), fresh.end());
  review.set_still(still);
  review.set_fixed(fixed);
}

absl::StatusOr<v1::Review> Parsed(const std::string& bytes, const store::Review& stored) {
  v1::Review review;
  if (!review.ParseFromString(bytes)) return errors::StoredValueDamaged("a review");
  *review.mutable_created_at() = ToTimestamp(stored.created_at);
  return review;
}

}  // namespace

v1::Review MakeReview(const ReviewReport& report, const ReviewedChange& change) {
  v1::Review review;
  review.set_id(IdOf(change));
  const v1::Subject& subject = change.subject;
  if (subject.number() > 0) *review.mutable_subject() = subject;
  review.set_repository(QualifiedName(subject.forge(), subject.repository()));
  review.set_base(change.base);
  review.set_head(change.head);
  review.set_merge_base(change.merge_base);
  review.set_revision(change.revision);
  review.set_source(change.source);
  review.set_complete(report.complete);
  WriteChangeReview(report, review);
  Count(report, review);
  return review;
}

store::NewReview ToStored(const v1::Review& review) {
  store::NewReview stored;
  stored.id = review.id();
  stored.subject = review.subject();
  if (!review.has_subject()) {
    const size_t colon = std::min(review.repository().find(':'), review.repository().size());
    stored.subject.set_forge(review.repository().substr(0, colon));
    stored.subject.set_repository(review.repository().substr(std::min(colon + 1, review.repository().size())));
    stored.subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  }
  stored.head = review.head();
  stored.revision = review.revision();
  stored.review = review.SerializeAsString();
  v1::Review outline = review;
  outline.clear_findings();
  outline.clear_skipped();
  outline.clear_checklist();
  outline.clear_progress();
  stored.outline = outline.SerializeAsString();
  return stored;
}

absl::StatusOr<v1::Review> FromStored(const store::Review& stored) { return Parsed(stored.review, stored); }

absl::StatusOr<int64_t> PullOfHead(store::Reviews& reviews, const v1::Subject& repository, std::string_view head) {
  if (head.empty()) return 0;
  store::ReviewFilter filter;
  filter.repository = QualifiedName(repository.forge(), repository.repository());
  filter.head = head;
  // Ranges of commits have no number.
  constexpr int64_t kLooked = 20;
  ASSIGN_OR_RETURN(const store::Page<store::Review> page, reviews.List(filter, {0, kLooked}));
  const auto found =
      absl::c_find_if(page.items, [](const store::Review& review) { return review.subject.number() > 0; });
  return found == page.items.end() ? 0 : found->subject.number();
}

store::ImportedFindings ToStored(const v1::ImportFindingsRequest& request) {
  return {request.tool(), request.SerializeAsString()};
}

absl::StatusOr<ImportedText> ImportedTextOf(const v1::ImportFindingsRequest& request) {
  const std::optional<ImportFormat> format = ImportFormatFromName(request.format());
  if (!format.has_value()) {
    return errors::FieldInvalid("format", "\"sarif\", \"checkstyle\", \"github\", \"lines\" or \"auto\"");
  }
  return ImportedText{request.content(), *format, {request.tool(), request.root(), request.errors_block()}};
}

absl::StatusOr<std::vector<ImportedText>> ReadImports(const std::vector<store::ImportedFindings>& stored) {
  std::vector<ImportedText> imports;
  for (const store::ImportedFindings& one : stored) {
    v1::ImportFindingsRequest request;
    if (!request.ParseFromString(one.findings)) return errors::StoredValueDamaged("what a tool found");
    ASSIGN_OR_RETURN(ImportedText import, ImportedTextOf(request));
    imports.push_back(std::move(import));
  }
  return imports;
}

absl::StatusOr<v1::Review> OutlineFromStored(const store::Review& stored) { return Parsed(stored.outline, stored); }

}  // namespace yardmaster
