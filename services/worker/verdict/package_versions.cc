#include "services/worker/verdict/package_versions.h"

#include <re2/re2.h>

#include <string>

#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"
#include "services/worker/verdict/headline.h"

namespace yardmaster::worker {
namespace {

// The package of which a text names an installed file: "…/site-packages/vllm/engine.py"; empty: of none.
std::string_view InstalledPackage(std::string_view text) {
  static const RE2 kPackage(R"(/(?:site|dist)-packages/(\w+))", RE2::Latin1);
  re2::StringPiece package;
  if (!RE2::PartialMatch(Piece(text), kPackage, &package)) return {};
  return {package.data(), package.size()};
}

}  // namespace

bool PackageVersions::Next(std::string_view text) {
  if (IsErrorLine(text)) text.remove_prefix(1);
  text = TrimBlanks(text);
  // Few lines have one of these.
  if (Contains(text, ".py")) {
    static const RE2 kFrame(R"(^File "[^"]*\.py", line \d+|^\S+\.py:\d+: in )", RE2::Latin1);
    if (RE2::PartialMatch(Piece(text), kFrame)) {
      // It imports for the frame above.
      if (!Contains(text, "/importlib/__init__.py")) package_ = InstalledPackage(text);
      return false;
    }
  }
  if (package_.empty()) return false;
  if (Contains(text, "cannot import name")) {
    static const RE2 kNoName(R"(^(?:ImportError: )?cannot import name '\w+' from '[\w.]+' \(/)", RE2::Latin1);
    return RE2::PartialMatch(Piece(text), kNoName) && !InstalledPackage(text).empty();
  }
  if (!Contains(text, "odule")) return false;
  static const RE2 kMissing(
      R"(^(?:ModuleNotFoundError: No module named '(\w+)[\w.]*'|AttributeError: module '(\w+)[\w.]*' has no attribute ))",
      RE2::Latin1);
  std::string module;
  std::string of_attribute;
  if (!RE2::PartialMatch(Piece(text), kMissing, &module, &of_attribute)) return false;
  return (module.empty() ? of_attribute : module) != package_;
}

std::string_view MisfitOf(std::string_view message) {
  PackageVersions versions;
  for (const std::string_view line : LinesOf(message)) {
    if (versions.Next(line)) return line;
  }
  return {};
}

}  // namespace yardmaster::worker
