// Lists of comments, those at lines included: adding pages, putting them in order, finding what was written. Pure.
#ifndef YARDMASTER_CLIENTS_FORGE_COMMENTS_H_
#define YARDMASTER_CLIENTS_FORGE_COMMENTS_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/forge/forge.h"
#include "clients/forge/limits.h"
#include "clients/forge/rest_api.h"
#include "clients/forge/transport.h"

namespace yardmaster {

inline const ForgeComment& CommentOf(const ForgeComment& comment) { return comment; }
inline const ForgeComment& CommentOf(const ForgeReviewComment& comment) { return comment.comment; }

// {"body": text}.
std::string CommentBody(std::string_view text);

// nullopt if the answer to a write shows no comment: what was written is looked for then.
std::optional<ForgeComment> AnsweredComment(const RestApi& api, const ForgeAnswer& answer);

// The comment that was written, among those of the subject: by its ids, or by its text where the answer had none.
ForgeCommentWritten FindWrittenComment(std::optional<ForgeComment> answered, std::string_view body,
                                       const absl::StatusOr<ForgeCommentList>& list);

// Adds comments that are not there yet. False when kMaxForgeListBytes is passed.
template <typename T>
bool AppendComments(std::vector<T> page, std::vector<T>& list, size_t& bytes) {
  for (T& comment : page) {
    // A comment that was deleted meanwhile moves others to the page before; a server may repeat a page.
    const std::string& id = CommentOf(comment).id;
    const auto recent = static_cast<std::ptrdiff_t>(std::min<size_t>(list.size(), 2 * kForgePageSize));
    const bool known = !id.empty() && std::any_of(list.rbegin(), list.rbegin() + recent,
                                                  [&id](const T& other) { return CommentOf(other).id == id; });
    if (known) continue;
    bytes += CommentOf(comment).body.size();
    if (bytes > kMaxForgeListBytes) return false;
    list.push_back(std::move(comment));
  }
  return true;
}

// Oldest first, also where the server ignores the order that was asked for. Only if every time can be read.
template <typename T>
void SortByTime(std::vector<T>& comments) {
  std::vector<std::pair<absl::Time, size_t>> times;
  times.reserve(comments.size());
  for (size_t i = 0; i < comments.size(); ++i) {
    absl::Time time;
    if (!absl::ParseTime(absl::RFC3339_full, CommentOf(comments[i]).created_at, &time, nullptr)) return;
    times.emplace_back(time, i);
  }
  const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (absl::c_is_sorted(times, earlier)) return;
  absl::c_stable_sort(times, earlier);
  std::vector<T> sorted;
  sorted.reserve(comments.size());
  for (const auto& [time, index] : times) sorted.push_back(std::move(comments[index]));
  comments = std::move(sorted);
}

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_COMMENTS_H_
