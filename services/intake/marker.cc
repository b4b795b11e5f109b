#include "services/intake/marker.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr absl::string_view kBegin = "<!-- yardmaster ";
constexpr absl::string_view kEnd = " -->";

// Where the marker at the end of a comment begins. Forges may change the white space around a comment, not inside.
std::optional<size_t> MarkerBegin(std::string_view comment) {
  const absl::string_view text = absl::StripTrailingAsciiWhitespace(Abs(comment));
  if (!absl::EndsWith(text, kEnd)) return std::nullopt;
  const size_t begin = text.rfind(kBegin);
  if (begin == absl::string_view::npos || absl::StrContains(text.substr(begin), '\n')) return std::nullopt;
  return begin;
}

}  // namespace

std::string Marker(std::string_view pack, std::string_view template_id, std::string_view key) {
  return absl::StrCat(kBegin, "pack=", Abs(pack), " template=", Abs(template_id), " key=", Abs(key), kEnd);
}

std::string WithMarker(std::string_view text, std::string_view pack, std::string_view template_id,
                       std::string_view key) {
  return absl::StrCat(absl::StripTrailingAsciiWhitespace(Abs(text)), "\n\n", Marker(pack, template_id, key));
}

std::optional<CommentMarker> FindMarker(std::string_view comment) {
  const std::optional<size_t> begin = MarkerBegin(comment);
  if (!begin.has_value()) return std::nullopt;
  absl::string_view inside = absl::StripTrailingAsciiWhitespace(Abs(comment).substr(*begin + kBegin.size() - 1));
  inside.remove_suffix(kEnd.size());
  // From behind: the value of the last field is never cut short.
  const auto take = [&inside](absl::string_view field) -> std::optional<std::string> {
    const size_t at = inside.rfind(field);
    if (at == absl::string_view::npos) return std::nullopt;
    std::string value(inside.substr(at + field.size()));
    inside = inside.substr(0, at);
    return value;
  };
  std::optional<std::string> key = take(" key=");
  if (!key.has_value()) return std::nullopt;
  CommentMarker marker;
  marker.key = *std::move(key);
  marker.template_id = take(" template=").value_or("");
  marker.pack = take(" pack=").value_or("");
  return marker;
}

std::optional<std::string> MarkerKey(std::string_view comment) {
  std::optional<CommentMarker> marker = FindMarker(comment);
  if (!marker.has_value()) return std::nullopt;
  return std::move(marker->key);
}

std::string_view WithoutMarker(std::string_view comment) {
  const absl::string_view text = Abs(comment).substr(0, MarkerBegin(comment).value_or(comment.size()));
  return comment.substr(0, absl::StripTrailingAsciiWhitespace(text).size());
}

}  // namespace yardmaster
