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
constexpr const char* kBranches = "refs/heads/";
constexpr const char* kTags = "refs/tags/";

// Where a word may point, and whether only people with rights put commits there.
struct Place {
  GitPoint point;
  bool is_own = false;
};

bool IsCommitName(const std::string& ref) {
  return ref.size() == kCommitDigits && absl::c_all_of(ref, [](unsigned char c) { return absl::ascii_isxdigit(c); });
}

std::vector<Place> PlacesOf(const std::string& ref) {
  if (absl::StartsWith(ref, "refs/")) {
    const bool is_own = absl::StartsWith(ref, kBranches) || absl::StartsWith(ref, kTags);
    return {{{"", ref}, is_own}};
  }
  return {{{"", absl::StrCat(kBranches, ref)}, true}, {{"", absl::StrCat(kTags, ref)}, true}};
}

// A commit by its name: a server gives it whoever has put it there, be it by a pull request.
absl::StatusOr<KeptTree> KeepCommit(GitCache& cache, const std::string& repository, const std::string& name,
                                    const std::function<absl::Status()>& alive, Dispatch& dispatch) {
  const GitPoint commit{absl::AsciiStrToLower(name), ""};
  const GitCacheRequest with_head{repository, {"", std::string(kOwnHead)}, commit, alive};
  absl::StatusOr<KeptTree> kept = KeepHeadTree(cache, with_head, dispatch.files(), dispatch.scratch());
  // There may be no default branch.
  if (absl::IsNotFound(kept.status())) {
    kept = KeepHeadTree(cache, {repository, commit, commit, alive}, dispatch.files(), dispatch.scratch());
  }
  if (!kept.ok() || kept->is_own) return kept;
  const absl::StatusOr<std::vector<std::string>> tips = cache.TargetsOf(repository, {kBranches, kTags}, alive);
  // A list that is too long says nothing; then it is held for a fork's.
  kept->is_own = tips.ok() && absl::c_linear_search(*tips, commit.commit);
  return kept;
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
    if (IsCommitName(ref)) return KeepCommit(*cache->second, repository, ref, alive, dispatch);
    absl::StatusOr<KeptTree> kept = errors::GitRevisionUnknown(ref);
    for (const Place& place : PlacesOf(ref)) {
      const GitCacheRequest request{repository, place.point, place.point, alive};
      kept = KeepHeadTree(*cache->second, request, dispatch.files(), dispatch.scratch());
      if (kept.ok()) kept->is_own = place.is_own;
      if (!absl::IsNotFound(kept.status())) break;
    }
    return kept;
  };
}

}  // namespace yardmaster::dispatch
