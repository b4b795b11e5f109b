#include "services/intake/comment_sections.h"

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"

namespace yardmaster {
namespace {

constexpr std::string_view kBegins = "<!-- yardmaster section=";
constexpr std::string_view kMarkEnds = " -->";
constexpr std::string_view kEnds = "<!-- /yardmaster section -->";

struct Range {
  size_t begin = std::string_view::npos;
  size_t end = 0;
};

// The first section of that name from `from` on; any if the name is empty.
Range FindSection(std::string_view body, std::string_view name, size_t from) {
  const std::string mark = name.empty() ? std::string(kBegins) : absl::StrCat(Abs(kBegins), Abs(name), Abs(kMarkEnds));
  Range range;
  range.begin = body.find(mark, from);
  if (range.begin == std::string_view::npos) return range;
  const size_t end = body.find(kEnds, range.begin);
  range.end = end == std::string_view::npos ? body.size() : end + kEnds.size();
  return range;
}

}  // namespace

std::string WithSection(std::string_view body, std::string_view name, std::string_view text) {
  std::string before(body);
  std::string after;
  if (const Range range = FindSection(body, name, 0); range.begin != std::string_view::npos) {
    before = std::string(body.substr(0, range.begin));
    after = std::string(body.substr(range.end));
  }
  std::string out(TrimBlanks(before));
  if (!TrimBlanks(text).empty()) {
    absl::StrAppend(&out, "\n\n", Abs(kBegins), Abs(name), Abs(kMarkEnds), "\n\n", Abs(TrimBlanks(text)), "\n\n",
                    Abs(kEnds));
  }
  if (!TrimBlanks(after).empty()) absl::StrAppend(&out, "\n\n", Abs(TrimBlanks(after)));
  return out;
}

std::string WithSectionsOf(std::string_view older, std::string_view body) {
  if (FindSection(body, "", 0).begin != std::string_view::npos) return std::string(body);
  std::string out(TrimBlanks(body));
  Range range = FindSection(older, "", 0);
  for (; range.begin != std::string_view::npos; range = FindSection(older, "", range.end)) {
    absl::StrAppend(&out, "\n\n", Abs(older.substr(range.begin, range.end - range.begin)));
  }
  return out;
}

}  // namespace yardmaster
