#include "clients/git/git_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/core/errors.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// Between two looks whether the caller still wants the answer.
constexpr std::chrono::milliseconds kCacheWait{100};
// So many commits of each history first; then all of it.
constexpr std::array<int, 3> kDepths = {100, 1'000, kWholeHistory};

struct CacheName {
  std::string repository;
  size_t generation = 0;
};

// Folders are "owner,name,7": a repository that is fetched anew gets another number, since the old one may be in use.
std::string FolderName(const std::string& repository, size_t generation) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(repository, absl::MaxSplits('/', 1));
  return absl::StrCat(parts.first, ",", parts.second, ",", generation);
}

std::optional<CacheName> ParseFolderName(const std::string& folder) {
  const std::vector<std::string> parts = absl::StrSplit(folder, ',');
  CacheName name;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[2], &name.generation)) return std::nullopt;
  name.repository = absl::StrCat(parts[0], "/", parts[1]);
  return name;
}

// Whether the history between two commits is here, and if so where it parts.
struct HistoryLook {
  bool complete = false;
  std::string merge_base;
};

// An error: what is here does not hold together.
absl::StatusOr<HistoryLook> LookAtHistory(GitRepository& repository, const std::string& base, const std::string& head) {
  HistoryLook look;
  for (const std::string& commit : {base, head}) {
    const absl::Status status = repository.TreeOf(commit).status();
    if (absl::IsNotFound(status)) return look;
    if (!status.ok()) return errors::GitRepositoryDamaged(std::string(status.message()));
  }
  absl::StatusOr<std::string> merge_base = repository.MergeBase(base, head);
  const absl::Status commits = repository.Commits(base, head, 1).status();
  if (absl::IsFailedPrecondition(merge_base.status()) || absl::IsFailedPrecondition(commits)) return look;
  RETURN_IF_ERROR(commits);
  if (merge_base.ok()) {
    look.merge_base = *std::move(merge_base);
  } else if (!absl::IsNotFound(merge_base.status())) {
    return merge_base.status();
  }
  look.complete = true;
  return look;
}

// Files that a review of these two reads. An error: what is here does not hold together.
absl::StatusOr<std::vector<std::string>> MissingFiles(const GitCacheHandle& handle) {
  GitRepository& repository = handle.repository();
  absl::StatusOr<std::vector<std::string>> missing = [&]() -> absl::StatusOr<std::vector<std::string>> {
    std::unique_ptr<GitTree> base = repository.EmptyTree();
    if (!handle.merge_base().empty()) {
      ASSIGN_OR_RETURN(base, repository.TreeOf(handle.merge_base()));
    }
    ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> head, repository.TreeOf(handle.head()));
    return repository.MissingForDiff(*base, *head);
  }();
  if (absl::IsInvalidArgument(missing.status())) return missing;
  if (!missing.ok()) return errors::GitRepositoryDamaged(std::string(missing.status().message()));
  return missing;
}

}  // namespace

// The right to change one repository's folder, for as long as it lives.
class GitCache::Turn {
 public:
  static absl::StatusOr<std::unique_ptr<Turn>> Take(GitCache& cache, const std::string& name,
                                                    const std::function<absl::Status()>& alive) {
    std::unique_lock<std::mutex> lock(cache.mutex_);
    RETURN_IF_ERROR(cache.Wait(lock, alive, [&] { return !cache.entries_[name].busy; }));
    cache.entries_[name].busy = true;
    return std::make_unique<Turn>(cache, name);
  }
  Turn(GitCache& cache, std::string name) : cache_(cache), name_(std::move(name)) {}
  ~Turn() {
    const std::lock_guard<std::mutex> lock(cache_.mutex_);
    const auto entry = cache_.entries_.find(name_);
    entry->second.busy = false;
    if (entry->second.folder == nullptr) cache_.entries_.erase(entry);
    cache_.changed_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // nullptr: nothing was fetched yet.
  std::shared_ptr<GitCacheFolder> folder() const {
    const std::lock_guard<std::mutex> lock(cache_.mutex_);
    return cache_.entries_[name_].folder;
  }
  // It is the repository's from here on, and was used now.
  void Keep(std::shared_ptr<GitCacheFolder> folder) {
    const std::lock_guard<std::mutex> lock(cache_.mutex_);
    Entry& entry = cache_.entries_[name_];
    if (entry.folder != nullptr && entry.folder != folder) entry.folder->Discard();
    entry.bytes = folder->bytes();
    entry.last_used = folder->last_used();
    entry.folder = std::move(folder);
  }

 private:
  GitCache& cache_;
  const std::string name_;
};

GitCache::GitCache(GitEnvironment environment, std::filesystem::path folder, GitCacheLimits limits)
    : env_(std::move(environment)), folder_(std::move(folder)), limits_(limits) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (const auto& one : std::filesystem::directory_iterator(folder_, error)) found.push_back(one.path());
  for (const std::filesystem::path& path : found) {
    const std::optional<CacheName> name = ParseFolderName(path.filename().string());
    std::shared_ptr<GitCacheFolder> kept = name.has_value() ? GitCacheFolder::Open(path) : nullptr;
    if (kept == nullptr) {
      std::filesystem::remove_all(path, error);
      continue;
    }
    // Of two the one that was used last; the other was being replaced.
    Entry& entry = entries_[name->repository];
    if (entry.folder != nullptr && entry.folder->last_used() > kept->last_used()) std::swap(entry.folder, kept);
    std::swap(entry.folder, kept);
    if (kept != nullptr) kept->Discard();
    entry.bytes = entry.folder->bytes();
    entry.last_used = entry.folder->last_used();
    generation_ = std::max(generation_, name->generation + 1);
  }
}

absl::Status GitCache::Wait(std::unique_lock<std::mutex>& lock, const std::function<absl::Status()>& alive,
                            const std::function<bool()>& free) {
  while (!free()) {
    changed_.wait_for(lock, kCacheWait);
    if (!alive) continue;
    lock.unlock();
    const absl::Status status = alive();
    lock.lock();
    RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

absl::Status GitCache::TakeSlot(const std::function<absl::Status()>& alive) {
  std::unique_lock<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(Wait(lock, alive, [this] { return fetches_ < kMaxGitReads; }));
  ++fetches_;
  return absl::OkStatus();
}

void GitCache::GiveSlot() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --fetches_;
  changed_.notify_all();
}

GitSession::Limits GitCache::AnswerLimits(const std::string& name) const {
  return {limits_.answer_bytes,
          {kMaxGitCacheObjects, kMaxGitObjectBytes, kMaxGitCacheUnpackedBytes},
          errors::CommitTooLarge(name, limits_.answer_bytes)};
}

absl::Status GitCache::FetchHistory(const GitSession& session, const GitCacheRequest& request,
                                    GitCacheHandle& handle) const {
  const GitSession::Limits limits = AnswerLimits(handle.name_);
  std::vector<std::string> wanted = {handle.base_, handle.head_};
  bool by_ref = false;
  for (const int depth : kDepths) {
    ASSIGN_OR_RETURN(HistoryLook look, LookAtHistory(handle.repository(), handle.base_, handle.head_));
    if (look.complete) {
      handle.merge_base_ = std::move(look.merge_base);
      return absl::OkStatus();
    }
    // 1. So much of the history of both.
    GitCacheFolder& folder = *handle.folder_;
    FetchAsk ask{wanted, depth, session.abilities().filter, folder.tips(), folder.shallow()};
    if (!session.abilities().shallow || (depth == kWholeHistory && folder.shallow().empty())) ask.depth = 0;
    absl::StatusOr<FetchAnswer> answer = session.Fetch(ask, limits);
    // 2. A server that gives no commit by its name may give what a ref points to, and with it the commit.
    if (absl::IsNotFound(answer.status()) && !(request.base.ref.empty() && request.head.ref.empty())) {
      for (const auto& [object, ref] :
           {std::pair(&ask.objects[0], &request.base.ref), {&ask.objects[1], &request.head.ref}}) {
        if (ref->empty()) continue;
        ASSIGN_OR_RETURN(const std::optional<std::string> target, session.RefTarget(*ref));
        if (target.has_value()) *object = *target;
      }
      wanted = ask.objects;
      by_ref = true;
      answer = session.Fetch(ask, limits);
    }
    RETURN_IF_ERROR(answer.status());
    RETURN_IF_ERROR(folder.Add(*answer, wanted));
  }
  ASSIGN_OR_RETURN(HistoryLook look, LookAtHistory(handle.repository(), handle.base_, handle.head_));
  if (!look.complete && by_ref) return errors::CommitUnknown(handle.head_, handle.name_);
  // The server takes for known what is not here.
  if (!look.complete) return errors::GitRepositoryDamaged("it lacks commits that were fetched");
  handle.merge_base_ = std::move(look.merge_base);
  return absl::OkStatus();
}

absl::Status GitCache::FetchBlobs(const GitSession& session, const GitCacheHandle& handle,
                                  const std::vector<std::string>& objects) const {
  // Commits that are here are not named: the server would take their files for known.
  ASSIGN_OR_RETURN(const FetchAnswer answer, session.Fetch({objects}, AnswerLimits(handle.name_)));
  RETURN_IF_ERROR(handle.folder_->Add(answer, {}));
  return handle.repository().Missing(objects).empty()
             ? absl::OkStatus()
             : errors::GitServerUnusable(handle.name_, "it left out files of a commit");
}

absl::StatusOr<GitCacheHandle> GitCache::Fill(const GitCacheRequest& request, std::shared_ptr<GitCacheFolder> folder) {
  GitCacheHandle handle;
  handle.cache_ = this;
  handle.name_ = request.repository;
  handle.alive_ = request.alive;
  handle.folder_ = std::move(folder);
  handle.base_ = request.base.commit;
  handle.head_ = request.head.commit;
  absl::StatusOr<std::unique_ptr<GitRepository>> repository = GitRepository::Open(handle.folder_->path());
  if (!repository.ok()) return errors::GitRepositoryDamaged(std::string(repository.status().message()));
  handle.repository_ = *std::move(repository);

  // 1. What is here already.
  if (!handle.base_.empty() && !handle.head_.empty()) {
    ASSIGN_OR_RETURN(HistoryLook look, LookAtHistory(handle.repository(), handle.base_, handle.head_));
    if (look.complete) {
      handle.merge_base_ = std::move(look.merge_base);
      ASSIGN_OR_RETURN(const std::vector<std::string> missing, MissingFiles(handle));
      if (missing.empty()) return handle;
    }
  }

  // 2. The commits.
  RETURN_IF_ERROR(TakeSlot(request.alive));
  const absl::Cleanup give_slot = [this] { GiveSlot(); };
  ASSIGN_OR_RETURN(const GitSession session, GitSession::Begin(env_, request.repository, request.alive));
  for (const auto& [commit, point] : {std::pair(&handle.base_, &request.base), {&handle.head_, &request.head}}) {
    if (!commit->empty()) continue;
    ASSIGN_OR_RETURN(std::optional<std::string> target, session.RefTarget(point->ref));
    if (!target.has_value()) return errors::CommitUnknown(point->ref, request.repository);
    *commit = *std::move(target);
  }
  RETURN_IF_ERROR(FetchHistory(session, request, handle));

  // 3. The files between them.
  ASSIGN_OR_RETURN(const std::vector<std::string> missing, MissingFiles(handle));
  if (!missing.empty()) RETURN_IF_ERROR(FetchBlobs(session, handle, missing));
  return handle;
}

absl::StatusOr<GitCacheHandle> GitCache::Fetch(const GitCacheRequest& request) {
  const std::string& name = request.repository;
  if (!IsRepositoryName(name)) return errors::RepositoryNotOnForge(name);
  ASSIGN_OR_RETURN(const std::unique_ptr<Turn> turn, Turn::Take(*this, name, request.alive));
  std::shared_ptr<GitCacheFolder> folder = turn->folder();
  bool fresh = folder == nullptr || folder->packs() > limits_.packs || folder->bytes() > limits_.repository_bytes;
  while (true) {
    if (fresh) {
      ASSIGN_OR_RETURN(folder, GitCacheFolder::Create(NextPath(name)));
    }
    absl::StatusOr<GitCacheHandle> handle = Fill(request, folder);
    if (handle.ok() && fresh && folder->bytes() > limits_.repository_bytes) {
      handle = errors::CommitTooLarge(name, limits_.repository_bytes);
    }
    if (handle.ok()) {
      folder->NoteUse();
      turn->Keep(std::move(folder));
      Evict();
      return handle;
    }
    if (fresh) folder->Discard();
    if (!absl::IsInternal(handle.status())) return handle;
    // What is here is damaged: once more from the beginning.
    if (fresh) return errors::GitServerUnusable(name, std::string(handle.status().message()));
    fresh = true;
  }
}

absl::StatusOr<std::vector<std::string>> GitCache::TargetsOf(const std::string& repository,
                                                             const std::vector<std::string>& prefixes,
                                                             const std::function<absl::Status()>& alive) {
  if (!IsRepositoryName(repository)) return errors::RepositoryNotOnForge(repository);
  RETURN_IF_ERROR(TakeSlot(alive));
  const absl::Cleanup give_slot = [this] { GiveSlot(); };
  ASSIGN_OR_RETURN(const GitSession session, GitSession::Begin(env_, repository, alive));
  std::vector<std::string> targets;
  for (const std::string& prefix : prefixes) {
    ASSIGN_OR_RETURN(const std::vector<GitRef> refs, session.Refs(prefix));
    for (const GitRef& ref : refs) targets.push_back(ref.object);
  }
  return targets;
}

std::filesystem::path GitCache::NextPath(const std::string& name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return folder_ / FolderName(name, generation_++);
}

void GitCache::Evict() {
  std::vector<std::shared_ptr<GitCacheFolder>> gone;  // removed when the lock is free again
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t total = 0;
  std::vector<std::map<std::string, Entry>::iterator> idle;
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->second.folder == nullptr) continue;
    total += entry->second.bytes;
    if (!entry->second.busy && entry->second.folder.use_count() == 1) idle.push_back(entry);
  }
  absl::c_sort(idle, [](const auto& a, const auto& b) { return a->second.last_used < b->second.last_used; });
  for (const auto& entry : idle) {
    if (total <= limits_.total_bytes) break;
    total -= entry->second.bytes;
    entry->second.folder->Discard();
    gone.push_back(std::move(entry->second.folder));
    entries_.erase(entry);
  }
}

absl::Status GitCacheHandle::NeedBlobs(const std::vector<std::string>& objects) {
  if (repository_->Missing(objects).empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::unique_ptr<GitCache::Turn> turn, GitCache::Turn::Take(*cache_, name_, alive_));
  const std::vector<std::string> missing = repository_->Missing(objects);
  if (missing.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(cache_->TakeSlot(alive_));
  const absl::Cleanup give_slot = [this] { cache_->GiveSlot(); };
  ASSIGN_OR_RETURN(const GitSession session, GitSession::Begin(cache_->env_, name_, alive_));
  return cache_->FetchBlobs(session, *this, missing);
}

}  // namespace yardmaster
