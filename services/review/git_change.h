// A change as git has it: what lies between two trees of a repository.
#ifndef YARDMASTER_SERVICES_REVIEW_GIT_CHANGE_H_
#define YARDMASTER_SERVICES_REVIEW_GIT_CHANGE_H_

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_repository.h"
#include "services/review/change.h"

namespace yardmaster {

class GitChange final : public Change {
 public:
  // Fetches the content of objects that the repository may lack; null: it has all.
  using Fetch = std::function<absl::Status(const std::vector<std::string>& objects)>;

  // The repository outlives it.
  static absl::StatusOr<std::unique_ptr<GitChange>> Between(GitRepository& repository, std::unique_ptr<GitTree> base,
                                                            std::unique_ptr<GitTree> head, Fetch fetch = nullptr);

  const std::vector<ChangedFile>& files() const override { return files_; }
  absl::StatusOr<std::optional<std::string>> Read(ChangeSide side, const std::string& path, size_t max_bytes) override;
  absl::Status Prefetch(ChangeSide side, const std::vector<std::string>& paths) override;
  absl::StatusOr<const std::vector<std::string>*> Paths(ChangeSide side) override;

 private:
  GitChange(std::unique_ptr<GitTree> base, std::unique_ptr<GitTree> head, Fetch fetch)
      : trees_{std::move(base), std::move(head)}, fetch_(std::move(fetch)) {}

  std::array<std::unique_ptr<GitTree>, 2> trees_;                 // by ChangeSide
  std::array<std::optional<std::vector<std::string>>, 2> paths_;  // of regular files
  std::vector<ChangedFile> files_;
  const Fetch fetch_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_GIT_CHANGE_H_
