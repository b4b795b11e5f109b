#include "services/intake/plans/forge_view.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/absl_view.h"
#include "services/core/reasons.h"
#include "services/core/repository_name.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/plans/decision_keeper.h"
#include "services/intake/plans/long_work.h"
#include "services/intake/written_actions.h"

namespace yardmaster {
namespace {

std::string Key(std::string_view a, std::string_view b, std::string_view c = {}) {
  std::string key(a);
  key.append(1, '\n').append(b).append(1, '\n').append(c);
  return key;
}

}  // namespace

ForgeSubject ForgeView::Address() const { return ForgeSubjectOf(run_.subject()); }

RecentLabels::Labels ForgeView::RepositoryLabels(const std::vector<std::string>& wanted) {
  return Outside([&] { return run_.RepositoryLabels(wanted); });
}

void ForgeView::Note(std::string_view what, std::string_view seen) {
  read_ += std::to_string(what.size() + seen.size());
  read_.append(1, ':').append(what).append(1, '=').append(seen);
}

absl::StatusOr<ForgeAccess> ForgeView::Access(std::string_view login) {
  const std::string key = absl::AsciiStrToLower(Abs(login));
  if (const auto known = access_.find(key); known != access_.end()) return known->second;
  absl::StatusOr<ForgeAccess> access =
      Outside([&] { return run_.forge().GetPermission(run_.ReadCall(), run_.subject().repository(), login); });
  if (!access.ok()) return access;
  Note("access " + key, ForgePermissionName(access->permission));
  return access_[key] = *access;
}

absl::StatusOr<bool> ForgeView::IsTeamMember(std::string_view organisation, std::string_view team,
                                             std::string_view login) {
  const std::string key = Key(organisation, team, login);
  if (const auto known = members_.find(key); known != members_.end()) return known->second;
  absl::StatusOr<bool> member =
      Outside([&] { return run_.forge().IsTeamMember(run_.ReadCall(), organisation, team, login); });
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
  return ReadFile(repository, path, ref, /*recent=*/true);
}

absl::StatusOr<std::optional<std::string>> ForgeView::ReadFile(std::string_view repository, std::string_view path,
                                                               std::string_view ref, bool recent) {
  if (repository.empty()) repository = run_.subject().repository();
  const std::string key = Key(repository, path, ref);
  if (const auto known = files_.find(key); known != files_.end()) return known->second;
  const auto read = [&]() -> absl::StatusOr<std::optional<std::string>> {
    const std::string name = QualifiedName(run_.forge().name(), repository);
    const std::string notice = absl::StrCat("files of ", name);
    absl::StatusOr<std::optional<ForgeFile>> file = run_.forge().GetFile(run_.ReadCall(), repository, path, ref);
    const std::optional<ForgeError> error = ForgeErrorOf(file.status());
    if (recent && error.has_value() && error->reason == ForgeReason::kForbidden) {
      // Most of what we do needs no file: it goes on as if there were none.
      run_.env().notices.Raise(
          notice, absl::StrCat("the credentials may not read files of ", name, " (", file.status().message(),
                               "): what its ", Abs(path),
                               " says is not heard, and its pull requests can't be "
                               "reviewed. Give the App or the token the permission to read Contents"));
      return std::optional<std::string>();
    }
    RETURN_IF_ERROR(file.status());
    run_.env().notices.Clear(notice);
    std::optional<std::string> text;
    if (file->has_value()) text = std::move((*file)->content);
    return text;
  };
  absl::StatusOr<std::optional<std::string>> text = Outside(
      [&] { return recent ? run_.env().recent_files.Get(run_.forge().name(), repository, path, ref, read) : read(); });
  if (!text.ok()) return text;
  Note("file " + key, text->has_value() ? ShortDigest(**text) : "none");
  return files_[key] = *std::move(text);
}

absl::StatusOr<ForgeRepository> ForgeView::Repository(const std::string& repository) {
  return Outside([&] { return run_.forge().GetRepository(run_.ReadCall(), repository); });
}

absl::StatusOr<ForgePull> ForgeView::PullOf(int64_t number) {
  ForgeSubject address = Address();
  address.number = number;
  ASSIGN_OR_RETURN(ForgePull pull, Outside([&] { return run_.forge().GetPull(run_.ReadCall(), address); }));
  Note(absl::StrCat("pull ", number), pull.base_sha + " " + pull.head_sha);
  return pull;
}

absl::StatusOr<const ForgePull*> ForgeView::Pull() {
  if (!pull_.has_value()) {
    ASSIGN_OR_RETURN(ForgePull pull, Outside([&] { return run_.forge().GetPull(run_.ReadCall(), Address()); }));
    pull_ = std::move(pull);
    Note("pull", pull_->base_sha + " " + pull_->head_sha);
  }
  return &*pull_;
}

absl::StatusOr<const ForgePullFileList*> ForgeView::PullFiles() {
  if (!pull_files_.has_value()) {
    ASSIGN_OR_RETURN(ForgePullFileList files,
                     Outside([&] { return run_.forge().ListPullFiles(run_.ReadCall(), Address()); }));
    pull_files_ = std::move(files);
    for (const ForgePullFile& file : pull_files_->files) Note("changed " + file.path, file.sha);
  }
  return &*pull_files_;
}

absl::StatusOr<std::optional<v1::Plan>> ForgeView::LatestDecision() {
  ASSIGN_OR_RETURN(const std::optional<store::Decision> latest,
                   Outside([&] { return run_.env().decisions.Latest(run_.subject()); }));
  if (!latest.has_value()) return std::optional<v1::Plan>();
  ASSIGN_OR_RETURN(v1::Plan plan, ReadPlan(latest->plan));
  Note("decision", plan.id());
  return std::optional<v1::Plan>(std::move(plan));
}

absl::StatusOr<RequestedPlan> ForgeView::Ask(std::string_view planner, const AskOptions& options) {
  if (ask_ == nullptr) return RequestedPlan{std::nullopt, std::string(reasons::kNoPlanner)};
  absl::StatusOr<RequestedPlan> asked = Outside([&] { return ask_(planner, options); });
  if (asked.ok() && asked->plan.has_value()) {
    Note(absl::StrCat("asked ", Abs(planner)), asked->plan->input_digest());
  }
  return asked;
}

absl::StatusOr<std::vector<v1::Action>> ForgeView::Written(std::string_view kind) {
  return Outside([&] { return WrittenActions(run_.env().ledger, run_.subject(), kind); });
}

absl::StatusOr<LongResultPtr> ForgeView::Await(const LongWork& work) {
  if (run_.delivery() != 0 && run_.env().long_work != nullptr) {
    return Outside([&] { return run_.env().long_work->Await(run_.subject(), run_.delivery(), work); });
  }
  RETURN_IF_ERROR(Outside([&] { return work.read(); }));
  absl::StatusOr<LongResultPtr> result = work.compute();
  if (result.ok() && work.afterwards != nullptr) work.afterwards();
  return result;
}

absl::StatusOr<bool> ForgeView::HeadMovedSince(std::string_view head) {
  if (run_.delivery() == 0) return false;
  ASSIGN_OR_RETURN(const store::Delivery delivery, run_.env().inbox.Get(run_.delivery()));
  ASSIGN_OR_RETURN(const store::SeenHead seen, run_.env().subjects.SeeHead(run_.subject(), head, run_.env().clock.Now(),
                                                                           store::HeadSource::kAnswer));
  return seen.head != head || seen.not_after > delivery.received_at;
}

absl::StatusOr<std::vector<store::Subscription>> ForgeView::Subscriptions() {
  if (run_.env().chat == nullptr) return std::vector<store::Subscription>();
  return run_.env().chat->Subscriptions();
}

std::string ForgeView::Digest() const { return ShortDigest(read_); }

}  // namespace yardmaster
