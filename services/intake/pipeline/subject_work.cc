#include "services/intake/pipeline/subject_work.h"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "services/core/reasons.h"
#include "services/core/status_macros.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/comment_sections.h"
#include "services/intake/effects/execute.h"
#include "services/intake/pipeline/chat_look.h"
#include "services/intake/pipeline/command_work.h"
#include "services/intake/plans/decide.h"
#include "services/intake/plans/decision_keeper.h"
#include "services/intake/plans/last_answer.h"

namespace yardmaster {
namespace {

// A subject that people change faster than we can write is tried again later.
constexpr int kMaxReplans = 5;
constexpr std::chrono::milliseconds kBusySubject{10'000};

ForgePriority PriorityOf(const WorkItem& item) {
  if (item.event.origin() == v1::Event::ORIGIN_SWEEP) return ForgePriority::kSweep;
  return item.routes.front().trigger == Trigger::kManual ? ForgePriority::kCommand : ForgePriority::kEvent;
}

// The work on one event. Lives on the stack.
class EventWork {
 public:
  EventWork(const IntakeEnvironment& env, EffectRunner& effects, const WorkItem& item)
      : env_(env), effects_(effects), item_(item), run_(env, item.event.subject(), item.delivery, PriorityOf(item)) {}

  Outcome Run();

 private:
  bool IsOwnAction();
  // What the planner wants for the event.
  Outcome PlanAndWrite();
  Outcome PlanAndWriteOnce();
  // What a schedule says: to channels in any mode, on the forge where it may be written.
  Outcome Announce();
  // The end of work that decided something or left the subject alone on purpose.
  Outcome Finish(const SubjectReading& reading, Outcome outcome, const std::set<std::string>& wanted);
  Outcome NoteSeen(const store::SeenSubject& seen) {
    const absl::Status noted = env_.subjects.Put(seen);
    return noted.ok() ? Outcome() : Outcome::OfStore(noted);
  }

  const IntakeEnvironment& env_;
  EffectRunner& effects_;
  const WorkItem& item_;
  SubjectRun run_;
};

Outcome EventWork::Run() {
  RETURN_UNLESS_DONE(run_.Open());
  if (IsOwnAction()) return Outcome::Ignored(reasons::kOwnAction);

  // 1. What an earlier run may have sent comes first: nothing is planned on top of it.
  RETURN_UNLESS_DONE(effects_.SettleOpen(run_.subject(), {run_.account(), run_.ReadCall(), env_.chat, env_.jobs}));

  // 2. The pack, as it is in service now, and what the repository's own file says.
  RETURN_UNLESS_DONE(run_.Choose(item_.routes, item_.mode, item_.pack_named));
  if (item_.event.has_announcement()) return Announce();
  const PackRoute& route = run_.route();
  if (route.planner == nullptr && !route.commands) {
    if (item_.seen.has_value()) RETURN_UNLESS_DONE(NoteSeen(*item_.seen));
    return Outcome::Ignored(route.why_not);
  }

  // 3. What people ask for comes before what we would do on our own.
  if (!route.commands) return PlanAndWrite();
  Outcome commands = CommandWork(run_, effects_, item_).Run();
  if (route.planner == nullptr || !commands.final()) return commands;
  const Outcome planned = PlanAndWrite();
  // The delivery is what the worse of them is, and done if one of them did something.
  return MoreUrgent(planned, commands);
}

bool EventWork::IsOwnAction() {
  // Perhaps known only now: reading the payload asks no forge.
  const v1::Event& event = item_.event;
  if (event.origin() != v1::Event::ORIGIN_WEBHOOK) return false;
  if (run_.account().IsOurs(event.actor())) return true;
  // Whatever name it stands under: a comment with an id that the forge gave us is ours.
  if (event.comment().empty()) return false;
  store::EffectFilter filter;
  filter.subject = run_.subject();
  filter.forge_ref = event.comment();
  const absl::StatusOr<store::Page<store::Effect>> effects = env_.ledger.List(filter, {0, 1});
  return effects.ok() && !effects->items.empty() && event.kind() == v1::Event::KIND_COMMENTED;
}

Outcome EventWork::Announce() {
  const v1::Announcement& said = item_.event.announcement();
  const ExecuteOptions options{.started = item_.started, .person = {}};
  Execution execution;
  v1::Plan plan;
  *plan.mutable_subject() = run_.subject();
  plan.set_mode(v1::MODE_APPLY);
  for (const v1::ChatMessage& message : said.messages()) {
    // How something goes on is told where the message can be changed; elsewhere people are told the end of it alone.
    const bool on_the_way = message.changes() && message.revision() > kAnswerForm;
    if (on_the_way && (env_.chat == nullptr || !env_.chat->CanChange(message.platform()))) continue;
    *plan.add_actions()->mutable_chat_message() = message;
  }
  RETURN_UNLESS_DONE(Execute(run_, effects_, plan, options, execution));
  const bool shows_checks = run_.forge().has_check_runs() || run_.forge().has_commit_statuses();
  std::string summary;
  int64_t summary_revision = 0;
  if (!said.section().empty()) {
    const absl::StatusOr<AnswerBefore> before = LastAnswer(run_, kSummaryCommentName);
    if (!before.ok()) return Outcome::OfStore(before.status());
    // Without a summary there is nothing that it could be a section of.
    if (!before->text.empty()) summary = WithSection(before->text, said.section(), said.section_text());
    if (summary == before->text) summary.clear();
    summary_revision = before->next_revision;
  }
  if (!said.comment_name().empty() || !summary.empty() || (said.checks_size() > 0 && shows_checks)) {
    plan.clear_actions();
    plan.set_mode(run_.mode());
    for (const v1::ReportCheck& check : said.checks()) *plan.add_actions()->mutable_report_check() = check;
    if (!said.comment_name().empty()) {
      v1::AnswerComment& comment = *plan.add_actions()->mutable_answer_comment();
      comment.set_name(said.comment_name());
      comment.set_body(said.comment());
      comment.set_revision(run_.delivery());
    }
    if (!summary.empty()) {
      v1::AnswerComment& comment = *plan.add_actions()->mutable_answer_comment();
      comment.set_name(std::string(kSummaryCommentName));
      comment.set_body(summary);
      comment.set_revision(summary_revision);
    }
    RETURN_UNLESS_DONE(Execute(run_, effects_, plan, options, execution));
    if (run_.mode() != v1::MODE_APPLY && said.messages().empty()) {
      return Outcome::Ignored(reasons::kNoTrigger, "nothing is written in dry-run");
    }
  }
  return execution.failures.empty() ? Outcome() : Outcome::Failed(reasons::kEffectFailed, execution.failures);
}

Outcome EventWork::PlanAndWrite() {
  // Read, plan, write; again if somebody changed the subject meanwhile.
  for (int i = 0; i < kMaxReplans; ++i) {
    if (Outcome outcome = PlanAndWriteOnce(); outcome.kind != Outcome::Kind::kChanged) return outcome;
  }
  return Outcome::Wait(kBusySubject, "the subject keeps changing");
}

Outcome EventWork::PlanAndWriteOnce() {
  SubjectReading reading;
  RETURN_UNLESS_DONE(run_.Read(reading));
  // A broken file forbids what is decided about issues; what is said about a pull request may be what fixes it.
  const bool issue = run_.subject().kind() == v1::SUBJECT_KIND_ISSUE;
  const v1::Mode mode = run_.choice().broken && issue ? v1::MODE_DRY_RUN : run_.mode();
  DecisionKeeper keeper(run_, mode);
  Execution acknowledgement;
  const auto acknowledge = [&](const v1::Plan& at_once) {
    return Execute(run_, effects_, at_once, {.started = item_.started, .person = {}}, acknowledgement);
  };
  v1::Plan plan;
  Outcome decided = Decide(run_,
                           {.event = item_.event,
                            .planner = *run_.route().planner,
                            .trigger = run_.route().trigger,
                            .mode = mode,
                            .reading = reading,
                            .keeper = &keeper,
                            .acknowledge = acknowledge},
                           plan);
  if (decided.kind == Outcome::Kind::kIgnored) return Finish(reading, decided, {});
  if (!decided.done()) return decided;
  Execution execution{.keys = std::move(acknowledgement.keys), .failures = {}};
  RETURN_UNLESS_DONE(
      Execute(run_, effects_, plan, {.made_for = &reading, .started = item_.started, .person = {}}, execution));
  return Finish(reading,
                execution.failures.empty() ? Outcome() : Outcome::Failed(reasons::kEffectFailed, execution.failures),
                execution.keys);
}

Outcome EventWork::Finish(const SubjectReading& reading, Outcome outcome, const std::set<std::string>& wanted) {
  // Intents that an earlier plan left behind and this one does not want.
  const absl::Status refused = effects_.RefuseUnsent(run_.subject(), wanted);
  if (!refused.ok()) return Outcome::OfStore(refused);
  // Issues only: pull requests would be found as issues that are alike.
  if (run_.subject().kind() != v1::SUBJECT_KIND_ISSUE) return outcome;
  // Last: after a crash before this line the same delivery must not look like an edit that changes nothing.
  store::SeenSubject seen;
  seen.subject = run_.subject();
  seen.title = reading.snapshot.title();
  seen.body = reading.snapshot.body();
  seen.labels = reading.facts.labels.value_or(std::vector<std::string>());
  seen.state = reading.open ? "open" : "closed";
  seen.author = reading.snapshot.author();
  seen.digest = reading.facts.Digest();
  RETURN_UNLESS_DONE(NoteSeen(seen));
  return outcome;
}

}  // namespace

Outcome SubjectWork::Run(const WorkItem& item) { return EventWork(env_, effects_, item).Run(); }

Outcome SubjectWork::FindKind(const WorkItem& item, v1::SubjectKind& kind) {
  v1::Subject subject = item.event.subject();
  const bool pull_first = item.event.chat().pull_first();
  for (const bool pull : {pull_first, !pull_first}) {
    subject.set_kind(pull ? v1::SUBJECT_KIND_PULL_REQUEST : v1::SUBJECT_KIND_ISSUE);
    SubjectRun run(env_, subject, item.delivery, ForgePriority::kCommand);
    RETURN_UNLESS_DONE(run.Open());
    const ChatSaying* bar = nullptr;
    RETURN_UNLESS_DONE(FindChatLookBar(run, item.event.chat(), bar));
    // Nobody finds out here what there is: the work on it says why.
    if (bar != nullptr) break;
    const absl::StatusOr<ForgeIssue> found = run.forge().GetIssue(run.ReadCall(), ForgeSubjectOf(subject));
    if (found.ok()) {
      kind = found->pull_request ? v1::SUBJECT_KIND_PULL_REQUEST : v1::SUBJECT_KIND_ISSUE;
      return {};
    }
    Outcome failed = run.ReadFailed(found.status());
    if (failed.kind != Outcome::Kind::kIgnored) return failed;
  }
  // There is none: whoever reads it finds out, and says so.
  kind = v1::SUBJECT_KIND_ISSUE;
  return {};
}

Outcome SubjectWork::SettleOpen(const v1::Subject& subject) {
  SubjectRun run(env_, subject, /*delivery=*/0, ForgePriority::kEvent);
  if (!env_.forges.contains(subject.forge())) {
    const absl::Status given_up = effects_.GiveUpAll(subject, "the forge is no longer configured");
    return given_up.ok() ? Outcome() : Outcome::OfStore(given_up);
  }
  Outcome opened = run.Open();
  if (!opened.done()) {
    // A forge that is away for days ends what is open, as one does that can't be read.
    const absl::Status given_up = effects_.GiveUpOld(subject, opened.reason);
    return given_up.ok() ? std::move(opened) : Outcome::OfStore(given_up);
  }
  RETURN_UNLESS_DONE(effects_.SettleOpen(subject, {run.account(), run.ReadCall(), env_.chat, env_.jobs}));
  const absl::Status refused = effects_.RefuseOrphans(subject, env_.inbox);
  return refused.ok() ? Outcome() : Outcome::OfStore(refused);
}

absl::Status SubjectWork::Abandon(const v1::Subject& subject, int64_t delivery, std::string_view reason) {
  return effects_.Abandon(subject, delivery, reason);
}

}  // namespace yardmaster
