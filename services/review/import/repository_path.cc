#include "services/review/import/repository_path.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"
#include "services/core/limits.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

using Parts = std::vector<absl::string_view>;

// nullopt: ".." leads out of where the path begins.
std::optional<Parts> PartsOf(std::string_view path) {
  Parts parts;
  for (const absl::string_view part : absl::StrSplit(Abs(path), '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  return parts;
}

}  // namespace

std::optional<std::string> RepositoryPath(std::string_view path, std::string_view root) {
  const bool plain = path.size() <= kMaxReviewPathBytes && IsValidUtf8(path) &&
                     absl::c_none_of(path, [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); });
  std::optional<Parts> parts = plain ? PartsOf(path) : std::nullopt;
  if (!parts.has_value()) return std::nullopt;
  if (path.starts_with('/')) {
    const std::optional<Parts> above = PartsOf(root);
    if (!root.starts_with('/') || !above.has_value() || parts->size() < above->size()) return std::nullopt;
    const auto below = parts->begin() + static_cast<ptrdiff_t>(above->size());
    if (!std::equal(above->begin(), above->end(), parts->begin())) return std::nullopt;
    parts->erase(parts->begin(), below);
  }
  if (parts->empty()) return std::nullopt;
  return absl::StrJoin(*parts, "/");
}

}  // namespace yardmaster
