#include "clients/git/git_cache_folder.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "clients/git/libgit2.h"
#include "clients/git/pack_index.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// Written last: a folder without it is not finished.
constexpr const char* kTipsFile = "tips";
// Git's own.
constexpr const char* kShallowFile = "shallow";
constexpr size_t kMaxListBytes = 16 * 1024 * 1024;
// Behind "PACK" and the version.
constexpr size_t kPackCountAt = 8;

std::filesystem::path PacksOf(const std::filesystem::path& folder) { return folder / "objects" / "pack"; }

bool IsPackFile(const std::filesystem::path& file) {
  return file.filename().string().starts_with("pack-") && (file.extension() == ".pack" || file.extension() == ".idx");
}

std::vector<std::string> ListOf(const std::filesystem::path& file) {
  const absl::StatusOr<std::string> text = ReadSmallFile(file, kMaxListBytes);
  if (!text.ok()) return {};
  return absl::StrSplit(*text, '\n', absl::SkipEmpty());
}

absl::Status WriteList(const std::filesystem::path& file, const std::vector<std::string>& lines) {
  return WriteFileAtomically(file, absl::StrCat(absl::StrJoin(lines, "\n"), lines.empty() ? "" : "\n"));
}

bool HasObjects(std::string_view pack) { return pack.substr(kPackCountAt, 4) != std::string_view("\0\0\0\0", 4); }

// Whether a parent of a commit is absent, or the commit itself.
bool IsCutAt(git_repository& repository, const std::string& name) {
  git_oid id;
  int code = git_oid_fromstr(&id, name.c_str());
  const auto commit = code == 0 ? git2::Get<git2::Commit>(code, git_commit_lookup, &repository, &id) : git2::Commit();
  if (commit == nullptr) return true;
  const auto odb = git2::Get<git2::Odb>(code, git_repository_odb, &repository);
  for (unsigned i = 0; code == 0 && i < git_commit_parentcount(commit.get()); ++i) {
    if (git_odb_exists(odb.get(), git_commit_parent_id(commit.get(), i)) == 0) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::shared_ptr<GitCacheFolder>> GitCacheFolder::Create(const std::filesystem::path& path) {
  if (!git2::Start()) return errors::Internal("libgit2 can't be started");
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
  std::filesystem::create_directories(path.parent_path(), ignored);
  int code = 0;
  const auto repository = git2::Get<git2::Repository>(code, git_repository_init, path.c_str(), 1u);
  if (code != 0) return errors::FileNotWritten(path.string(), git2::LastError());
  return std::shared_ptr<GitCacheFolder>(new GitCacheFolder(path));
}

std::shared_ptr<GitCacheFolder> GitCacheFolder::Open(const std::filesystem::path& path) {
  std::error_code error;
  if (!git2::Start() || !std::filesystem::exists(path / kTipsFile, error)) return nullptr;
  std::shared_ptr<GitCacheFolder> folder(new GitCacheFolder(path));
  folder->tips_ = ListOf(path / kTipsFile);
  folder->shallow_ = ListOf(path / kShallowFile);
  // What a fetch that was cut off left.
  std::vector<std::filesystem::path> leftovers;
  for (const auto& file : std::filesystem::directory_iterator(PacksOf(path), error)) {
    if (!IsPackFile(file.path())) leftovers.push_back(file.path());
  }
  for (const std::filesystem::path& file : leftovers) std::filesystem::remove(file, error);
  folder->Measure();
  return folder;
}

GitCacheFolder::~GitCacheFolder() {
  std::error_code ignored;
  if (discarded_) std::filesystem::remove_all(path_, ignored);
}

void GitCacheFolder::Measure() {
  bytes_ = 0;
  packs_ = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(PacksOf(path_), error)) {
    const uint64_t size = file.file_size(error);
    bytes_ += error ? 0 : size;
    packs_ += file.path().extension() == ".pack" ? 1 : 0;
  }
}

absl::Status GitCacheFolder::Add(const FetchAnswer& answer, const std::vector<std::string>& tips) {
  // 1. The objects.
  std::string error;
  if (HasObjects(answer.pack) && !IndexPack(PacksOf(path_), answer.pack, error).has_value()) {
    return errors::GitRepositoryDamaged(error);
  }
  // 2. Where history is cut: only where it really is, since an answer may name commits whose parents came earlier.
  int code = 0;
  const auto repository = git2::Get<git2::Repository>(code, git_repository_open_bare, path_.c_str());
  if (code != 0) return errors::GitRepositoryDamaged(git2::LastError());
  shallow_.insert(shallow_.end(), answer.shallow.begin(), answer.shallow.end());
  absl::c_sort(shallow_);
  shallow_.erase(std::unique(shallow_.begin(), shallow_.end()), shallow_.end());
  std::erase_if(shallow_, [&](const std::string& commit) { return !IsCutAt(*repository, commit); });
  RETURN_IF_ERROR(WriteList(path_ / kShallowFile, shallow_));
  // 3. What came.
  std::erase_if(tips_, [&tips](const std::string& tip) { return absl::c_linear_search(tips, tip); });
  tips_.insert(tips_.end(), tips.begin(), tips.end());
  if (tips_.size() > kMaxGitCacheTips) tips_.erase(tips_.begin(), tips_.end() - kMaxGitCacheTips);
  RETURN_IF_ERROR(WriteList(path_ / kTipsFile, tips_));
  Measure();
  return absl::OkStatus();
}

void GitCacheFolder::NoteUse() const {
  std::error_code ignored;
  std::filesystem::last_write_time(path_ / kTipsFile, std::filesystem::file_time_type::clock::now(), ignored);
}

std::filesystem::file_time_type GitCacheFolder::last_used() const {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(path_ / kTipsFile, error);
  return error ? std::filesystem::file_time_type::min() : time;
}

}  // namespace yardmaster
