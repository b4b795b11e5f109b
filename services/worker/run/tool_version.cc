#include "services/worker/run/tool_version.h"

#include "re2/re2.h"

namespace yardmaster::worker {

std::string VersionIn(std::string_view printed) {
  static const RE2 kNamed(R"((?i)\b(?:release|version)[ :]+v?(\d+(?:\.\d+)+))");
  static const RE2 kFirst(R"((?:^|[^\d.])(\d+(?:\.\d+)+))");
  std::string version;
  const re2::StringPiece text(printed.data(), printed.size());
  if (!RE2::PartialMatch(text, kNamed, &version)) RE2::PartialMatch(text, kFirst, &version);
  return version;
}

}  // namespace yardmaster::worker
