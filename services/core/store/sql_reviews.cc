#include "services/core/store/sql_reviews.h"

#include <soci/soci.h>

#include <string>
#include <utility>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

constexpr std::string_view kReviewColumns =
    "select id, review_id, repository, subject_kind, number, head, revision, created_at, outline";
constexpr std::string_view kWithReview = ", review_bytes, encoding, review from reviews";
constexpr std::string_view kWithoutReview = " from reviews";

// "github:owner/name".
std::string RepositoryText(v1::Subject subject) {
  subject.clear_number();
  return SubjectText(subject);
}

struct ReviewRow {
  explicit ReviewRow(soci::session& sql) : outline(sql), content(sql) {}

  Review review;
  long long subject_kind = 0, number = 0, created_at = 0, review_bytes = 0, encoding = 0;
  std::string repository;
  soci::blob outline;
  soci::blob content;

  void Into(Select& query) {
    query.Into(review.row).Into(review.id).Into(repository).Into(subject_kind).Into(number).Into(review.head);
    query.Into(review.revision).Into(created_at).Into(outline);
  }
  const Review& Read() {
    review.subject = SubjectFromText(repository, subject_kind);
    review.subject.set_number(number);
    review.created_at = FromMicros(created_at);
    review.outline = GetBlob(outline);
    return review;
  }
};

// The first row with all of its review, nullopt if there is none.
absl::StatusOr<std::optional<Review>> ReadFirstReview(soci::session& sql, Select& query) {
  ReviewRow row(sql);
  row.Into(query);
  query.Into(row.review_bytes).Into(row.encoding).Into(row.content);
  if (!query.Next()) return std::nullopt;
  Review review = row.Read();
  const std::string packed = GetBlob(row.content);
  while (query.Next()) {
  }
  ASSIGN_OR_RETURN(review.review, Unpack(row.encoding, packed, row.review_bytes));
  return review;
}

absl::Status CheckSize(std::string_view what, size_t bytes) {
  if (bytes <= kMaxStoredReviewBytes) return absl::OkStatus();
  return errors::OverLimit(what, bytes, kMaxStoredReviewBytes, "bytes");
}

// Adds the conditions that rows are of this pull request.
void BindPull(Select& query, const v1::Subject& subject) {
  query.Add(" where lower(repository) = lower(:repository) and number = :number");
  query.Bind("repository", RepositoryText(subject)).Bind("number", subject.number());
}

}  // namespace

absl::Status SqlReviews::Put(const NewReview& review) {
  RETURN_IF_ERROR(CheckStoredName("id", review.id));
  v1::Subject named = review.subject;
  if (named.number() == 0) named.set_number(1);  // a range of the repository
  RETURN_IF_ERROR(CheckStoredSubject(named));
  RETURN_IF_ERROR(CheckStoredName("head", review.head));
  RETURN_IF_ERROR(CheckStoredName("revision", review.revision, true));
  RETURN_IF_ERROR(CheckSize("review", review.outline.size() + review.review.size()));
  const Packed packed = Pack(review.review);
  return writer_.Run(WriteKind::kNew, [&](Transaction& transaction) {
    const std::string repository = RepositoryText(review.subject);
    const long long number = review.subject.number();
    const long long kind = review.subject.kind();
    const auto bytes = static_cast<long long>(review.review.size());
    const long long encoding = packed.encoding;
    soci::blob outline(transaction.sql);
    SetBlob(outline, review.outline);
    soci::blob content(transaction.sql);
    SetBlob(content, packed.bytes);
    // A new row, not an update: rows are in the order in which reviews were made.
    transaction.sql << "delete from reviews where review_id = :review", soci::use(review.id, "review");
    transaction.sql << "insert into reviews (review_id, repository, number, subject_kind, head, revision, created_at, "
                       "outline, review_bytes, encoding, review) values (:review, :repository, :number, :kind, :head, "
                       ":revision, :now, :outline, :bytes, :encoding, :content)",
        soci::use(review.id, "review"), soci::use(repository, "repository"), soci::use(number, "number"),
        soci::use(kind, "kind"), soci::use(review.head, "head"), soci::use(review.revision, "revision"),
        soci::use(transaction.now, "now"), soci::use(outline, "outline"), soci::use(bytes, "bytes"),
        soci::use(encoding, "encoding"), soci::use(content, "content");
    return absl::OkStatus();
  });
}

absl::StatusOr<Review> SqlReviews::Get(std::string_view id) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<Review> {
    Select query(sql);
    query.Add(kReviewColumns).Add(kWithReview).Add(" where review_id = :review").Bind("review", id);
    ASSIGN_OR_RETURN(std::optional<Review> review, ReadFirstReview(sql, query));
    if (!review.has_value()) return errors::ReviewUnknown(id);
    return *std::move(review);
  });
}

absl::StatusOr<std::optional<Review>> SqlReviews::Latest(const v1::Subject& subject, std::string_view head) {
  return readers_.Read([&](soci::session& sql) {
    Select query(sql);
    query.Add(kReviewColumns).Add(kWithReview);
    BindPull(query, subject);
    if (!head.empty()) query.Add(" and head = :head").Bind("head", head);
    query.Add(" order by id desc limit 1");
    return ReadFirstReview(sql, query);
  });
}

absl::StatusOr<Page<Review>> SqlReviews::List(const ReviewFilter& filter, const PageRequest& page) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<Page<Review>> {
    ReviewRow row(sql);
    Select query(sql);
    query.Add(kReviewColumns).Add(kWithoutReview).Add(" where id > 0");
    if (!filter.repository.empty()) {
      query.Add(" and lower(repository) = lower(:repository)").Bind("repository", filter.repository);
    }
    if (filter.number > 0) query.Add(" and number = :number").Bind("number", filter.number);
    if (!filter.head.empty()) query.Add(" and head = :head").Bind("head", filter.head);
    return ReadPage(query, row, page, "id", &Review::row);
  });
}

absl::Status SqlReviews::PutImport(const v1::Subject& subject, std::string_view head, const ImportedFindings& found) {
  RETURN_IF_ERROR(CheckStoredSubject(subject));
  RETURN_IF_ERROR(CheckStoredName("head", head));
  RETURN_IF_ERROR(CheckStoredName("tool", found.tool));
  RETURN_IF_ERROR(CheckSize("findings", found.findings.size()));
  const Packed packed = Pack(found.findings);
  return writer_.Run(WriteKind::kNew, [&](Transaction& transaction) -> absl::Status {
    const std::string repository = RepositoryText(subject);
    const long long number = subject.number();
    const std::string commit(head);
    const auto bytes = static_cast<long long>(found.findings.size());
    const long long encoding = packed.encoding;
    long long others = 0;
    transaction.sql << "select count(*) from review_imports where lower(repository) = lower(:repository) and number = "
                       ":number and head = :head and tool <> :tool",
        soci::use(repository, "repository"), soci::use(number, "number"), soci::use(commit, "head"),
        soci::use(found.tool, "tool"), soci::into(others);
    if (others >= static_cast<long long>(kMaxImportTools)) {
      return errors::OverLimit("tools of a commit", static_cast<size_t>(others) + 1, kMaxImportTools, "tools");
    }
    soci::blob content(transaction.sql);
    SetBlob(content, packed.bytes);
    transaction.sql << "delete from review_imports where lower(repository) = lower(:repository) and number = :number "
                       "and head = :head and tool = :tool",
        soci::use(repository, "repository"), soci::use(number, "number"), soci::use(commit, "head"),
        soci::use(found.tool, "tool");
    transaction.sql << "insert into review_imports (repository, number, head, tool, created_at, findings_bytes, "
                       "encoding, findings) values (:repository, :number, :head, :tool, :now, :bytes, :encoding, "
                       ":content)",
        soci::use(repository, "repository"), soci::use(number, "number"), soci::use(commit, "head"),
        soci::use(found.tool, "tool"), soci::use(transaction.now, "now"), soci::use(bytes, "bytes"),
        soci::use(encoding, "encoding"), soci::use(content, "content");
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<ImportedFindings>> SqlReviews::Imports(const v1::Subject& subject, std::string_view head) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::vector<ImportedFindings>> {
    std::string tool;
    long long bytes = 0;
    long long encoding = 0;
    soci::blob content(sql);
    Select query(sql);
    query.Add("select tool, findings_bytes, encoding, findings from review_imports");
    BindPull(query, subject);
    query.Add(" and head = :head").Bind("head", head);
    query.Add(" order by tool").Into(tool).Into(bytes).Into(encoding).Into(content);
    std::vector<ImportedFindings> all;
    absl::Status read;
    // To the end also after an error: see sql.h.
    while (query.Next()) {
      absl::StatusOr<std::string> findings = Unpack(encoding, GetBlob(content), bytes);
      if (findings.ok()) {
        all.push_back({tool, *std::move(findings)});
      } else {
        read.Update(findings.status());
      }
    }
    if (!read.ok()) return read;
    return all;
  });
}

}  // namespace yardmaster::store
