#include "services/dispatch/pulls/repository_tree.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/dispatch/pulls/head_tree.h"

namespace yardmaster::dispatch {
namespace {

constexpr size_t kCommitDigits = 40;

// Where a word may point: a commit's name, a whole ref, a branch, a tag.
std::vector<GitPoint> PointsOf(const std::string& ref) {
  const bool is_commit =
      ref.size() == kCommitDigits && absl::c_all_of(ref, [](unsigned char c) { return absl::ascii_isxdigit(c); });
  if (is_commit) return {{absl::AsciiStrToLower(ref), ""}};
  if (absl::StartsWith(ref, "refs/")) return {{"", ref}};
  return {{"", absl::StrCat("refs/heads/", ref)}, {"", absl::StrCat("refs/tags/", ref)}};
}

}  // namespace

FetchTree FetchConfiguredTrees(const Config& config, const std::map<std::string, GitCache*, std::less<>>& caches,
                               Dispatch& dispatch) {
  return [&config, &caches, &dispatch](const std::string& name, const std::string& ref,
                                       const std::function<absl::Status()>& alive) -> absl::StatusOr<KeptTree> {
    // It was checked to be "forge:owner/name".
    const size_t colon = name.find(':');
    const std::string forge = name.substr(0, colon);
    const std::string repository = name.substr(colon + 1);
    if (config.FindRepository(forge, repository) == nullptr) return errors::RepositoryNotConfigured(name);
    const auto cache = caches.find(forge);
    if (cache == caches.end() || cache->second == nullptr) return errors::ForgeNotConfigured(forge);
    absl::StatusOr<KeptTree> kept = errors::GitRevisionUnknown(ref);
    for (const GitPoint& point : PointsOf(ref)) {
      const GitCacheRequest request{repository, point, point, alive};
      kept = KeepHeadTree(*cache->second, request, dispatch.files(), dispatch.scratch());
      if (!absl::IsNotFound(kept.status())) break;
    }
    return kept;
  };
}

}  // namespace yardmaster::dispatch
