// GitCode's comments at lines: made one at a time, and looked at afterwards.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "clients/forge/comments.h"
#include "clients/forge/gitcode/gitcode_answers.h"
#include "clients/forge/gitcode/gitcode_forge.h"
#include "clients/forge/limits.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// Only `position` makes a comment one at a line; GitCode ignores the names that other forges use.
nlohmann::json InlineBody(const ForgeInlineComment& comment) {
  nlohmann::json body = {{"body", comment.body}, {"path", comment.path}};
  if (comment.line > 0) {
    body["position"] = comment.line;
  } else {
    // The whole file.
    body["position_type"] = "binary";
  }
  return body;
}

}  // namespace

absl::StatusOr<ForgeReviewComment> GitCodeForge::ReadReviewComment(const Run& run, const ForgeSubject& subject,
                                                                   std::string_view id) {
  ForgeSubject pull = subject;
  pull.pull_request = true;
  return Read<ForgeReviewComment>(run, api().comment(pull, id), gitcode::ParseReviewComment);
}

absl::Status GitCodeForge::SendReview(const Run& run, const ForgeSubject& subject, std::string_view,
                                      const std::vector<ForgeInlineComment>& comments) {
  const ForgeInlineComment& comment = comments.front();
  const ForgeAnswer answer = Post(run, PullAddress(subject).Below("/comments"), InlineBody(comment).dump());
  if (answer.error.has_value()) return answer.ToStatus();
  const std::optional<ForgeComment> answered = AnsweredComment(api(), answer);
  absl::StatusOr<ForgeReviewComment> shown =
      answered.has_value() ? ReadReviewComment(run, subject, answered->id)
                           : absl::StatusOr<ForgeReviewComment>(BadForgeAnswer("the answer names no comment"));
  if (!shown.ok()) {
    // It was written, but as what?
    ForgeError error = ForgeErrorOf(shown.status()).value_or(ForgeError{});
    error.outcome = ForgeOutcome::kUnknown;
    return MakeForgeStatus(error, absl::StrCat("reading the comment back: ", shown.status().message()));
  }
  if (shown->path == comment.path && (comment.line == 0 || shown->line > 0)) return absl::OkStatus();
  return MakeForgeStatus({ForgeReason::kConflict, ForgeOutcome::kRefused, answer.status, std::nullopt},
                         absl::StrCat("the comment at ", comment.path, ":", comment.line,
                                      " became one of the whole pull request, number ", shown->comment.id));
}

absl::Status GitCodeForge::CompleteReviewComments(const Run& run, const ForgeSubject& subject,
                                                  std::vector<ForgeReviewComment>& comments) {
  size_t lookups = 0;
  for (ForgeReviewComment& comment : comments) {
    if (!comment.path.empty() || !comment.in_reply_to.empty()) continue;
    if (++lookups > kMaxForgePlaceLookups) break;
    absl::StatusOr<ForgeReviewComment> shown = ReadReviewComment(run, subject, comment.comment.id);
    // Deleted meanwhile.
    if (absl::IsNotFound(shown.status())) continue;
    if (!shown.ok()) return shown.status();
    comment.path = std::move(shown->path);
    comment.line = shown->line;
  }
  return absl::OkStatus();
}

}  // namespace yardmaster
