// A pull request as its forge shows it by its file and contents calls, where its git server can't be reached. What a
// file was before is its text at the head with the forge's patch taken back: that is its text at the merge base, which
// the forge does not name.
#ifndef YARDMASTER_SERVICES_REVIEW_FORGE_CHANGE_H_
#define YARDMASTER_SERVICES_REVIEW_FORGE_CHANGE_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "services/core/said_text.h"
#include "services/intake/subject_view.h"
#include "services/review/change.h"

namespace yardmaster {

class ForgeChange final : public Change {
 public:
  // The view outlives it. Errors are the view's.
  static absl::StatusOr<std::unique_ptr<ForgeChange>> Of(SubjectView& view);

  const std::vector<ChangedFile>& files() const override { return files_; }
  bool complete() const override { return complete_; }
  // What could not be seen so far, by path, with the reason.
  const std::map<std::string, SaidText>& unseen() const { return unseen_; }
  absl::StatusOr<std::optional<std::string>> Read(ChangeSide side, const std::string& path, size_t max_bytes) override;
  // Forges have no list that is cheap to read.
  absl::StatusOr<const std::vector<std::string>*> Paths(ChangeSide) override { return nullptr; }

 private:
  explicit ForgeChange(SubjectView& view) : view_(view) {}
  absl::StatusOr<std::optional<std::string>> ReadHead(const std::string& path);
  absl::StatusOr<std::optional<std::string>> ReadBase(const ForgePullFile& file);

  SubjectView& view_;
  const ForgePull* pull_ = nullptr;
  std::map<std::string, const ForgePullFile*, std::less<>> at_head_;
  std::map<std::string, const ForgePullFile*, std::less<>> at_base_;
  std::vector<ChangedFile> files_;
  std::set<std::string, std::less<>> read_;  // files at the head that were asked for
  std::map<std::string, SaidText> unseen_;
  bool complete_ = true;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_FORGE_CHANGE_H_
