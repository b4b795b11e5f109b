#include "services/intake/effects/marker.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr absl::string_view kBegin = "<!-- yardmaster ";
constexpr absl::string_view kEnd = " -->";

}  // namespace

std::string Marker(std::string_view pack, std::string_view template_id, std::string_view key) {
  return absl::StrCat(kBegin, "pack=", Abs(pack), " template=", Abs(template_id), " key=", Abs(key), kEnd);
}

std::string WithMarker(std::string_view text, std::string_view pack, std::string_view template_id,
                       std::string_view key) {
  return absl::StrCat(absl::StripTrailingAsciiWhitespace(Abs(text)), "\n\n", Marker(pack, template_id, key));
}

std::optional<std::string> MarkerKey(std::string_view comment) {
  // Forges may change the white space around a comment, not inside.
  absl::string_view text = absl::StripTrailingAsciiWhitespace(Abs(comment));
  if (!absl::ConsumeSuffix(&text, kEnd)) return std::nullopt;
  const size_t begin = text.rfind(kBegin);
  if (begin == absl::string_view::npos) return std::nullopt;
  const absl::string_view inside = text.substr(begin);
  constexpr absl::string_view kKey = " key=";
  const size_t key = inside.rfind(kKey);
  if (key == absl::string_view::npos || absl::StrContains(inside, '\n')) return std::nullopt;
  return std::string(inside.substr(key + kKey.size()));
}

}  // namespace yardmaster
