#include "services/workflow/server/pull_operation_planner.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "clients/forge/profile.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/messages/timestamps.h"
#include "services/core/reasons.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"
#include "services/intake/git_failure.h"
#include "services/workflow/server/pull_work.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

using Kind = v1::PullOperation;

// How long what was done can be taken back.
constexpr std::chrono::hours kUndoAge{7 * 24};

std::chrono::system_clock::time_point TimeOf(const google::protobuf::Timestamp& time) {
  return std::chrono::system_clock::time_point(std::chrono::seconds(time.seconds()));
}

void AddStep(std::string_view id, std::string_view why, v1::Plan& plan) {
  v1::StepOutcome& step = *plan.mutable_explanation()->add_steps();
  step.set_id(std::string(id));
  step.set_taken(true);
  step.set_why(std::string(why));
}

void Refuse(const PullRefusal& refusal, v1::Plan& plan) {
  AddStep("refused", refusal.code, plan);
  AddStep("why", refusal.detail, plan);
}

bool MayWrite(const ForgeRepository& repository) {
  return repository.own.has_value() && *repository.own >= ForgePermission::kWrite;
}

// A branch that others build on: by its name, or as the default one of its repository. Nothing of it is rewritten.
bool IsShared(const std::string& branch, const absl::StatusOr<ForgeRepository>& repository) {
  return IsProtectedBranch(branch) || (repository.ok() && repository->default_branch == branch);
}

// Whether the head of a pull request may be rewritten, and the forge says that we may push to it; else which branch or
// repository it is about.
absl::StatusOr<std::optional<PullRefusal>> WhyNoPush(SubjectView& view, const ForgePull& pull,
                                                     const std::string& repository) {
  if (pull.head_repository.empty()) return PullRefusal{"no-fork", ""};
  const absl::StatusOr<ForgeRepository> head = view.Repository(pull.head_repository);
  // A fork that is not shown to us may still let us push.
  if (!head.ok() && !absl::IsNotFound(head.status())) return head.status();
  if (IsShared(pull.head_ref, head)) {
    return PullRefusal{"protected-branch", absl::StrCat(pull.head_repository, ":", pull.head_ref)};
  }
  if (head.ok() && MayWrite(*head)) return std::nullopt;
  if (pull.maintainers_may_edit && pull.head_repository != repository) {
    ASSIGN_OR_RETURN(const ForgeRepository base, view.Repository(repository));
    if (MayWrite(base)) return std::nullopt;
  }
  return PullRefusal{"no-permission", pull.head_repository};
}

// The same for a repository as a whole.
absl::StatusOr<std::optional<PullRefusal>> WhyNoBranch(SubjectView& view, const std::string& repository) {
  if (repository.empty()) return PullRefusal{"no-fork", ""};
  const absl::StatusOr<ForgeRepository> there = view.Repository(repository);
  if (!there.ok() && !absl::IsNotFound(there.status())) return there.status();
  if (there.ok() && MayWrite(*there)) return std::nullopt;
  return PullRefusal{"no-permission", repository};
}

// Whether the last push may be taken back: never where that would rewrite what others build on.
absl::StatusOr<std::optional<PullRefusal>> WhyNoUndo(SubjectView& view, const v1::PushRef& push) {
  const absl::StatusOr<ForgeRepository> there = view.Repository(push.repository());
  if (!there.ok() && !absl::IsNotFound(there.status())) return there.status();
  const std::string branch = push.ref().substr(kBranchPrefix.size());
  if (!IsShared(branch, there)) return std::nullopt;
  return PullRefusal{"protected-branch", absl::StrCat(push.repository(), ":", branch)};
}

bool IsOpen(const ForgePull& pull) { return pull.state == ForgeState::kOpen; }

// The latest operation on the subject that was not taken back: a push or an edit.
struct LastOperation {
  std::optional<v1::PushRef> push;
  std::optional<v1::EditPull> edit;
};

template <typename Change>
std::optional<Change> LatestOf(const std::vector<Change>& newest_first) {
  std::vector<std::string> undone;
  for (const Change& change : newest_first) {
    if (!change.undoes().empty()) {
      undone.push_back(change.undoes());
      continue;
    }
    const bool is_undone = std::find(undone.begin(), undone.end(), change.cause()) != undone.end();
    if (!is_undone) return change;
  }
  return std::nullopt;
}

absl::StatusOr<LastOperation> FindLast(SubjectView& view, std::chrono::system_clock::time_point now) {
  std::vector<v1::PushRef> pushes;
  ASSIGN_OR_RETURN(const std::vector<v1::Action> pushed, view.Written(kPushRefKind));
  pushes.reserve(pushed.size());
  for (const v1::Action& action : pushed) pushes.push_back(action.push_ref());
  std::vector<v1::EditPull> edits;
  ASSIGN_OR_RETURN(const std::vector<v1::Action> edited, view.Written(kEditPullKind));
  edits.reserve(edited.size());
  for (const v1::Action& action : edited) edits.push_back(action.edit_pull());
  LastOperation last{LatestOf(pushes), LatestOf(edits)};
  const auto is_old = [now](const auto& change) { return TimeOf(change.at()) + kUndoAge < now; };
  if (last.push.has_value() && is_old(*last.push)) last.push.reset();
  if (last.edit.has_value() && is_old(*last.edit)) last.edit.reset();
  if (last.push.has_value() && last.edit.has_value()) {
    if (TimeOf(last.push->at()) < TimeOf(last.edit->at())) {
      last.push.reset();
    } else {
      last.edit.reset();
    }
  }
  return last;
}

// The branch of which gates may be running that a push would disturb; nullopt: none is pushed to, or a new one.
std::optional<ForgePullHead> BranchPushedTo(const PullWorkRequest& request) {
  switch (request.operation.kind()) {
    case Kind::KIND_SQUASH:
    case Kind::KIND_REBASE:
      return ForgePullHead{request.pull.head_repository, request.pull.head_ref};
    case Kind::KIND_APPEND:
      return ForgePullHead{request.target.head_repository, request.target.head_ref};
    case Kind::KIND_SYNC:
      return ForgePullHead{request.pull.head_repository, request.operation.branch()};
    case Kind::KIND_UNDO:
      return ForgePullHead{request.undo_repository, request.undo.ref.substr(kBranchPrefix.size())};
    default:
      return std::nullopt;
  }
}

// What was read, between the two halves of the work.
struct Kept {
  std::string hold;
  PullMaterial material;
};

class WorkResult final : public LongResult {
 public:
  explicit WorkResult(PullWorkResult result) : result_(std::move(result)) {}
  const PullWorkResult& result() const { return result_; }

 private:
  const PullWorkResult result_;
};

// One operation on its way to its plan.
class OperationPlanning {
 public:
  OperationPlanning(const PullOperationEnvironment& env, const PlanInput& input)
      : env_(env),
        input_(input),
        view_(input.view),
        operation_(input.asked.operation.has_value() ? *input.asked.operation : input.event.operation()),
        cause_(input.asked.cause.empty() ? input.event.id() : input.asked.cause) {}

  absl::Status Run(v1::Plan& plan);

 private:
  const v1::Subject& subject() const { return input_.snapshot.subject(); }
  // Fills the request; or says why nothing is done.
  absl::StatusOr<std::optional<PullRefusal>> Prepare(PullWorkRequest& request);
  // What a preview and the work that it was a preview of have in common, else it is not what was shown.
  std::string StandsOn(const PullWorkRequest& request) const;
  // Tells what it stands on; false: that is not what was asked for, which is then refused.
  bool Bind(std::string_view stands_on, v1::Plan& plan) const;
  // Takes back an edit, which needs no commits.
  void UndoEdit(const v1::EditPull& edit, v1::Plan& plan) const;
  absl::StatusOr<PullWorkResult> Work(const PullGit& git, PullWorkRequest request);
  void Write(const PullWorkRequest& request, const PullWorkResult& result, v1::Plan& plan) const;
  bool Preview() const { return input_.asked.preview; }

  const PullOperationEnvironment& env_;
  const PlanInput& input_;
  SubjectView& view_;
  v1::PullOperation operation_;
  const std::string cause_;
  LastOperation last_;  // KIND_UNDO: what is taken back
};

absl::StatusOr<std::optional<PullRefusal>> OperationPlanning::Prepare(PullWorkRequest& request) {
  const ForgePull& pull = request.pull;
  const std::string& repository = subject().repository();
  switch (operation_.kind()) {
    case Kind::KIND_BACKPORT:
      if (!IsOpen(pull) && pull.state != ForgeState::kMerged) return PullRefusal{"not-open", ""};
      return WhyNoBranch(view_, repository);
    case Kind::KIND_SYNC:
      if (operation_.branch().empty()) request.operation.set_branch(pull.base_ref);
      if (pull.head_repository == repository) return PullRefusal{"no-fork", ""};
      return WhyNoBranch(view_, pull.head_repository);
    case Kind::KIND_UPDATE:
      if (!IsOpen(pull)) return PullRefusal{"not-open", ""};
      return std::nullopt;
    case Kind::KIND_APPEND: {
      if (operation_.target() == pull.number) return PullRefusal{"same-pull", absl::StrCat("#", pull.number)};
      if (!operation_.message().empty() && !operation_.amend()) return PullRefusal{"message-unused", ""};
      ASSIGN_OR_RETURN(request.target, view_.PullOf(operation_.target()));
      if (!IsOpen(request.target)) return PullRefusal{"not-open", absl::StrCat("#", operation_.target())};
      // Who may write here says nothing about a pull request that another one opened.
      if (!SameLogin(request.target.author.login, input_.event.actor())) {
        return PullRefusal{"not-theirs", absl::StrCat("#", operation_.target())};
      }
      return WhyNoPush(view_, request.target, repository);
    }
    case Kind::KIND_UNDO:
      if (!last_.push.has_value()) return PullRefusal{"nothing-to-undo", ""};
      request.undo_repository = last_.push->repository();
      request.undo = {last_.push->ref(), last_.push->old_id(), last_.push->new_id()};
      return WhyNoUndo(view_, *last_.push);
    default:
      if (!IsOpen(pull)) return PullRefusal{"not-open", ""};
      return WhyNoPush(view_, pull, repository);
  }
}

std::string OperationPlanning::StandsOn(const PullWorkRequest& request) const {
  const ForgePull& pull = request.pull;
  switch (operation_.kind()) {
    case Kind::KIND_UPDATE:
      return ShortDigestOf({pull.head_sha, pull.title, pull.body});
    case Kind::KIND_APPEND:
      return ShortDigestOf({pull.head_sha, request.target.head_sha});
    case Kind::KIND_UNDO:
      return ShortDigestOf({last_.push->cause()});
    default:
      return ShortDigestOf({pull.head_sha});
  }
}

bool OperationPlanning::Bind(std::string_view stands_on, v1::Plan& plan) const {
  AddStep("stands-on", stands_on, plan);
  if (input_.asked.stands_on.empty() || input_.asked.stands_on == stands_on) return true;
  Refuse({"changed", absl::StrCat("#", subject().number())}, plan);
  return false;
}

absl::StatusOr<PullWorkResult> OperationPlanning::Work(const PullGit& git, PullWorkRequest request) {
  // Both parts outlive this call: they hold what they use.
  const auto kept = std::make_shared<Kept>();
  const auto asked = std::make_shared<const PullWorkRequest>(std::move(request));
  const std::optional<ForgePullHead> pushed = BranchPushedTo(*asked);
  LongWork work;
  work.key = ShortDigestOf({PullOperationPlanner::kName, cause_, asked->pull.head_sha});
  work.read = [git, asked, kept, pushed, hold = env_.gate_hold, subject = subject(),
               pack = input_.pack->model().name]() -> absl::Status {
    if (hold != nullptr && pushed.has_value()) {
      ASSIGN_OR_RETURN(kept->hold, hold(subject, pack, *pushed));
      if (!kept->hold.empty()) return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(kept->material, ReadPullMaterial(git, *asked));
    return absl::OkStatus();
  };
  work.compute = [asked, kept]() -> absl::StatusOr<LongResultPtr> {
    PullWorkResult result;
    if (kept->hold.empty()) {
      ASSIGN_OR_RETURN(result, WorkOnPull(*asked, kept->material));
    } else {
      result.refusal = PullRefusal{"gate-runs", kept->hold};
    }
    // The cache may go from here on.
    kept->material = {};
    return std::make_shared<const WorkResult>(std::move(result));
  };
  const absl::StatusOr<LongResultPtr> done = view_.Await(work);
  if (done.ok()) return static_cast<const WorkResult&>(**done).result();
  const absl::Status& status = done.status();
  if (std::optional<absl::Status> retried = RetriedGitFailure(status)) return *std::move(retried);
  PullWorkResult failed;
  failed.refusal = PullRefusal{"git-failed", std::string(status.message())};
  return failed;
}

void OperationPlanning::UndoEdit(const v1::EditPull& edit, v1::Plan& plan) const {
  AddStep("title", edit.old_title(), plan);
  if (Preview()) return;
  v1::EditPull& back = *plan.add_actions()->mutable_edit_pull();
  back.set_title(edit.old_title());
  back.set_body(edit.old_body());
  back.set_old_title(edit.title());
  back.set_old_body(edit.body());
  back.set_operation(Kind::KIND_UNDO);
  back.set_cause(cause_);
  back.set_by(input_.event.actor());
  *back.mutable_at() = ToTimestamp(input_.now);
  back.set_undoes(edit.cause());
}

void OperationPlanning::Write(const PullWorkRequest& request, const PullWorkResult& result, v1::Plan& plan) const {
  AddStep("commits", absl::StrCat(result.commits), plan);
  if (!result.repository.empty()) {
    AddStep("ref", absl::StrCat(result.repository, ":", result.move.ref.substr(kBranchPrefix.size())), plan);
    AddStep("old", result.move.old_id, plan);
    AddStep("new", result.move.new_id, plan);
  }
  if (!result.description.title.empty()) AddStep("title", result.description.title, plan);
  for (const std::string& gap : result.gaps) AddStep("gap", gap, plan);
  const std::string& synced = request.operation.branch();
  const bool lasts =
      operation_.kind() == Kind::KIND_SYNC && (IsProtectedBranch(synced) || synced == request.pull.default_branch);
  if (lasts) AddStep("lasts", "a branch that others build on is never taken back", plan);
  if (Preview()) return;
  if (!result.repository.empty()) {
    v1::PushRef& push = *plan.add_actions()->mutable_push_ref();
    push.set_repository(result.repository);
    push.set_ref(result.move.ref);
    push.set_old_id(result.move.old_id);
    push.set_new_id(result.move.new_id);
    push.set_pack(result.pack);
    push.set_operation(operation_.kind());
    push.set_cause(cause_);
    push.set_by(input_.event.actor());
    *push.mutable_at() = ToTimestamp(input_.now);
    if (last_.push.has_value()) push.set_undoes(last_.push->cause());
  }
  if (operation_.kind() == Kind::KIND_BACKPORT) {
    v1::OpenPull& open = *plan.add_actions()->mutable_open_pull();
    open.set_head_repository(result.repository);
    open.set_head(BackportBranch(request.pull.number, operation_.branch()));
    open.set_head_id(result.move.new_id);
    open.set_base(operation_.branch());
    open.set_title(result.description.title);
    open.set_body(result.description.body);
    open.set_cause(cause_);
  }
  if (operation_.kind() == Kind::KIND_UPDATE) {
    v1::EditPull& edit = *plan.add_actions()->mutable_edit_pull();
    edit.set_title(result.description.title);
    edit.set_body(result.description.body);
    edit.set_old_title(request.pull.title);
    edit.set_old_body(request.pull.body);
    edit.set_operation(operation_.kind());
    edit.set_cause(cause_);
    edit.set_by(input_.event.actor());
    *edit.mutable_at() = ToTimestamp(input_.now);
  }
}

absl::Status OperationPlanning::Run(v1::Plan& plan) {
  const auto cache = env_.caches.find(subject().forge());
  const auto forge = env_.forges.find(subject().forge());
  if (cache == env_.caches.end() || cache->second == nullptr || forge == env_.forges.end() ||
      forge->second->git() == nullptr) {
    Refuse({"no-git-server", subject().forge()}, plan);
    return absl::OkStatus();
  }
  if (operation_.kind() == Kind::KIND_UNDO) {
    ASSIGN_OR_RETURN(last_, FindLast(view_, input_.now));
    if (last_.edit.has_value()) {
      if (Bind(ShortDigestOf({last_.edit->cause()}), plan)) UndoEdit(*last_.edit, plan);
      return absl::OkStatus();
    }
  }
  PullWorkRequest request;
  request.operation = operation_;
  ASSIGN_OR_RETURN(const ForgePull* const pull, view_.Pull());
  request.pull = *pull;
  request.repository = subject().repository();
  request.pull_ref = std::string(forge->second->profile().pull_ref);
  request.templates = forge->second->profile().pull_templates;
  request.seconds = std::chrono::system_clock::to_time_t(input_.now);
  ASSIGN_OR_RETURN(const std::optional<PullRefusal> refusal, Prepare(request));
  if (refusal.has_value()) {
    Refuse(*refusal, plan);
    return absl::OkStatus();
  }
  if (!Bind(StandsOn(request), plan)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const PullWorkResult result, Work({*cache->second, *forge->second->git()}, request));
  plan.set_input_digest(ShortDigestOf({PullOperationPlanner::kName, pull->head_sha, result.move.new_id}));
  if (result.refusal.has_value()) {
    Refuse(*result.refusal, plan);
    for (const GitConflict& conflict : result.hunks) {
      AddStep("hunk", absl::StrCat(conflict.path, "\n", conflict.hunks), plan);
    }
    return absl::OkStatus();
  }
  Write(request, result, plan);
  return absl::OkStatus();
}

}  // namespace

bool PullOperationPlanner::Handles(v1::SubjectKind kind, const rules::PackModel&) const {
  return kind == v1::SUBJECT_KIND_PULL_REQUEST;
}

TriggerResult PullOperationPlanner::TriggerFor(const RoutedEvent& event, const rules::PackModel&,
                                               const std::vector<std::string>*) const {
  const bool asked = event.event.kind() == v1::Event::KIND_REQUESTED && event.event.has_operation();
  return asked ? TriggerResult{Trigger::kManual, {}} : TriggerResult{Trigger::kNone, reasons::kNoTrigger};
}

std::string PullOperationPlanner::Digest(const PlanInput& input) const {
  return ShortDigestOf({kName, input.event.id(), input.event.operation().SerializeAsString()});
}

absl::Status PullOperationPlanner::Plan(const PlanInput& input, v1::Plan& plan) const {
  return OperationPlanning(env_, input).Run(plan);
}

}  // namespace yardmaster::workflow
