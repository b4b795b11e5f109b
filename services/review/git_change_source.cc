#include "services/review/git_change_source.h"

#include <utility>

#include "clients/forge/pull_ref.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/review/git_change.h"

namespace yardmaster {
namespace {

// Of a pull request; the newest ones.
constexpr size_t kMaxCommits = 250;

// A change that keeps what it is read from.
class CachedChange final : public Change {
 public:
  static absl::StatusOr<std::unique_ptr<CachedChange>> Make(GitCacheHandle handle) {
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
    std::unique_ptr<CachedChange> made(new CachedChange(std::move(handle)));
    GitRepository& repository = made->handle_.repository();
    std::unique_ptr<GitTree> base = repository.EmptyTree();
    if (!made->handle_.merge_base().empty()) {
      ASSIGN_OR_RETURN(base, repository.TreeOf(made->handle_.merge_base()));
    }
    ASSIGN_OR_RETURN(std::unique_ptr<GitTree> head, repository.TreeOf(made->handle_.head()));
    ASSIGN_OR_RETURN(made->change_, GitChange::Between(repository, std::move(base), std::move(head),
                                                       [made = made.get()](const std::vector<std::string>& objects) {
                                                         return made->handle_.NeedBlobs(objects);
                                                       }));
    return made;
  }

  GitCacheHandle& handle() { return handle_; }

  const std::vector<ChangedFile>& files() const override { return change_->files(); }
  absl::StatusOr<std::optional<std::string>> Read(ChangeSide side, const std::string& path, size_t max_bytes) override {
    return change_->Read(side, path, max_bytes);
  }
  absl::Status Prefetch(ChangeSide side, const std::vector<std::string>& paths) override {
    return change_->Prefetch(side, paths);
  }
  absl::StatusOr<const std::vector<std::string>*> Paths(ChangeSide side) override { return change_->Paths(side); }

 private:
  explicit CachedChange(GitCacheHandle handle) : handle_(std::move(handle)) {}

  GitCacheHandle handle_;
  std::unique_ptr<GitChange> change_;
};

}  // namespace

absl::StatusOr<SourcedChange> GitChangeSource::Read(const ChangeAddress& address) {
  const auto cache = caches_.find(address.forge);
  const auto forge = config_.forges.find(address.forge);
  if (cache == caches_.end() || forge == config_.forges.end()) return errors::ForgeNotConfigured(address.forge);
  if (cache->second == nullptr) return errors::GitServerNotHttp(address.forge);
  GitCacheRequest request;
  request.repository = address.repository;
  request.base.commit = address.base;
  request.head.commit = address.head;
  if (address.pull > 0) {
    request.head.ref = PullRefOf(forge->second.profile->pull_ref, address.pull);
  }
  ASSIGN_OR_RETURN(GitCacheHandle handle, cache->second->Fetch(request));
  ASSIGN_OR_RETURN(std::unique_ptr<CachedChange> change, CachedChange::Make(std::move(handle)));
  SourcedChange sourced;
  GitCacheHandle& kept = change->handle();
  sourced.merge_base = kept.merge_base();
  if (!sourced.merge_base.empty()) {
    ASSIGN_OR_RETURN(const std::vector<GitCommit> commits,
                     kept.repository().Commits(sourced.merge_base, kept.head(), kMaxCommits));
    sourced.commits.emplace();
    for (const GitCommit& commit : commits) {
      sourced.commits->push_back({commit.id, commit.message, commit.author_name});
    }
  }
  sourced.change = std::move(change);
  return sourced;
}

}  // namespace yardmaster
