#include "clients/forge/comments.h"

#include <nlohmann/json.hpp>

namespace yardmaster {
namespace {

bool SameIds(const ForgeComment& a, const ForgeComment& b) {
  const auto same = [](const std::string& x, const std::string& y) { return !x.empty() && x == y; };
  return same(a.id, b.id) || same(a.id, b.discussion) || same(a.discussion, b.id);
}

}  // namespace

std::string CommentBody(std::string_view text) { return nlohmann::json({{"body", text}}).dump(); }

std::optional<ForgeComment> AnsweredComment(const RestApi& api, const ForgeAnswer& answer) {
  absl::StatusOr<ForgeComment> comment = api.written_comment(answer.body);
  return comment.ok() ? std::optional(*std::move(comment)) : std::nullopt;
}

ForgeCommentWritten FindWrittenComment(std::optional<ForgeComment> answered, std::string_view body,
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

}  // namespace yardmaster
