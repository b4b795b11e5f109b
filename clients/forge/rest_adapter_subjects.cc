// The calls about one issue or pull request.
#include <algorithm>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "clients/forge/labels.h"
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

bool SameIds(const ForgeComment& a, const ForgeComment& b) {
  const auto same = [](const std::string& x, const std::string& y) { return !x.empty() && x == y; };
  return same(a.id, b.id) || same(a.id, b.discussion) || same(a.discussion, b.id);
}

// Oldest first, also where the server ignores the order that was asked for. Only if every time can be read.
void SortByTime(std::vector<ForgeComment>& comments) {
  std::vector<std::pair<absl::Time, size_t>> times;
  times.reserve(comments.size());
  for (size_t i = 0; i < comments.size(); ++i) {
    absl::Time time;
    if (!absl::ParseTime(absl::RFC3339_full, comments[i].created_at, &time, nullptr)) return;
    times.emplace_back(time, i);
  }
  const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (std::is_sorted(times.begin(), times.end(), earlier)) return;
  std::stable_sort(times.begin(), times.end(), earlier);
  std::vector<ForgeComment> sorted;
  sorted.reserve(comments.size());
  for (const auto& [time, index] : times) sorted.push_back(std::move(comments[index]));
  comments = std::move(sorted);
}

std::string TextBody(std::string_view text) { return nlohmann::json({{"body", text}}).dump(); }

// nullopt if the answer to a write shows no comment: what was written is looked for then.
std::optional<ForgeComment> Answered(const RestApi& api, const ForgeAnswer& answer) {
  absl::StatusOr<ForgeComment> comment = api.written_comment(answer.body);
  return comment.ok() ? std::optional(*std::move(comment)) : std::nullopt;
}

ForgeLabelsWritten LabelsAsRead(absl::StatusOr<ForgeIssue> issue) {
  ForgeLabelsWritten written;
  if (issue.ok()) {
    written.shown = std::move(issue->labels);
  } else {
    written.read_back = issue.status();
  }
  return written;
}

// The comment that was written, among those of the subject: by its ids, or by its text where the answer had none.
ForgeCommentWritten FindWritten(std::optional<ForgeComment> answered, std::string_view body,
                                const absl::StatusOr<ForgeCommentList>& list) {
  ForgeCommentWritten written;
  written.answered = std::move(answered);
  if (!list.ok()) {
    written.read_back = list.status();
    return written;
  }
  const bool has_id = written.answered.has_value() && !written.answered->id.empty();
  // The newest one: the same text may have been written before.
  const auto found = std::find_if(list->comments.rbegin(), list->comments.rend(), [&](const ForgeComment& comment) {
    return has_id ? SameIds(comment, *written.answered) : comment.body == body;
  });
  if (found != list->comments.rend()) {
    written.shown = *found;
    return written;
  }
  written.read_back =
      MakeForgeStatus({ForgeReason::kNotFound, ForgeOutcome::kUnknown, 0, std::nullopt},
                      list->complete ? "the comment is not among those that the forge shows"
                                     : "the comment is not among those that were read, which are not all");
  return written;
}

// The comment `id` as it is now, after it was edited.
ForgeCommentWritten FindEdited(std::optional<ForgeComment> answered, std::string_view id,
                               const absl::StatusOr<ForgeCommentList>& list) {
  // Its id is known, whatever the answer says.
  ForgeComment asked;
  asked.id = std::string(id);
  ForgeCommentWritten written = FindWritten(std::move(asked), "", list);
  written.answered = std::move(answered);
  return written;
}

// Adds comments that are not there yet. False when kMaxForgeListBytes is passed.
bool AppendComments(std::vector<ForgeComment> page, ForgeCommentList& list, size_t& bytes) {
  for (ForgeComment& comment : page) {
    // A comment that was deleted meanwhile moves others to the page before; a server may repeat a page.
    const bool known =
        !comment.id.empty() && std::any_of(list.comments.rbegin(),
                                           list.comments.rbegin() + static_cast<std::ptrdiff_t>(std::min<size_t>(
                                                                        list.comments.size(), 2 * kForgePageSize)),
                                           [&comment](const ForgeComment& other) { return other.id == comment.id; });
    if (known) continue;
    bytes += comment.body.size();
    if (bytes > kMaxForgeListBytes) return false;
    list.comments.push_back(std::move(comment));
  }
  return true;
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
                                             return AppendComments(std::move(page), list, bytes);
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
  const ForgeAnswer answer = Post(run, api_.subject(subject).Below("/comments"), TextBody(body));
  if (answer.error.has_value()) return answer.ToStatus();
  return FindWritten(Answered(api_, answer), body, ReadComments(run, subject));
}

absl::StatusOr<ForgeCommentWritten> RestAdapter::EditComment(const ForgeCall& call, const ForgeSubject& subject,
                                                             std::string_view comment, std::string_view body) {
  RETURN_IF_ERROR(CheckSubject(subject));
  RETURN_IF_ERROR(CheckId("comment", comment));
  RETURN_IF_ERROR(CheckComment(body, api_.max_comment_characters));
  const Run run = Begin(call);
  const ForgeAnswer answer = Patch(run, api_.comment(subject, comment), TextBody(body));
  if (answer.error.has_value()) return answer.ToStatus();
  return FindEdited(Answered(api_, answer), comment, ReadComments(run, subject));
}

absl::Status RestAdapter::CheckNumber(const ForgeIssue& issue, const ForgeSubject& subject) {
  if (issue.number == subject.number) return absl::OkStatus();
  return MakeForgeStatus(
      {ForgeReason::kMoved, ForgeOutcome::kRefused, 0, std::nullopt},
      absl::StrCat(subject.repository, "#", subject.number, " has moved: the forge answers with #", issue.number,
                   issue.url.empty() ? "" : " at ", Readable(issue.url, kMaxForgeMessageBytes)));
}

}  // namespace yardmaster
