#include "services/review/pull_planner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "services/core/absl_view.h"
#include "services/core/reasons.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/event.h"
#include "services/intake/job_dispatcher.h"
#include "services/packs/registry/shadow_packs.h"
#include "services/review/check_history.h"
#include "services/review/forge_change.h"
#include "services/review/publish.h"

namespace yardmaster {
namespace {

constexpr std::string_view kReportCheck = "report_check";
constexpr std::string_view kIgnoreRule = "ignore_rule";
constexpr std::string_view kFromGit = "git";
constexpr std::string_view kFromForge = "forge";
// Of a summary in chat: besides the one on the forge, and where it is the only one.
constexpr size_t kMaxToldBesides = 6'000;
constexpr size_t kMaxToldAlone = 12'000;

bool IsClosing(const PlanInput& input) { return input.event.kind() == v1::Event::KIND_CLOSED; }

// Without events nobody would say when a check is out of date: then a review is one comment.
PublishSettings SettingsOf(const ReviewConfig& config, const ReviewNarrowing& narrowing) {
  const ReviewConfig narrowed = Narrowed(config, narrowing);
  return {.check = narrowed.publish.check && config.events,
          .comment = narrowed.publish.comment || !config.events,
          .inline_comments = narrowed.publish.inline_comments && config.events,
          .gate_blocks = narrowed.gate_blocks,
          .max_inline = narrowed.max_inline};
}

// Of "https://github.com/octo/repo/pull/7".
std::string WebUrlOf(std::string_view pull_url) {
  for (int i = 0; i < 2; ++i) pull_url = pull_url.substr(0, std::min(pull_url.rfind('/'), pull_url.size()));
  return std::string(pull_url);
}

// What is said of a review where it was asked for: in chat its summary, below the address of the pull request, on the
// forge its counts in the other language; empty: the counts that the plan has anyway.
std::string ToldOf(const v1::Review& review, std::string_view url, ReviewCommentOptions comment,
                   const AskOptions& asked) {
  if (!asked.told.has_value()) return asked.chinese ? FilesAndCountsText(review, asked.chinese) : std::string();
  comment.chinese = asked.chinese;
  comment.max_bytes = asked.preview ? kMaxToldAlone : kMaxToldBesides;
  const bool is_address = (url.starts_with("https://") || url.starts_with("http://")) &&
                          url.find_first_of(" ()<>[]|`\n") == std::string_view::npos;
  const std::string link = is_address ? absl::StrCat("[#", review.subject().number(), "](", Abs(url), ")\n\n") : "";
  // First: a platform may show no more than the beginning.
  return link + ReviewComment(review, comment);
}

PullMeta MetaOf(const v1::IssueSnapshot& snapshot) {
  return {.title = snapshot.title(),
          .body = snapshot.body(),
          .labels = std::vector<std::string>(snapshot.labels().begin(), snapshot.labels().end()),
          .author = snapshot.author(),
          .commits = std::nullopt};
}

absl::StatusOr<CheckHistory> ChecksOf(SubjectView& view) {
  ASSIGN_OR_RETURN(const std::vector<v1::Action> written, view.Written(kReportCheck));
  return CheckHistory(written);
}

void EndChecks(const CheckHistory& checks, std::string_view but, v1::ReportCheck::Conclusion conclusion,
               std::string_view why, v1::Plan& plan) {
  for (const auto& [head, attempt] : checks.Unfinished()) {
    if (head != but) *plan.add_actions() = EndReviewCheck(head, attempt, conclusion, why);
  }
}

v1::Action EndIgnoredRule(const v1::IgnoredRule& rule, const std::string& head) {
  v1::Action action;
  *action.mutable_ignore_rule()->mutable_rule() = rule;
  action.mutable_ignore_rule()->set_ended(true);
  action.mutable_ignore_rule()->set_cause(head);
  return action;
}

// Whether what a person asks to be ignored has a finding, or what they want back is ignored.
absl::StatusOr<bool> ChangesReview(const PlanInput& input, const v1::Review& review) {
  const v1::IgnoreRule& asked = *input.asked.ignore;
  const auto is_it = [&](const v1::IgnoredRule& one) { return IsSameIgnored(one, asked.rule()); };
  if (!asked.ended()) {
    return absl::c_any_of(review.ignored(),
                          [&](const v1::IgnoredRule& one) { return is_it(one) && one.findings() > 0; });
  }
  ASSIGN_OR_RETURN(const std::vector<v1::Action> written, input.view.Written(kIgnoreRule));
  return absl::c_any_of(IgnoredRulesOf(written, std::nullopt), is_it);
}

class ReviewResult final : public LongResult {
 public:
  explicit ReviewResult(MadeReview made) : made_(std::make_shared<const MadeReview>(std::move(made))) {}
  const std::shared_ptr<const MadeReview>& made() const { return made_; }

 private:
  std::shared_ptr<const MadeReview> made_;
};

}  // namespace

bool PullReviewPlanner::Handles(v1::SubjectKind kind, const rules::PackModel&) const {
  return kind == v1::SUBJECT_KIND_PULL_REQUEST;
}

ReviewConfig PullReviewPlanner::ConfigOf(const v1::Subject& subject) const {
  const RepositoryConfig* repository = env_.config.FindRepository(subject.forge(), subject.repository());
  return repository == nullptr ? ReviewConfig() : repository->review;
}

TriggerResult PullReviewPlanner::TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                                            const std::vector<std::string>*) const {
  if (event.event.kind() == v1::Event::KIND_REQUESTED && event.event.origin() != v1::Event::ORIGIN_SWEEP) {
    return {Trigger::kManual, {}};
  }
  const ReviewConfig config = ConfigOf(event.event.subject());
  if (!config.events) return {Trigger::kNone, reasons::kNoTrigger};
  switch (event.event.kind()) {
    case v1::Event::KIND_OPENED:
    case v1::Event::KIND_READY:
    case v1::Event::KIND_CLOSED:
      return {Trigger::kPlan, {}};
    case v1::Event::KIND_RERUN:
      // A check of tests is another planner's.
      if (absl::StartsWith(event.event.check(), Abs(kTestCheckPrefix))) return {Trigger::kNone, reasons::kNoTrigger};
      return {Trigger::kManual, {}};
    case v1::Event::KIND_REOPENED:
      return {Trigger::kManual, {}};
    case v1::Event::KIND_PUSHED:
      return {Trigger::kPlan, {}, config.debounce};
    case v1::Event::KIND_EDITED: {
      const std::shared_ptr<const rules::CheckSet> checks = env_.packs()->FindChecks(pack.name);
      if (checks != nullptr && LooksAtPull(*checks)) return {Trigger::kPlan, {}};
      return {Trigger::kNone, reasons::kNoTrigger};
    }
    default:
      return {Trigger::kNone, reasons::kNoTrigger};
  }
}

std::string_view PullReviewPlanner::SkipReason(const PlanInput& input) const {
  if (IsClosing(input)) {
    const absl::StatusOr<CheckHistory> checks = ChecksOf(input.view);
    return checks.ok() && checks->Unfinished().empty() ? reasons::kClosed : std::string_view();
  }
  if (input.trigger == Trigger::kManual) return {};
  if (!input.open) return reasons::kClosed;
  // An error comes again when the plan is made.
  const absl::StatusOr<const ForgePull*> pull = input.view.Pull();
  const bool draft = pull.ok() && (*pull)->draft && !ConfigOf(input.snapshot.subject()).drafts;
  return draft ? reasons::kDraft : std::string_view();
}

std::string PullReviewPlanner::Digest(const PlanInput& input) const {
  const absl::StatusOr<const ForgePull*> pull = input.view.Pull();
  // Nobody knows: like nothing that was seen before.
  if (IsClosing(input) || !pull.ok()) return ShortDigestOf({"review of", input.event.id()});
  const absl::StatusOr<ReviewScope> scope = Scope(input, (*pull)->head_sha);
  if (!scope.ok()) return ShortDigestOf({"review of", input.event.id()});
  std::string meta;
  if (absl::c_any_of(scope->packs, [](const auto& pack) { return LooksAtPull(*pack); })) {
    meta = ShortDigestOf({input.snapshot.title(), input.snapshot.body()});
  }
  return ShortDigestOf({"review", (*pull)->head_sha, (*pull)->base_ref, scope->revision, meta});
}

std::vector<std::string> PullReviewPlanner::PackNamesOf(const PlanInput& input) const {
  // The pack that was asked for, else those that the repository uses.
  std::vector<std::string> names = {input.asked.pack};
  if (input.asked.pack.empty()) names = input.choice.packs;
  const v1::Subject& subject = input.snapshot.subject();
  const RepositoryConfig* repository = env_.config.FindRepository(subject.forge(), subject.repository());
  if (names.empty() && repository != nullptr) names = repository->packs;
  return names;
}

absl::StatusOr<ReviewScope> PullReviewPlanner::Scope(const PlanInput& input, std::string_view head) const {
  return ScopeUnder(*env_.packs(), input, head);
}

absl::StatusOr<std::optional<ShadowScope>> PullReviewPlanner::ScopeInShadow(const PlanInput& input,
                                                                            std::string_view head) const {
  const v1::Subject& subject = input.snapshot.subject();
  const RepositoryConfig* repository = env_.config.FindRepository(subject.forge(), subject.repository());
  const bool own_wish = !input.asked.pack.empty() || input.asked.ignore.has_value();
  if (env_.shadows == nullptr || own_wish || repository == nullptr || !repository->shadow.has_value() ||
      !absl::c_linear_search(PackNamesOf(input), repository->shadow->pack)) {
    return std::nullopt;
  }
  const std::string& pack = repository->shadow->pack;
  const std::shared_ptr<const PackSet> packs = env_.packs();
  const std::shared_ptr<const PackSet> beside =
      ShadowFor(env_.config, *packs, subject.forge(), subject.repository(), pack);
  if (beside == nullptr) return std::nullopt;
  ShadowScope shadow;
  ASSIGN_OR_RETURN(shadow.scope, ScopeUnder(*beside, input, head));
  shadow.pack = pack;
  shadow.base_revision = packs->Find(pack)->model().revision;
  shadow.shadow_revision = beside->Find(pack)->model().revision;
  shadow.now = input.now;
  return shadow;
}

absl::StatusOr<ReviewScope> PullReviewPlanner::ScopeUnder(const PackSet& packs, const PlanInput& input,
                                                          std::string_view head) const {
  const v1::Subject& subject = input.snapshot.subject();
  ReviewScope scope = ScopeOf(packs, PackNamesOf(input), input.choice.review, {},
                              absl::FormatTime("%Y-%m-%d", absl::FromChrono(input.now), absl::UTCTimeZone()));
  scope.options.meta = MetaOf(input.snapshot);
  if (env_.reviews != nullptr) {
    ASSIGN_OR_RETURN(const std::vector<store::ImportedFindings> stored, env_.reviews->Imports(subject, head));
    ASSIGN_OR_RETURN(std::vector<ImportedText> imports, ReadImports(stored));
    AddImports(std::move(imports), scope);
  }
  ASSIGN_OR_RETURN(const std::vector<v1::Action> written, input.view.Written(kIgnoreRule));
  AddIgnored(IgnoredRulesOf(written, input.asked.ignore), scope);
  return scope;
}

absl::StatusOr<std::shared_ptr<const v1::Review>> PullReviewPlanner::Earlier(const v1::Subject& subject) const {
  if (env_.reviews == nullptr) return std::shared_ptr<const v1::Review>();
  ASSIGN_OR_RETURN(const std::optional<store::Review> stored, env_.reviews->Latest(subject, ""));
  if (!stored.has_value()) return std::shared_ptr<const v1::Review>();
  ASSIGN_OR_RETURN(v1::Review review, FromStored(*stored));
  return std::make_shared<const v1::Review>(std::move(review));
}

absl::Status PullReviewPlanner::Keep(const v1::Review& review) const {
  return env_.reviews == nullptr ? absl::OkStatus() : env_.reviews->Put(ToStored(review));
}

absl::Status PullReviewPlanner::Acknowledge(const PlanInput& input, v1::Plan& plan) const {
  const ReviewConfig config = ConfigOf(input.snapshot.subject());
  if (IsClosing(input) || !SettingsOf(config, input.choice.publishing).check) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ForgePull* pull, input.view.Pull());
  ASSIGN_OR_RETURN(const CheckHistory checks, ChecksOf(input.view));
  EndChecks(checks, pull->head_sha, v1::ReportCheck::CONCLUSION_CANCELLED, "Another head took its place", plan);
  *plan.add_actions() = BeginReviewCheck(pull->head_sha, checks.NextAttempt(pull->head_sha));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const MadeReview>> PullReviewPlanner::Review(
    const PlanInput& input, const ForgePull& pull, const ReviewScope& scope,
    const std::shared_ptr<const v1::Review>& earlier) const {
  const v1::Subject& subject = input.snapshot.subject();
  absl::StatusOr<std::optional<ShadowScope>> shadow = ScopeInShadow(input, pull.head_sha);
  if (!shadow.ok()) LeaveShadowOut(subject, std::string(shadow.status().message()));
  const bool has_shadow = shadow.ok() && shadow->has_value();
  ReviewedChange about{subject, pull.base_sha, pull.head_sha, "", scope.revision, std::string(kFromGit)};
  if (env_.source != nullptr) {
    // Both parts outlive this call: they hold what they use.
    const auto sourced = std::make_shared<SourcedChange>();
    LongWork work;
    work.key = ShortDigestOf({pull.head_sha, pull.base_sha, scope.revision, input.event.id()});
    work.read = [source = env_.source, sourced,
                 address = ChangeAddress{subject.forge(), subject.repository(), pull.base_sha, pull.head_sha,
                                         subject.number()}] {
      absl::StatusOr<SourcedChange> read = source->Read(address);
      if (!read.ok()) return read.status();
      *sourced = *std::move(read);
      return absl::OkStatus();
    };
    // What was read and made, for the shadow.
    const auto reviewed = std::make_shared<std::pair<ReviewedChange, std::shared_ptr<const MadeReview>>>();
    work.compute = [this, sourced, reviewed, scope = scope, about, earlier]() mutable -> absl::StatusOr<LongResultPtr> {
      about.merge_base = sourced->merge_base;
      scope.options.meta->commits = sourced->commits;
      ASSIGN_OR_RETURN(MadeReview made, ReviewOf(*sourced->change, scope, about, earlier.get(), env_.file));
      RETURN_IF_ERROR(Keep(made.review));
      const auto result = std::make_shared<const ReviewResult>(std::move(made));
      *reviewed = {about, result->made()};
      return result;
    };
    if (has_shadow) {
      work.afterwards = [this, sourced, reviewed, beside = **shadow]() mutable {
        beside.scope.options.meta->commits = sourced->commits;
        AskShadow(*sourced->change, beside, reviewed->first, reviewed->second->review);
      };
    }
    absl::StatusOr<LongResultPtr> done = input.view.Await(work);
    if (done.ok()) return static_cast<const ReviewResult&>(**done).made();
    if (IsStillWorking(done.status())) return done.status();
  }
  about.source = std::string(kFromForge);
  ASSIGN_OR_RETURN(std::shared_ptr<const MadeReview> made, ReviewByForge(input, scope, about, earlier.get()));
  // The forge's calls are for the review that acts.
  if (has_shadow) {
    const absl::Status kept = KeepFailedShadow(**shadow, about, made->review,
                                               "the change could not be read from its git server", *env_.shadows);
    if (!kept.ok()) LeaveShadowOut(subject, std::string(kept.message()));
  }
  return made;
}

void PullReviewPlanner::AskShadow(Change& change, const ShadowScope& shadow, const ReviewedChange& about,
                                  const v1::Review& made) const {
  const absl::Status kept = ReviewInShadow(change, shadow, about, made, env_.file, *env_.shadows);
  if (!kept.ok()) LeaveShadowOut(about.subject, std::string(kept.message()));
}

void PullReviewPlanner::LeaveShadowOut(const v1::Subject& subject, std::string_view why) const {
  if (env_.logger == nullptr) return;
  env_.logger->Warning("what the pack in the shadow finds is not kept",
                       {{"subject", SubjectKey(subject)}, {"why", why}});
}

absl::StatusOr<std::shared_ptr<const MadeReview>> PullReviewPlanner::ReviewByForge(const PlanInput& input,
                                                                                   const ReviewScope& scope,
                                                                                   const ReviewedChange& about,
                                                                                   const v1::Review* earlier) const {
  ASSIGN_OR_RETURN(const std::unique_ptr<ForgeChange> change, ForgeChange::Of(input.view));
  ASSIGN_OR_RETURN(MadeReview made, ReviewOf(*change, scope, about, earlier, env_.file));
  for (const auto& [path, reason] : change->unseen()) {
    v1::SkippedReviewCheck& skipped = *made.review.add_skipped();
    skipped.set_rule_id("*");
    skipped.set_path(path);
    skipped.set_reason(reason.en);
    skipped.set_reason_zh(reason.zh);
    made.review.set_complete(false);
  }
  RETURN_IF_ERROR(Keep(made.review));
  return std::make_shared<const MadeReview>(std::move(made));
}

absl::Status PullReviewPlanner::Plan(const PlanInput& input, v1::Plan& plan) const {
  ASSIGN_OR_RETURN(const CheckHistory checks, ChecksOf(input.view));
  v1::StepOutcome& step = *plan.mutable_explanation()->add_steps();
  step.set_id("review");
  step.set_taken(true);
  if (IsClosing(input)) {
    step.set_why("the pull request is closed: checks that were begun end");
    EndChecks(checks, "", v1::ReportCheck::CONCLUSION_SKIPPED, "The pull request was closed", plan);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const ForgePull* pull, input.view.Pull());
  const v1::Subject& subject = input.snapshot.subject();
  ASSIGN_OR_RETURN(const std::shared_ptr<const v1::Review> earlier, Earlier(subject));
  ASSIGN_OR_RETURN(const ReviewScope scope, Scope(input, pull->head_sha));
  ASSIGN_OR_RETURN(const std::shared_ptr<const MadeReview> made, Review(input, *pull, scope, earlier));
  if (input.asked.ignore.has_value()) {
    ASSIGN_OR_RETURN(const bool changes, ChangesReview(input, made->review));
    if (!changes) {
      step.set_taken(false);
      step.set_why("what is asked to be ignored, or no longer, makes no difference");
      return absl::OkStatus();
    }
  }

  PublishFacts facts;
  facts.comment.repository_url = WebUrlOf(pull->url);
  if (earlier != nullptr && earlier->head() != pull->head_sha) facts.comment.previous = earlier.get();
  if (input.asked.detailed) facts.comment.explain = scope.packs;
  facts.attempt = checks.NextAttempt(pull->head_sha);
  facts.diff_lines = made->diff_lines;
  plan.set_input_digest(ShortDigestOf({pull->head_sha, made->review.revision()}));
  for (v1::Action& action :
       PlanPublication(made->review, SettingsOf(ConfigOf(subject), input.choice.publishing), facts)) {
    *plan.add_actions() = std::move(action);
  }
  for (const v1::IgnoredRule& gone : made->gone) *plan.add_actions() = EndIgnoredRule(gone, pull->head_sha);
  step.set_why(FilesAndCountsText(made->review, /*chinese=*/false));
  if (std::string told = ToldOf(made->review, pull->url, facts.comment, input.asked); !told.empty()) {
    v1::StepOutcome& said = *plan.mutable_explanation()->add_steps();
    said.set_id(std::string(kToldStep));
    said.set_taken(true);
    said.set_why(std::move(told));
  }
  v1::StepOutcome& source = *plan.mutable_explanation()->add_steps();
  source.set_id("source");
  source.set_taken(true);
  source.set_why(made->review.source() == kFromGit ? "read from the repository's git server"
                                                   : "read by the forge's calls: its git server could not be used");
  return absl::OkStatus();
}

}  // namespace yardmaster
