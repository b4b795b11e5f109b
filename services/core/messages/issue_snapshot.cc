#include "services/core/messages/issue_snapshot.h"

#include <cstddef>
#include <string>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"

namespace yardmaster {

absl::Status CheckSubject(const v1::Subject& subject) {
  if (subject.forge().size() > kMaxNameBytes) {
    return errors::OverLimit("subject.forge", subject.forge().size(), kMaxNameBytes, "bytes");
  }
  if (subject.repository().size() > kMaxNameBytes) {
    return errors::OverLimit("subject.repository", subject.repository().size(), kMaxNameBytes, "bytes");
  }
  return absl::OkStatus();
}

absl::Status CheckIssueSize(const v1::IssueSnapshot& issue) {
  RETURN_IF_ERROR(CheckSubject(issue.subject()));
  if (issue.title().size() > kMaxTitleBytes)
    return errors::OverLimit("title", issue.title().size(), kMaxTitleBytes, "bytes");
  if (issue.body().size() > kMaxBodyBytes)
    return errors::OverLimit("body", issue.body().size(), kMaxBodyBytes, "bytes");
  if (issue.author().size() > kMaxNameBytes)
    return errors::OverLimit("author", issue.author().size(), kMaxNameBytes, "bytes");

  const auto labels = static_cast<size_t>(issue.labels_size());
  if (labels > kMaxLabels) return errors::OverLimit("labels", labels, kMaxLabels, "labels");
  for (const std::string& label : issue.labels()) {
    if (label.size() > kMaxLabelBytes) return errors::OverLimit("a label", label.size(), kMaxLabelBytes, "bytes");
  }

  const auto comments = static_cast<size_t>(issue.comments_size());
  if (comments > kMaxComments) return errors::OverLimit("comments", comments, kMaxComments, "comments");
  size_t all_comments = 0;
  for (const v1::Comment& comment : issue.comments()) {
    if (comment.body().size() > kMaxCommentBytes) {
      return errors::OverLimit("a comment", comment.body().size(), kMaxCommentBytes, "bytes");
    }
    if (comment.author().size() > kMaxNameBytes) {
      return errors::OverLimit("a comment's author", comment.author().size(), kMaxNameBytes, "bytes");
    }
    all_comments += comment.body().size();
  }
  if (all_comments > kMaxAllCommentsBytes) {
    return errors::OverLimit("all comments", all_comments, kMaxAllCommentsBytes, "bytes");
  }
  return absl::OkStatus();
}

rules::IssueText TextOf(const v1::IssueSnapshot& issue) {
  rules::IssueText text;
  text.title = issue.title();
  text.body = issue.body();
  text.author = issue.author();
  if (issue.labels_known()) text.labels_before.emplace(issue.labels().begin(), issue.labels().end());
  text.comments.reserve(static_cast<size_t>(issue.comments_size()));
  for (const v1::Comment& comment : issue.comments()) {
    rules::CommentText& view = text.comments.emplace_back();
    view.author = comment.author();
    if (comment.has_author_is_bot()) view.author_is_bot = comment.author_is_bot();
    view.body = comment.body();
  }
  return text;
}

}  // namespace yardmaster
