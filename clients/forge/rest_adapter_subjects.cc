// The calls about one issue or pull request.
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "clients/forge/comments.h"
#include "clients/forge/labels.h"
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

ForgeLabelsWritten LabelsAsRead(absl::StatusOr<ForgeIssue> issue) {
  ForgeLabelsWritten written;
  if (issue.ok()) {
    written.shown = std::move(issue->labels);
  } else {
    written.read_back = issue.status();
  }
  return written;
}

// The comment `id` as it is now, after it was edited.
ForgeCommentWritten FindEdited(std::optional<ForgeComment> answered, std::string_view id,
                               const absl::StatusOr<ForgeCommentList>& list) {
  // Its id is known, whatever the answer says.
  ForgeComment asked;
  asked.id = std::string(id);
  ForgeCommentWritten written = FindWrittenComment(std::move(asked), "", list);
  written.answered = std::move(answered);
  return written;
}

}  // namespace

absl::StatusOr<ForgeIssue> RestAdapter::GetIssue(const ForgeCall& call, const ForgeSubject& subject) {
  RETURN_IF_ERROR(CheckSubject(subject));
  return ReadIssue(Begin(call), subject);
}

absl::StatusOr<ForgeIssue> RestAdapter::ReadIssue(const Run& run, const ForgeSubject& subject) {
  absl::StatusOr<ForgeIssue> issue = Read<ForgeIssue>(run, api_.subject(subject), api_.issue);
  if (!issue.ok()) return issue;
  // A transferred issue is answered by a redirect to another one.
  RETURN_IF_ERROR(CheckNumber(*issue, subject));
  if (!api_.issue_tells_kind) issue->pull_request = subject.pull_request;
  return issue;
}

absl::StatusOr<ForgeCommentList> RestAdapter::ListComments(const ForgeCall& call, const ForgeSubject& subject) {
  RETURN_IF_ERROR(CheckSubject(subject));
  return ReadComments(Begin(call), subject);
}

absl::StatusOr<ForgeComment> RestAdapter::GetComment(const ForgeCall& call, const ForgeSubject& subject,
                                                     std::string_view comment) {
  RETURN_IF_ERROR(CheckSubject(subject));
  RETURN_IF_ERROR(CheckId("comment", comment));
  return Read<ForgeComment>(Begin(call), api_.comment(subject, comment), api_.written_comment);
}

absl::StatusOr<ForgeCommentList> RestAdapter::ReadComments(const Run& run, const ForgeSubject& subject) {
  ForgeCommentList list;
  size_t bytes = 0;
  ASSIGN_OR_RETURN(list.complete, ReadList(run, api_.subject(subject).Below("/comments"), api_.comment_order(subject),
                                           api_.comments, &ForgeComment::id, [&](std::vector<ForgeComment> page) {
                                             return AppendComments(std::move(page), list.comments, bytes);
                                           }));
  SortByTime(list.comments);
  return list;
}

absl::StatusOr<ForgeLabelsWritten> RestAdapter::AddLabels(const ForgeCall& call, const ForgeSubject& subject,
                                                          const std::vector<std::string>& labels) {
  RETURN_IF_ERROR(CheckSubject(subject));
  RETURN_IF_ERROR(CheckLabels(labels, api_.labels));
  const Run run = Begin(call);
  // POST appends; PUT would replace and is never sent.
  const ForgeAnswer answer = Post(run, api_.subject(subject).Below("/labels"), api_.added_labels(labels).dump());
  if (answer.error.has_value()) return answer.ToStatus();
  return LabelsAsRead(ReadIssue(run, subject));
}

absl::StatusOr<ForgeLabelsWritten> RestAdapter::RemoveLabel(const ForgeCall& call, const ForgeSubject& subject,
                                                            std::string_view label) {
  RETURN_IF_ERROR(CheckSubject(subject));
  RETURN_IF_ERROR(CheckLabelPart(label));
  const Run run = Begin(call);
  const auto remove = [&](std::string_view encoded) {
    return Delete(run, api_.subject(subject).Below(absl::StrCat("/labels/", Abs(encoded)), "/labels/{label}"));
  };
  const std::string encoded = UrlEncode(label);
  ForgeAnswer answer = remove(encoded);
  if (answer.error.has_value() && answer.error->reason != ForgeReason::kNotFound) return answer.ToStatus();
  absl::StatusOr<ForgeIssue> issue = ReadIssue(run, subject);
  const std::string plain = absl::StrReplaceAll(encoded, {{"%2F", "/"}});
  const bool is_path = absl::c_all_of(
      absl::StrSplit(plain, '/'), [](absl::string_view part) { return !part.empty() && part != "." && part != ".."; });
  if (plain != encoded && is_path && issue.ok() && HasLabel(issue->labels, label)) {
    // Some servers take an encoded slash for a part of another name.
    answer = remove(plain);
    if (answer.error.has_value() && answer.error->reason != ForgeReason::kNotFound) return answer.ToStatus();
    issue = ReadIssue(run, subject);
  }
  // 404 says that the label is not there, or that the subject is not: the second read knows which.
  if (answer.error.has_value() && absl::IsNotFound(issue.status())) return answer.ToStatus();
  return LabelsAsRead(std::move(issue));
}

absl::StatusOr<ForgeCommentWritten> RestAdapter::AddComment(const ForgeCall& call, const ForgeSubject& subject,
                                                            std::string_view body) {
  RETURN_IF_ERROR(CheckSubject(subject));
  RETURN_IF_ERROR(CheckComment(body, api_.max_comment_characters));
  const Run run = Begin(call);
  const ForgeAnswer answer = Post(run, api_.subject(subject).Below("/comments"), CommentBody(body));
  if (answer.error.has_value()) return answer.ToStatus();
  return FindWrittenComment(AnsweredComment(api_, answer), body, ReadComments(run, subject));
}

absl::StatusOr<ForgeCommentWritten> RestAdapter::EditComment(const ForgeCall& call, const ForgeSubject& subject,
                                                             std::string_view comment, std::string_view body) {
  RETURN_IF_ERROR(CheckSubject(subject));
  RETURN_IF_ERROR(CheckId("comment", comment));
  RETURN_IF_ERROR(CheckComment(body, api_.max_comment_characters));
  const Run run = Begin(call);
  const ForgeAnswer answer = Patch(run, api_.comment(subject, comment), CommentBody(body));
  if (answer.error.has_value()) return answer.ToStatus();
  return FindEdited(AnsweredComment(api_, answer), comment, ReadComments(run, subject));
}

absl::Status RestAdapter::CheckNumber(const ForgeIssue& issue, const ForgeSubject& subject) {
  if (issue.number == subject.number) return absl::OkStatus();
  return MakeForgeStatus(
      {ForgeReason::kMoved, ForgeOutcome::kRefused, 0, std::nullopt},
      absl::StrCat(subject.repository, "#", subject.number, " has moved: the forge answers with #", issue.number,
                   issue.url.empty() ? "" : " at ", Readable(issue.url, kMaxForgeMessageBytes)));
}

}  // namespace yardmaster
