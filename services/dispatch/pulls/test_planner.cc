#include "services/dispatch/pulls/test_planner.h"

#include <memory>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "clients/forge/profile.h"
#include "services/core/absl_view.h"
#include "services/core/reasons.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/dispatch/pulls/head_tree.h"
#include "services/dispatch/pulls/job_report.h"
#include "services/intake/effect.h"
#include "services/intake/git_failure.h"

namespace yardmaster::dispatch {
namespace {

constexpr std::string_view kUntrusted = "untrusted";
constexpr std::string_view kLevelAxis = "level";
constexpr size_t kShownCommit = 12;

struct Refusal {
  std::string code;
  std::string detail;
};

void AddStep(std::string_view id, std::string_view why, v1::Plan& plan) {
  v1::StepOutcome& step = *plan.mutable_explanation()->add_steps();
  step.set_id(std::string(id));
  step.set_taken(true);
  step.set_why(std::string(why));
}

class TreeResult final : public LongResult {
 public:
  explicit TreeResult(std::string digest) : digest_(std::move(digest)) {}
  const std::string& digest() const { return digest_; }

 private:
  const std::string digest_;
};

// "cpu", "gpu" and "npu" are kinds; any other word is a part of a model's name.
v1::DeviceDemand DemandOf(const v1::TestRequest& request) {
  v1::DeviceDemand demand;
  const std::string word = absl::AsciiStrToLower(request.device());
  if (word == "cpu" || word == "gpu" || word == "npu") {
    demand.set_kind(word);
  } else if (!word.empty()) {
    demand.set_kind(absl::StartsWith(word, "ascend") ? "npu" : "gpu");
    demand.add_models(absl::StrCat("*", request.device(), "*"));
  }
  demand.set_count(request.cards());
  return demand;
}

bool HasLevel(const rules::SuiteModel& suite) {
  return absl::c_any_of(suite.matrix.axes, [](const auto& axis) { return axis.first == kLevelAxis; });
}

// One request on its way to its plan.
class TestPlanning {
 public:
  TestPlanning(const TestEnvironment& env, const PlanInput& input)
      : env_(env),
        input_(input),
        view_(input.view),
        request_(input.asked.test.has_value() ? *input.asked.test : input.event.test()),
        cause_(input.asked.cause.empty() ? input.event.id() : input.asked.cause) {}

  absl::Status Run(v1::Plan& plan);

 private:
  const v1::Subject& subject() const { return input_.snapshot.subject(); }
  // Fills `pool`; or says why the code must not run.
  absl::StatusOr<std::optional<Refusal>> ChoosePool(const ForgePull& pull);
  // Fills `suites_`; or says why there are none.
  absl::StatusOr<std::optional<Refusal>> ChooseSuites();
  // The digest of the head's tree.
  absl::StatusOr<std::string> KeepTree(const ForgePull& pull, std::optional<Refusal>& refusal);
  absl::Status Submit(const ForgePull& pull, v1::Plan& plan);
  // Ends jobs for which `is_meant`; how many.
  template <typename IsMeant>
  absl::StatusOr<int> Cancel(const std::string& why, IsMeant is_meant, v1::Plan& plan);
  absl::Status CancelAsked(v1::Plan& plan);
  absl::Status Supersede(const ForgePull& pull, v1::Plan& plan);

  const TestEnvironment& env_;
  const PlanInput& input_;
  SubjectView& view_;
  const v1::TestRequest request_;
  const std::string cause_;
  std::string pool_ = "trusted";
  std::vector<ShelvedSuite> suites_;
};

void Refuse(const Refusal& refusal, v1::Plan& plan) {
  AddStep("refused", refusal.code, plan);
  AddStep("why", refusal.detail, plan);
}

absl::StatusOr<std::optional<Refusal>> TestPlanning::ChoosePool(const ForgePull& pull) {
  // Whoever pushes to the repository itself has rights there.
  if (pull.head_repository == subject().repository()) return std::nullopt;
  ASSIGN_OR_RETURN(const ForgeAccess access, view_.Access(pull.author.login));
  if (access.permission >= ForgePermission::kWrite) return std::nullopt;
  pool_ = kUntrusted;
  switch (env_.config.dispatch.fork_policy) {
    case ForkPolicy::kAlways:
      return std::nullopt;
    case ForkPolicy::kNever:
      return Refusal{"forks-never", pull.author.login};
    case ForkPolicy::kApprove:
      break;
  }
  ASSIGN_OR_RETURN(const std::vector<v1::Action> approvals, view_.Written(kApproveTestsKind));
  const bool approved = absl::c_any_of(
      approvals, [&](const v1::Action& action) { return action.approve_tests().head() == pull.head_sha; });
  if (approved) return std::nullopt;
  return Refusal{"needs-approval", pull.head_sha.substr(0, kShownCommit)};
}

absl::StatusOr<std::optional<Refusal>> TestPlanning::ChooseSuites() {
  const std::string& pack = input_.pack->model().name;
  const absl::StatusOr<std::vector<ShelvedSuite>> all = env_.suites.OfPack(pack);
  if (!all.ok()) return Refusal{"suites-unreadable", std::string(all.status().message())};
  const std::string& word = request_.suite();
  const bool is_kind = word.empty() || word == "ut" || word == "st";
  for (const ShelvedSuite& one : *all) {
    const std::string& kind = one.suite->gate.kind;
    const bool meant =
        is_kind ? !kind.empty() && (word.empty() || kind == word) : one.name == word || one.suite->id == word;
    if (meant) suites_.push_back(one);
  }
  if (suites_.empty() && is_kind) return Refusal{"no-usual-suites", pack};
  if (suites_.empty()) {
    const std::string names =
        absl::StrJoin(*all, ", ", [](std::string* out, const ShelvedSuite& one) { absl::StrAppend(out, one.name); });
    return Refusal{"unknown-suite", names.empty() ? "-" : names};
  }
  if (request_.level().empty()) return std::nullopt;
  for (const ShelvedSuite& one : suites_) {
    if (!HasLevel(*one.suite)) return Refusal{"no-level", one.name};
  }
  return std::nullopt;
}

absl::StatusOr<std::string> TestPlanning::KeepTree(const ForgePull& pull, std::optional<Refusal>& refusal) {
  const auto cache = env_.caches.find(subject().forge());
  const auto forge = env_.forges.find(subject().forge());
  if (cache == env_.caches.end() || cache->second == nullptr || forge == env_.forges.end()) {
    refusal = Refusal{"no-git-server", subject().forge()};
    return std::string();
  }
  GitCacheRequest wanted;
  wanted.repository = subject().repository();
  wanted.base = {"", "refs/heads/" + pull.base_ref};
  wanted.head = {pull.head_sha,
                 absl::StrReplaceAll(Abs(forge->second->profile().pull_ref), {{"{}", absl::StrCat(pull.number)}})};
  // Both parts outlive this call: they hold what they use.
  const auto digest = std::make_shared<std::string>();
  LongWork work;
  work.key = ShortDigestOf({TestPlanner::kName, pull.head_sha});
  work.read = [cache = cache->second, wanted, digest, files = &env_.files, scratch = env_.scratch]() -> absl::Status {
    ASSIGN_OR_RETURN(const KeptTree kept, KeepHeadTree(*cache, wanted, *files, scratch));
    *digest = kept.digest;
    return absl::OkStatus();
  };
  work.compute = [digest]() -> absl::StatusOr<LongResultPtr> { return std::make_shared<const TreeResult>(*digest); };
  const absl::StatusOr<LongResultPtr> done = view_.Await(work);
  if (done.ok()) return static_cast<const TreeResult&>(**done).digest();
  if (std::optional<absl::Status> retried = RetriedGitFailure(done.status())) return *std::move(retried);
  const bool large = absl::IsResourceExhausted(done.status());
  refusal = Refusal{large ? "too-large" : "git-failed", std::string(done.status().message())};
  return std::string();
}

absl::Status TestPlanning::Submit(const ForgePull& pull, v1::Plan& plan) {
  std::optional<Refusal> refusal;
  if (pull.state != ForgeState::kOpen) refusal = Refusal{"not-open", ""};
  if (!refusal) {
    ASSIGN_OR_RETURN(refusal, ChoosePool(pull));
  }
  if (!refusal) {
    ASSIGN_OR_RETURN(refusal, ChooseSuites());
  }
  std::string tree;
  if (!refusal) {
    ASSIGN_OR_RETURN(tree, KeepTree(pull, refusal));
  }
  if (refusal) {
    Refuse(*refusal, plan);
    return absl::OkStatus();
  }
  AddStep("pool", pool_, plan);
  AddStep("head", pull.head_sha, plan);
  const std::string cancelled = absl::StrCat("superseded by ", pull.head_sha.substr(0, kShownCommit));
  const auto is_older = [&](const v1::SuiteJob& job) { return job.spec().ref() != pull.head_sha; };
  RETURN_IF_ERROR(Cancel(cancelled, is_older, plan).status());
  ASSIGN_OR_RETURN(const std::vector<v1::Action> submitted, view_.Written(kSubmitJobKind));
  for (const ShelvedSuite& suite : suites_) {
    v1::SubmitJob submit;
    submit.set_by(input_.event.actor());
    submit.set_cause(cause_);
    submit.set_job("j-" + ShortDigestOf({TestPlanner::kName, SubjectKey(subject()), cause_, suite.name}));
    v1::JobSpec& spec = *submit.mutable_spec();
    spec.set_suite(suite.name);
    spec.set_ref(pull.head_sha);
    spec.set_source_digest(tree);
    spec.set_pool(pool_);
    spec.set_subject(PullName(subject()));
    if (input_.asked.told.has_value()) *spec.mutable_told() = *input_.asked.told;
    *spec.mutable_devices() = DemandOf(request_);
    if (!request_.level().empty()) spec.add_select(absl::StrCat(Abs(kLevelAxis), "=", request_.level()));
    spec.set_check_attempt(absl::c_count_if(submitted, [&](const v1::Action& action) {
      const v1::SubmitJob& other = action.submit_job();
      return other.job() != submit.job() && other.spec().ref() == spec.ref() && other.spec().suite() == spec.suite();
    }));
    if (const absl::Status fits = env_.check(submit); !fits.ok()) {
      plan.clear_actions();
      Refuse({"not-runnable", std::string(fits.message())}, plan);
      return absl::OkStatus();
    }
    AddStep("job", submit.job(), plan);
    AddStep("suite", suite.name, plan);
    if (input_.asked.preview) continue;
    const v1::ReportCheck begun = BegunCheck(spec, submit.job(), submit.by());
    *plan.add_actions()->mutable_submit_job() = std::move(submit);
    *plan.add_actions()->mutable_report_check() = begun;
  }
  plan.set_input_digest(ShortDigestOf({TestPlanner::kName, pull.head_sha, cause_}));
  return absl::OkStatus();
}

template <typename IsMeant>
absl::StatusOr<int> TestPlanning::Cancel(const std::string& why, IsMeant is_meant, v1::Plan& plan) {
  ASSIGN_OR_RETURN(const std::vector<v1::SuiteJob> live, env_.live(subject()));
  int count = 0;
  for (const v1::SuiteJob& job : live) {
    if (job.cancel_requested() || !is_meant(job)) continue;
    ++count;
    AddStep("cancelled", absl::StrCat(job.job(), " ", job.spec().suite()), plan);
    if (input_.asked.preview) continue;
    v1::CancelJob& cancel = *plan.add_actions()->mutable_cancel_job();
    cancel.set_job(job.job());
    cancel.set_why(why);
    cancel.set_cause(cause_);
  }
  return count;
}

absl::Status TestPlanning::CancelAsked(v1::Plan& plan) {
  const std::string& wanted = request_.job();
  const auto is_meant = [&](const v1::SuiteJob& job) { return wanted.empty() || job.job() == wanted; };
  ASSIGN_OR_RETURN(const int count, Cancel(absl::StrCat("cancelled by ", input_.event.actor()), is_meant, plan));
  if (count == 0) Refuse({wanted.empty() ? "no-jobs" : "unknown-job", wanted}, plan);
  return absl::OkStatus();
}

absl::Status TestPlanning::Supersede(const ForgePull& pull, v1::Plan& plan) {
  const bool open = pull.state == ForgeState::kOpen;
  const std::string why =
      open ? absl::StrCat("superseded by ", pull.head_sha.substr(0, kShownCommit)) : "the pull request is closed";
  const auto is_meant = [&](const v1::SuiteJob& job) { return !open || job.spec().ref() != pull.head_sha; };
  return Cancel(why, is_meant, plan).status();
}

absl::Status TestPlanning::Run(v1::Plan& plan) {
  if (request_.kind() == v1::TestRequest::KIND_CANCEL) return CancelAsked(plan);
  ASSIGN_OR_RETURN(const ForgePull* const pull, view_.Pull());
  return request_.kind() == v1::TestRequest::KIND_SUPERSEDE ? Supersede(*pull, plan) : Submit(*pull, plan);
}

}  // namespace

bool TestPlanner::Handles(v1::SubjectKind kind, const rules::PackModel&) const {
  return kind == v1::SUBJECT_KIND_PULL_REQUEST;
}

TriggerResult TestPlanner::TriggerFor(const RoutedEvent& event, const rules::PackModel&,
                                      const std::vector<std::string>*) const {
  const bool asked = event.event.kind() == v1::Event::KIND_REQUESTED && event.event.has_test();
  return asked ? TriggerResult{Trigger::kManual, {}} : TriggerResult{Trigger::kNone, reasons::kNoTrigger};
}

std::string TestPlanner::Digest(const PlanInput& input) const {
  return ShortDigestOf({kName, input.event.id(), input.event.test().SerializeAsString()});
}

absl::Status TestPlanner::Plan(const PlanInput& input, v1::Plan& plan) const {
  return TestPlanning(env_, input).Run(plan);
}

}  // namespace yardmaster::dispatch
