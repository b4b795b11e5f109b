#include "services/review/forge_change.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/intake/outcome.h"
#include "services/review/patch.h"

namespace yardmaster {
namespace {

ChangedFile::Kind KindOf(ForgeFileStatus status) {
  switch (status) {
    case ForgeFileStatus::kAdded:
      return ChangedFile::Kind::kAdded;
    case ForgeFileStatus::kRemoved:
      return ChangedFile::Kind::kRemoved;
    case ForgeFileStatus::kRenamed:
      return ChangedFile::Kind::kRenamed;
    case ForgeFileStatus::kCopied:
      return ChangedFile::Kind::kCopied;
    case ForgeFileStatus::kModified:
    case ForgeFileStatus::kUnchanged:
      return ChangedFile::Kind::kModified;
  }
  return ChangedFile::Kind::kModified;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ForgeChange>> ForgeChange::Of(SubjectView& view) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  std::unique_ptr<ForgeChange> change(new ForgeChange(view));
  ASSIGN_OR_RETURN(change->pull_, view.Pull());
  ASSIGN_OR_RETURN(const ForgePullFileList* list, view.PullFiles());
  change->complete_ = list->complete;
  for (const ForgePullFile& file : list->files) {
    ChangedFile& one = change->files_.emplace_back();
    one.kind = KindOf(file.status);
    one.path = file.path;
    if (file.previous_path != file.path) one.former_path = file.previous_path;
    if (one.kind != ChangedFile::Kind::kRemoved) change->at_head_[file.path] = &file;
    if (one.kind != ChangedFile::Kind::kAdded) {
      change->at_base_[file.previous_path.empty() ? file.path : file.previous_path] = &file;
    }
  }
  absl::c_sort(change->files_, [](const ChangedFile& a, const ChangedFile& b) { return a.path < b.path; });
  return change;
}

absl::StatusOr<std::optional<std::string>> ForgeChange::Read(ChangeSide side, const std::string& path,
                                                             size_t max_bytes) {
  const auto& known = side == ChangeSide::kHead ? at_head_ : at_base_;
  const auto file = known.find(path);
  if (file == known.end()) return std::nullopt;
  ASSIGN_OR_RETURN(std::optional<std::string> text,
                   side == ChangeSide::kHead ? ReadHead(path) : ReadBase(*file->second));
  if (text.has_value() && text->size() > max_bytes) text->resize(max_bytes + 1);
  return text;
}

absl::StatusOr<std::optional<std::string>> ForgeChange::ReadHead(const std::string& path) {
  if (read_.size() == kMaxPullReviewFiles && !read_.contains(path)) {
    unseen_[path] = {absl::StrCat("only ", kMaxPullReviewFiles, " files are read by the forge's calls"),
                     absl::StrCat("通过代码平台的接口最多读取 ", kMaxPullReviewFiles, " 个文件")};
    return std::nullopt;
  }
  read_.insert(path);
  absl::StatusOr<std::optional<std::string>> text = view_.File("", path, pull_->head_sha);
  // A fork's commits need not be in the repository itself.
  if (text.ok() && !text->has_value() && !pull_->head_repository.empty()) {
    text = view_.File(pull_->head_repository, path, pull_->head_sha);
  }
  if (text.ok() && text->has_value()) return text;
  if (!text.ok() && !Outcome::OfForge(text.status()).failed()) return text.status();
  unseen_[path] = text.ok() ? SaidText{"it is not there at the head of the pull request", "在 PR 的最新提交中不存在"}
                            : SaidText{absl::StrCat("it can't be read: ", text.status().message()),
                                       absl::StrCat("无法读取：", text.status().message())};
  return std::nullopt;
}

absl::StatusOr<std::optional<std::string>> ForgeChange::ReadBase(const ForgePullFile& file) {
  std::string now;
  if (file.status != ForgeFileStatus::kRemoved) {
    ASSIGN_OR_RETURN(const std::optional<std::string> head, ReadHead(file.path));
    if (!head.has_value()) return std::nullopt;
    now = *head;
  }
  std::optional<std::string> before;
  // A rename without a change has no patch.
  if (file.patch.has_value() || file.additions + file.deletions == 0) before = TextBefore(now, file.patch.value_or(""));
  if (before.has_value()) return before;
  // The tip of the base branch is near the merge base, but need not be it: what is said about the file may be wrong. Of
  // one that is gone nothing new is said.
  if (file.status != ForgeFileStatus::kRemoved) {
    unseen_[file.path] = {"the forge does not show what changed in it: it was compared with the tip of the base branch",
                          "代码平台没有给出它的改动内容，已与目标分支的最新版本比较"};
  }
  const std::string& path = file.previous_path.empty() ? file.path : file.previous_path;
  absl::StatusOr<std::optional<std::string>> text = view_.File("", path, pull_->base_sha);
  if (!text.ok() && Outcome::OfForge(text.status()).failed()) return std::nullopt;
  return text;
}

}  // namespace yardmaster
