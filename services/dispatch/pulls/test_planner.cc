#include "services/dispatch/pulls/test_planner.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/profile.h"
#include "clients/forge/pull_ref.h"
#include "services/core/absl_view.h"
#include "services/core/reasons.h"
#include "services/core/short_commit.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/dispatch/job_shards.h"
#include "services/dispatch/pulls/head_tree.h"
#include "services/dispatch/pulls/job_report.h"
#include "services/dispatch/pulls/refusal.h"
#include "services/dispatch/pulls/suite_choice.h"
#include "services/intake/effect.h"
#include "services/intake/git_failure.h"

namespace yardmaster::dispatch {
namespace {

constexpr std::string_view kUntrusted = "untrusted";

// Of the check that tells of a job: how many jobs with that check there were at the head before. One that tries
// failures of the head on the base counts with them: what it finds is told by a check of the head, too.
int64_t AttemptOf(const std::vector<v1::Action>& submitted, const std::string& job, const v1::JobSpec& spec) {
  std::set<std::string_view> of_head;
  std::string_view head = spec.ref();
  for (const v1::Action& action : submitted) {
    if (action.submit_job().job() == spec.trunk_of()) head = action.submit_job().spec().ref();
  }
  for (const v1::Action& action : submitted) {
    const v1::JobSpec& other = action.submit_job().spec();
    if (other.trunk_of().empty() && other.ref() == head && TestNameOf(other) == TestNameOf(spec)) {
      of_head.insert(action.submit_job().job());
    }
  }
  return absl::c_count_if(submitted, [&](const v1::Action& action) {
    const v1::SubmitJob& other = action.submit_job();
    return other.job() != job && (of_head.contains(other.job()) || of_head.contains(other.spec().trunk_of()));
  });
}

void AddStep(std::string_view id, std::string_view why, v1::Plan& plan) {
  v1::StepOutcome& step = *plan.mutable_explanation()->add_steps();
  step.set_id(std::string(id));
  step.set_taken(true);
  step.set_why(std::string(why));
}

class TreeResult final : public LongResult {
 public:
  explicit TreeResult(KeptTree tree) : tree_(std::move(tree)) {}
  const KeptTree& tree() const { return tree_; }

 private:
  const KeptTree tree_;
};

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
  std::optional<Refusal> FindSuites();
  // The tree of the head, or of the base branch.
  absl::StatusOr<KeptTree> KeepTree(const ForgePull& pull, bool of_base, std::optional<Refusal>& refusal);
  // The same, and says in the plan with which pool and commit; where `refusal` or its own says no, that is said, and
  // there is none.
  absl::StatusOr<std::optional<KeptTree>> Begin(const ForgePull& pull, bool of_base, std::optional<Refusal> refusal,
                                                v1::Plan& plan);
  // Every job that was submitted for the pull request, the newest first.
  absl::StatusOr<const std::vector<v1::Action>*> Submitted();
  absl::Status Submit(const ForgePull& pull, v1::Plan& plan);
  // The newest jobs of the head by their names, as far as the request means them.
  absl::StatusOr<std::map<std::string, v1::SuiteJob>> JobsOfHead(const ForgePull& pull);
  bool IsMeant(const v1::JobSpec& spec) const;
  // The name of the job that this request makes of the suite; of several that share it, the first.
  std::string FirstJobOf(const std::string& suite) const;
  absl::Status Retest(const ForgePull& pull, v1::Plan& plan);
  absl::Status TryOnBase(const ForgePull& pull, v1::Plan& plan);
  // Adds the job, and its check where it has one. False: the plan says why it can't run.
  absl::StatusOr<bool> AddJob(v1::JobSpec spec, v1::Plan& plan);
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
  std::vector<ChosenSuite> suites_;
  std::optional<std::vector<v1::Action>> submitted_;  // once it was read
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
  return Refusal{"needs-approval", ShortCommit(pull.head_sha)};
}

std::optional<Refusal> TestPlanning::FindSuites() {
  const std::string& pack = input_.pack->model().name;
  const absl::StatusOr<std::vector<ShelvedSuite>> all = env_.suites.OfPack(pack);
  if (!all.ok()) return Refusal{"suites-unreadable", std::string(all.status().message())};
  SuiteChoice choice = ChooseSuites(*all, pack, request_);
  suites_ = std::move(choice.suites);
  return std::move(choice.refusal);
}

absl::StatusOr<KeptTree> TestPlanning::KeepTree(const ForgePull& pull, bool of_base, std::optional<Refusal>& refusal) {
  const auto cache = env_.caches.find(subject().forge());
  const auto forge = env_.forges.find(subject().forge());
  if (cache == env_.caches.end() || cache->second == nullptr || forge == env_.forges.end()) {
    refusal = Refusal{"no-git-server", subject().forge()};
    return KeptTree();
  }
  GitCacheRequest wanted;
  wanted.repository = subject().repository();
  wanted.base = {"", "refs/heads/" + pull.base_ref};
  wanted.head =
      of_base ? wanted.base : GitPoint{pull.head_sha, PullRefOf(forge->second->profile().pull_ref, pull.number)};
  // Both parts outlive this call: they hold what they use.
  const auto tree = std::make_shared<KeptTree>();
  LongWork work;
  work.key = ShortDigestOf({TestPlanner::kName, of_base ? std::string_view("base") : std::string_view(pull.head_sha)});
  work.read = [cache = cache->second, wanted, tree, files = &env_.files, scratch = env_.scratch]() -> absl::Status {
    ASSIGN_OR_RETURN(*tree, KeepHeadTree(*cache, wanted, *files, scratch));
    return absl::OkStatus();
  };
  work.compute = [tree]() -> absl::StatusOr<LongResultPtr> { return std::make_shared<const TreeResult>(*tree); };
  const absl::StatusOr<LongResultPtr> done = view_.Await(work);
  if (done.ok()) return static_cast<const TreeResult&>(**done).tree();
  if (std::optional<absl::Status> retried = RetriedGitFailure(done.status())) return *std::move(retried);
  const bool large = absl::IsResourceExhausted(done.status());
  refusal = Refusal{large ? "too-large" : "git-failed", std::string(done.status().message())};
  return KeptTree();
}

absl::StatusOr<std::optional<KeptTree>> TestPlanning::Begin(const ForgePull& pull, bool of_base,
                                                            std::optional<Refusal> refusal, v1::Plan& plan) {
  KeptTree tree;
  if (!refusal) {
    ASSIGN_OR_RETURN(tree, KeepTree(pull, of_base, refusal));
  }
  if (refusal) {
    Refuse(*refusal, plan);
    return std::nullopt;
  }
  AddStep("pool", pool_, plan);
  AddStep("head", of_base ? tree.commit : pull.head_sha, plan);
  return tree;
}

absl::StatusOr<const std::vector<v1::Action>*> TestPlanning::Submitted() {
  if (!submitted_.has_value()) {
    ASSIGN_OR_RETURN(submitted_, view_.Written(kSubmitJobKind));
  }
  return &*submitted_;
}

absl::StatusOr<bool> TestPlanning::AddJob(v1::JobSpec spec, v1::Plan& plan) {
  ASSIGN_OR_RETURN(const std::vector<v1::Action>* const submitted, Submitted());
  v1::SubmitJob submit;
  submit.set_by(input_.event.actor());
  submit.set_cause(cause_);
  submit.set_job(ShardJobId(FirstJobOf(spec.suite()), spec.shard().index()));
  spec.set_subject(PullName(subject()));
  spec.clear_told();
  if (input_.asked.told.has_value()) *spec.mutable_told() = *input_.asked.told;
  spec.set_check_attempt(AttemptOf(*submitted, submit.job(), spec));
  *submit.mutable_spec() = spec;
  if (const absl::Status fits = env_.check(submit); !fits.ok()) {
    plan.clear_actions();
    Refuse({"not-runnable", std::string(fits.message())}, plan);
    return false;
  }
  AddStep("job", submit.job(), plan);
  AddStep("suite", TestNameOf(spec), plan);
  if (input_.asked.preview) return true;
  const v1::ReportCheck begun = BegunCheck(spec, submit.job(), submit.by());
  *plan.add_actions()->mutable_submit_job() = std::move(submit);
  // What is tried on the base is no check of the head.
  if (spec.trunk_of().empty()) *plan.add_actions()->mutable_report_check() = begun;
  return true;
}

absl::Status TestPlanning::Submit(const ForgePull& pull, v1::Plan& plan) {
  std::optional<Refusal> refusal;
  if (pull.state != ForgeState::kOpen) refusal = Refusal{"not-open", ""};
  if (!refusal) {
    ASSIGN_OR_RETURN(refusal, ChoosePool(pull));
  }
  if (!refusal) refusal = FindSuites();
  ASSIGN_OR_RETURN(const std::optional<KeptTree> tree, Begin(pull, /*of_base=*/false, std::move(refusal), plan));
  if (!tree.has_value()) return absl::OkStatus();
  const std::string cancelled = absl::StrCat("superseded by ", ShortCommit(pull.head_sha));
  const auto is_older = [&](const v1::SuiteJob& job) {
    return job.spec().trunk_of().empty() && job.spec().ref() != pull.head_sha;
  };
  RETURN_IF_ERROR(Cancel(cancelled, is_older, plan).status());
  for (const ChosenSuite& chosen : suites_) {
    v1::JobSpec spec = chosen.part;
    spec.set_suite(chosen.suite.name);
    spec.set_ref(pull.head_sha);
    spec.set_source_digest(tree->digest);
    spec.set_pool(pool_);
    absl::StatusOr<std::vector<v1::JobSpec>> shared =
        env_.share(spec, request_.shards(), FirstJobOf(chosen.suite.name));
    if (!shared.ok()) {
      plan.clear_actions();
      Refuse({"not-runnable", std::string(shared.status().message())}, plan);
      return absl::OkStatus();
    }
    for (v1::JobSpec& one : *shared) {
      ASSIGN_OR_RETURN(const bool added, AddJob(std::move(one), plan));
      if (!added) return absl::OkStatus();
    }
  }
  plan.set_input_digest(ShortDigestOf({TestPlanner::kName, pull.head_sha, cause_}));
  return absl::OkStatus();
}

bool TestPlanning::IsMeant(const v1::JobSpec& spec) const {
  const std::string& word = request_.suite();
  return word.empty() || spec.suite() == word || TestNameOf(spec) == word ||
         absl::EndsWith(spec.suite(), absl::StrCat("/", word));
}

std::string TestPlanning::FirstJobOf(const std::string& suite) const {
  return "j-" + ShortDigestOf({TestPlanner::kName, SubjectKey(subject()), cause_, suite});
}

absl::StatusOr<std::map<std::string, v1::SuiteJob>> TestPlanning::JobsOfHead(const ForgePull& pull) {
  ASSIGN_OR_RETURN(const std::vector<v1::Action>* const submitted, Submitted());
  std::map<std::string, v1::SuiteJob> jobs;
  NewestJobs newest;
  for (const v1::Action& action : *submitted) {
    const v1::SubmitJob& submit = action.submit_job();
    const v1::JobSpec& spec = submit.spec();
    if (spec.ref() != pull.head_sha || !spec.trunk_of().empty()) continue;
    const absl::StatusOr<v1::SuiteJob> job = env_.find(submit.job());
    if (absl::IsNotFound(job.status())) continue;
    RETURN_IF_ERROR(job.status());
    if (newest.Takes(spec) && IsMeant(spec)) jobs[TestNameOf(spec)] = *job;
  }
  return jobs;
}

absl::Status TestPlanning::Retest(const ForgePull& pull, v1::Plan& plan) {
  if (pull.state != ForgeState::kOpen) {
    Refuse({"not-open", ""}, plan);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto jobs, JobsOfHead(pull));
  // What waits or runs need not be asked for again; what has passed only where it is named.
  std::erase_if(jobs, [&](const auto& entry) {
    const std::string& verdict = entry.second.verdict();
    return verdict.empty() || (request_.suite().empty() && (verdict == "passed" || verdict == "flaky"));
  });
  std::optional<Refusal> refusal;
  if (jobs.empty()) refusal = Refusal{"nothing-to-retest", ShortCommit(pull.head_sha)};
  if (!refusal) {
    ASSIGN_OR_RETURN(refusal, ChoosePool(pull));
  }
  ASSIGN_OR_RETURN(const std::optional<KeptTree> tree, Begin(pull, /*of_base=*/false, std::move(refusal), plan));
  if (!tree.has_value()) return absl::OkStatus();
  for (const auto& [suite, job] : jobs) {
    v1::JobSpec spec = job.spec();
    spec.clear_repository();
    spec.set_source_digest(tree->digest);
    spec.set_pool(pool_);
    spec.set_rerun_of(job.job());
    ASSIGN_OR_RETURN(const bool added, AddJob(std::move(spec), plan));
    if (!added) return absl::OkStatus();
  }
  plan.set_input_digest(ShortDigestOf({TestPlanner::kName, "retest", pull.head_sha, cause_}));
  return absl::OkStatus();
}

absl::Status TestPlanning::TryOnBase(const ForgePull& pull, v1::Plan& plan) {
  ASSIGN_OR_RETURN(auto jobs, JobsOfHead(pull));
  std::erase_if(jobs, [](const auto& entry) {
    const std::string& verdict = entry.second.verdict();
    return verdict != "failed" && verdict != "timed_out" && verdict != "error" && verdict != "flaky";
  });
  std::optional<Refusal> refusal;
  if (jobs.empty()) refusal = Refusal{"nothing-failed", ShortCommit(pull.head_sha)};
  ASSIGN_OR_RETURN(const std::optional<KeptTree> tree, Begin(pull, /*of_base=*/true, std::move(refusal), plan));
  if (!tree.has_value()) return absl::OkStatus();
  for (const auto& [suite, job] : jobs) {
    v1::JobSpec spec = job.spec();
    spec.clear_repository();
    spec.clear_rerun_of();
    spec.set_ref(tree->commit);
    spec.set_source_digest(tree->digest);
    // What the base branch has, people with rights have put there.
    spec.set_pool(pool_);
    spec.set_trunk_of(job.job());
    // Without a result all of it is tried.
    env_.narrow_to_failed(job.job(), spec).IgnoreError();
    ASSIGN_OR_RETURN(const bool added, AddJob(std::move(spec), plan));
    if (!added) return absl::OkStatus();
  }
  plan.set_input_digest(ShortDigestOf({TestPlanner::kName, "trunk", tree->commit, cause_}));
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
      open ? absl::StrCat("superseded by ", ShortCommit(pull.head_sha)) : "the pull request is closed";
  const auto is_meant = [&](const v1::SuiteJob& job) {
    // What is tried on the base is of no head.
    return !open || (job.spec().trunk_of().empty() && job.spec().ref() != pull.head_sha);
  };
  return Cancel(why, is_meant, plan).status();
}

absl::Status TestPlanning::Run(v1::Plan& plan) {
  if (request_.kind() == v1::TestRequest::KIND_CANCEL) return CancelAsked(plan);
  ASSIGN_OR_RETURN(const ForgePull* const pull, view_.Pull());
  switch (request_.kind()) {
    case v1::TestRequest::KIND_SUPERSEDE:
      return Supersede(*pull, plan);
    case v1::TestRequest::KIND_RETEST:
      return Retest(*pull, plan);
    case v1::TestRequest::KIND_TRUNK:
      return TryOnBase(*pull, plan);
    default:
      return Submit(*pull, plan);
  }
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
