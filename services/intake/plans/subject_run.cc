#include "services/intake/plans/subject_run.h"

#include <chrono>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "clients/forge/labels.h"
#include "services/core/reasons.h"
#include "services/core/repository_name.h"
#include "services/intake/plans/forge_view.h"

namespace yardmaster {
namespace {

// Reading a subject: issue and all comments.
constexpr std::chrono::milliseconds kReadTimeout{30'000};

}  // namespace

ForgeCall SubjectRun::ReadCall() const { return {priority_, kReadTimeout}; }

ForgeCall SubjectRun::WriteCall() const { return {priority_, account_->WriteTimeout()}; }

Outcome SubjectRun::Open() {
  const auto account = env_.forges.find(subject_.forge());
  if (account == env_.forges.end()) return Outcome::Failed(reasons::kForgeFailed, "the forge is not configured");
  account_ = account->second;
  absl::StatusOr<std::string> login = account_->Login(ReadCall());
  if (!login.ok()) return Outcome::OfForge(login.status());
  login_ = *std::move(login);
  return {};
}

Outcome SubjectRun::Choose(const std::vector<PackRoute>& routes, v1::Mode mode, bool named) {
  route_ = routes.front();
  mode_ = mode;
  // A call to the forge only where the file could change something: what is written, by which pack, what a review says.
  const bool matters =
      mode == v1::MODE_APPLY || (routes.size() > 1 && !named) || subject_.kind() == v1::SUBJECT_KIND_PULL_REQUEST;
  if (env_.find_choice != nullptr && matters) {
    MarkedSection section(env_.marks, delivery_);
    ForgeView view(*this, section);
    absl::StatusOr<RepositoryChoice> choice = env_.find_choice(subject_, view);
    section.Pause();
    if (!choice.ok()) return ReadFailed(choice.status());
    choice_ = *std::move(choice);
    if (choice_.dry_run) mode_ = v1::MODE_DRY_RUN;
  }
  // The first of the file's packs that is in service; who names a pack wants that one.
  for (const std::string& pack : named ? std::vector<std::string>() : choice_.packs) {
    const auto chosen = absl::c_find_if(routes, [&](const PackRoute& route) { return route.pack == pack; });
    if (chosen == routes.end()) continue;
    route_ = *chosen;
    break;
  }
  pack_ = env_.find_pack(route_.pack);
  return pack_ == nullptr ? Outcome::Ignored(reasons::kNoPack, route_.pack) : Outcome();
}

Outcome SubjectRun::Read(SubjectReading& reading) {
  if (subject_.number() == 0) {
    // Nothing but a repository, as in chat.
    reading = {};
    reading.read_at = env_.clock.Now();
    *reading.snapshot.mutable_subject() = subject_;
    reading.snapshot.set_labels_known(true);
    return {};
  }
  absl::StatusOr<SubjectReading> read = ReadSubject(*account_, ReadCall(), subject_);
  if (!read.ok()) return ReadFailed(read.status());
  NoteAccess(env_.notices, subject_.forge(), subject_.repository());
  reading = *std::move(read);
  reading.read_at = env_.clock.Now();
  return {};
}

RecentLabels::Labels SubjectRun::RepositoryLabels(const std::vector<std::string>& wanted) {
  RecentLabels::Labels labels = env_.recent_labels.Get(forge(), ReadCall(), subject_.repository(), wanted);
  if (labels == nullptr) return labels;
  for (const std::string& label : wanted) {
    const std::string notice =
        absl::StrCat("label '", label, "' in ", QualifiedName(subject_.forge(), subject_.repository()));
    if (HasLabel(*labels, label)) {
      env_.notices.Clear(notice);
    } else {
      env_.notices.Raise(notice, absl::StrCat("the pack wants to add the label '", label, "', which ",
                                              QualifiedName(subject_.forge(), subject_.repository()),
                                              " does not have: make it there, or take it out of the pack"));
    }
  }
  return labels;
}

Outcome SubjectRun::ReadFailed(const absl::Status& error) {
  const std::optional<ForgeError> forge_error = ForgeErrorOf(error);
  if (!forge_error.has_value() && absl::IsFailedPrecondition(error)) {
    return Outcome::Ignored(reasons::kNoPlanner, std::string(error.message()));
  }
  if (!forge_error.has_value()) return Outcome::Failed(reasons::kPlanningFailed, std::string(error.message()));
  if (forge_error->reason == ForgeReason::kMoved)
    return Outcome::Ignored(reasons::kMoved, std::string(error.message()));
  bool no_access = forge_error->reason == ForgeReason::kForbidden;
  if (forge_error->reason == ForgeReason::kNotFound) {
    const absl::StatusOr<ForgeRepository> repository = forge().GetRepository(ReadCall(), subject_.repository());
    if (repository.ok()) return Outcome::Ignored(reasons::kGone);
    const std::optional<ForgeError> why = ForgeErrorOf(repository.status());
    if (!why.has_value() || (why->reason != ForgeReason::kNotFound && why->reason != ForgeReason::kForbidden)) {
      return Outcome::OfForge(repository.status());
    }
    no_access = true;
  }
  if (no_access) {
    NoteNoAccess(env_.notices, subject_.forge(), subject_.repository(), std::string(error.message()));
    return Outcome::Retry(absl::StrCat("no-access: ", std::string(error.message())));
  }
  Outcome outcome = Outcome::OfForge(error);
  if (outcome.failed()) outcome.reason = reasons::WithDetail(reasons::kForgeFailed, outcome.reason);
  return outcome;
}

}  // namespace yardmaster
