#include "services/worker/verdict/package_versions.h"

#include <re2/re2.h>

#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"
#include "services/worker/verdict/headline.h"

namespace yardmaster::worker {
namespace {

bool IsInstalled(std::string_view text) {
  return Contains(text, "/site-packages/") || Contains(text, "/dist-packages/");
}

}  // namespace

bool PackageVersions::Next(std::string_view text) {
  if (IsErrorLine(text)) text.remove_prefix(1);
  text = TrimBlanks(text);
  // Few lines have one of these.
  if (Contains(text, ".py")) {
    static const RE2 kFrame(R"(^File "[^"]*\.py", line \d+|^\S+\.py:\d+: in )", RE2::Latin1);
    if (RE2::PartialMatch(Piece(text), kFrame)) {
      in_package_ = IsInstalled(text);
      return false;
    }
  }
  if (!in_package_ || !Contains(text, "cannot import name")) return false;
  static const RE2 kNoName(R"(^ImportError: cannot import name '\w+' from '[\w.]+' \(/)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kNoName) && IsInstalled(text);
}

std::string_view MisfitOf(std::string_view message) {
  PackageVersions versions;
  for (const std::string_view line : LinesOf(message)) {
    if (versions.Next(line)) return line;
  }
  return {};
}

}  // namespace yardmaster::worker
