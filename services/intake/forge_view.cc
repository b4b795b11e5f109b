#include "services/intake/forge_view.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"

namespace yardmaster {
namespace {

std::string Key(std::string_view a, std::string_view b, std::string_view c = {}) {
  std::string key(a);
  key.append(1, '\n').append(b).append(1, '\n').append(c);
  return key;
}

}  // namespace

void ForgeView::Note(std::string_view what, std::string_view seen) {
  read_ += std::to_string(what.size() + seen.size());
  read_.append(1, ':').append(what).append(1, '=').append(seen);
}

absl::StatusOr<ForgeAccess> ForgeView::Access(std::string_view login) {
  const std::string key = absl::AsciiStrToLower(Abs(login));
  if (const auto known = access_.find(key); known != access_.end()) return known->second;
  absl::StatusOr<ForgeAccess> access =
      Outside([&] { return forge_.GetPermission(call_, subject_.repository(), login); });
  if (!access.ok()) return access;
  Note("access " + key, ForgePermissionName(access->permission));
  return access_[key] = *access;
}

absl::StatusOr<bool> ForgeView::IsTeamMember(std::string_view organisation, std::string_view team,
                                             std::string_view login) {
  const std::string key = Key(organisation, team, login);
  if (const auto known = members_.find(key); known != members_.end()) return known->second;
  absl::StatusOr<bool> member = Outside([&] { return forge_.IsTeamMember(call_, organisation, team, login); });
  // A forge without teams: nobody is in one.
  if (absl::IsUnimplemented(member.status())) member = false;
  if (!member.ok()) return member;
  Note("member " + key, *member ? "yes" : "no");
  return members_[key] = *member;
}

absl::StatusOr<std::optional<std::string>> ForgeView::File(std::string_view repository, std::string_view path,
                                                           std::string_view ref) {
  return ReadFile(repository, path, ref, /*recent=*/false);
}

absl::StatusOr<std::optional<std::string>> ForgeView::RecentFile(std::string_view repository, std::string_view path,
                                                                 std::string_view ref) {
  return ReadFile(repository, path, ref, /*recent=*/recent_ != nullptr);
}

absl::StatusOr<std::optional<std::string>> ForgeView::ReadFile(std::string_view repository, std::string_view path,
                                                               std::string_view ref, bool recent) {
  if (repository.empty()) repository = subject_.repository();
  const std::string key = Key(repository, path, ref);
  if (const auto known = files_.find(key); known != files_.end()) return known->second;
  const auto read = [&]() -> absl::StatusOr<std::optional<std::string>> {
    ASSIGN_OR_RETURN(std::optional<ForgeFile> file, forge_.GetFile(call_, repository, path, ref));
    std::optional<std::string> text;
    if (file.has_value()) text = std::move(file->content);
    return text;
  };
  absl::StatusOr<std::optional<std::string>> text =
      Outside([&] { return recent ? recent_->Get(forge_.name(), repository, path, ref, read) : read(); });
  if (!text.ok()) return text;
  Note("file " + key, text->has_value() ? ShortDigest(**text) : "none");
  return files_[key] = *std::move(text);
}

absl::StatusOr<const ForgePull*> ForgeView::Pull() {
  if (!pull_.has_value()) {
    ASSIGN_OR_RETURN(ForgePull pull, Outside([&] { return forge_.GetPull(call_, ForgeSubjectOf(subject_)); }));
    pull_ = std::move(pull);
    Note("pull", pull_->base_sha + " " + pull_->head_sha);
  }
  return &*pull_;
}

absl::StatusOr<const ForgePullFileList*> ForgeView::PullFiles() {
  if (!pull_files_.has_value()) {
    ASSIGN_OR_RETURN(ForgePullFileList files,
                     Outside([&] { return forge_.ListPullFiles(call_, ForgeSubjectOf(subject_)); }));
    pull_files_ = std::move(files);
    for (const ForgePullFile& file : pull_files_->files) Note("changed " + file.path, file.sha);
  }
  return &*pull_files_;
}

absl::StatusOr<std::optional<v1::Plan>> ForgeView::LatestDecision() {
  ASSIGN_OR_RETURN(const std::optional<store::Decision> latest, Outside([&] { return decisions_.Latest(subject_); }));
  std::optional<v1::Plan> plan;
  if (!latest.has_value()) return plan;
  v1::Plan read;
  if (!read.ParseFromString(latest->plan)) return errors::StoredValueDamaged("a decision can't be read");
  Note("decision", read.id());
  plan = std::move(read);
  return plan;
}

absl::StatusOr<AskedPlan> ForgeView::Ask(std::string_view planner, const AskOptions& options) {
  if (ask_ == nullptr) return AskedPlan{std::nullopt, "no-planner"};
  absl::StatusOr<AskedPlan> asked = Outside([&] { return ask_(planner, options); });
  if (asked.ok() && asked->plan.has_value())
    Note(std::string("asked ") + std::string(planner), asked->plan->input_digest());
  return asked;
}

std::string ForgeView::Digest() const { return ShortDigest(read_); }

}  // namespace yardmaster
