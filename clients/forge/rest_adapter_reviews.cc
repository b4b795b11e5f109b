// The calls about comments at lines of pull requests, and what a forge without checks of commits answers.
#include <map>

#include "absl/strings/str_cat.h"
#include "clients/forge/comments.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

absl::Status NoSuchThing(std::string_view forge, std::string_view what) {
  return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, std::nullopt},
                         absl::StrCat(Abs(forge), " has no ", Abs(what), " for these credentials"));
}

absl::Status CheckInline(const ForgeInlineComment& comment, size_t max_characters) {
  RETURN_IF_ERROR(CheckPath(comment.path));
  return CheckComment(comment.body, max_characters);
}

absl::StatusOr<ForgeCommentList> PlainComments(absl::StatusOr<ForgeReviewCommentList> list) {
  if (!list.ok()) return list.status();
  ForgeCommentList plain;
  plain.complete = list->complete;
  for (ForgeReviewComment& comment : list->comments) plain.comments.push_back(std::move(comment.comment));
  return plain;
}

// Comments of one discussion follow its first one.
void LinkReplies(std::vector<ForgeReviewComment>& comments) {
  std::map<std::string, std::string> first;
  for (ForgeReviewComment& comment : comments) {
    const std::string& discussion = comment.comment.discussion;
    if (discussion.empty() || comment.comment.id.empty()) continue;
    const auto [known, is_first] = first.try_emplace(discussion, comment.comment.id);
    if (!is_first && comment.in_reply_to.empty()) comment.in_reply_to = known->second;
  }
}

}  // namespace

absl::StatusOr<ForgeCheckRun> RestAdapter::CreateCheckRun(const ForgeCall&, std::string_view,
                                                          const ForgeCheckRunWrite&) {
  return NoSuchThing(name(), "check runs");
}

absl::StatusOr<ForgeCheckRun> RestAdapter::UpdateCheckRun(const ForgeCall&, std::string_view, std::string_view,
                                                          const ForgeCheckRunWrite&) {
  return NoSuchThing(name(), "check runs");
}

absl::StatusOr<std::vector<ForgeCheckRun>> RestAdapter::ListCheckRuns(const ForgeCall&, std::string_view,
                                                                      std::string_view, std::string_view) {
  return NoSuchThing(name(), "check runs");
}

absl::StatusOr<std::vector<ForgePullRun>> RestAdapter::ListPullRuns(const ForgeCall&, const ForgeSubject&) {
  return NoSuchThing(name(), "runs of a CI that are no check runs");
}

absl::StatusOr<ForgePullRun> RestAdapter::GetPullRun(const ForgeCall&, std::string_view, std::string_view) {
  return NoSuchThing(name(), "runs of a CI that are no check runs");
}

absl::Status RestAdapter::SetCommitStatus(const ForgeCall&, std::string_view, std::string_view,
                                          const ForgeCommitStatus&) {
  return NoSuchThing(name(), "commit statuses");
}

absl::StatusOr<std::vector<ForgeCommitStatus>> RestAdapter::ListCommitStatuses(const ForgeCall&, std::string_view,
                                                                               std::string_view) {
  return NoSuchThing(name(), "commit statuses");
}

absl::StatusOr<ForgeReviewCommentList> RestAdapter::ListReviewComments(const ForgeCall& call,
                                                                       const ForgeSubject& subject) {
  RETURN_IF_ERROR(CheckSubject(subject));
  return ReadReviewComments(Begin(call), subject);
}

absl::StatusOr<ForgeReviewCommentList> RestAdapter::ReadReviewComments(const Run& run, const ForgeSubject& subject) {
  ForgeReviewCommentList list;
  size_t bytes = 0;
  const auto id = [](const ForgeReviewComment& comment) { return comment.comment.id; };
  ASSIGN_OR_RETURN(list.complete, ReadList(run, PullAddress(subject).Below("/comments"), api_.review_comment_order,
                                           api_.review_comments, id, [&](std::vector<ForgeReviewComment> page) {
                                             return AppendComments(std::move(page), list.comments, bytes);
                                           }));
  SortByTime(list.comments);
  LinkReplies(list.comments);
  RETURN_IF_ERROR(CompleteReviewComments(run, subject, list.comments));
  return list;
}

absl::Status RestAdapter::CreateReview(const ForgeCall& call, const ForgeSubject& subject, std::string_view commit,
                                       const std::vector<ForgeInlineComment>& comments) {
  RETURN_IF_ERROR(CheckSubject(subject));
  RETURN_IF_ERROR(CheckCommit(commit));
  if (comments.empty() || comments.size() > api_.max_review_comments) {
    return InvalidForgeInput(
        absl::StrCat(comments.size(), " comments in one review; 1 to ", api_.max_review_comments, " are possible"));
  }
  for (const ForgeInlineComment& comment : comments) {
    RETURN_IF_ERROR(CheckInline(comment, api_.max_comment_characters));
  }
  return SendReview(Begin(call), subject, commit, comments);
}

absl::StatusOr<ForgeCommentWritten> RestAdapter::ReplyToReviewComment(const ForgeCall& call,
                                                                      const ForgeSubject& subject,
                                                                      const ForgeComment& comment,
                                                                      std::string_view body) {
  RETURN_IF_ERROR(CheckSubject(subject));
  RETURN_IF_ERROR(CheckId("comment", comment.id));
  if (!comment.discussion.empty()) {
    RETURN_IF_ERROR(CheckId("discussion", comment.discussion));
  }
  RETURN_IF_ERROR(CheckComment(body, api_.max_comment_characters));
  const Run run = Begin(call);
  const ForgeAnswer answer = Post(run, api_.review_replies(subject, comment), CommentBody(body));
  if (answer.error.has_value()) return answer.ToStatus();
  absl::StatusOr<ForgeReviewCommentList> read = ReadReviewComments(run, subject);
  return FindWrittenComment(AnsweredComment(api_, answer), body, PlainComments(std::move(read)));
}

}  // namespace yardmaster
