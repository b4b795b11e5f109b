#include "services/pipeline/gate_planner.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/pipeline/diagnose.h"
#include "rules/engine/pipeline/trunk.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/errors.h"
#include "services/core/lines.h"
#include "services/core/reasons.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/pipeline/profile_choice.h"

namespace yardmaster {
namespace {

using rules::PipelineAction;
using rules::PipelinePhase;
using rules::PipelineProfile;
using rules::PipelineReport;
using rules::PipelineSignals;

// Of a report in an answer.
constexpr size_t kMaxFailuresTold = 5;
constexpr size_t kHeadCharacters = 12;
constexpr size_t kMaxEvidenceBytes = 300;
constexpr size_t kMaxCalledBytes = 600;

class GateResult final : public LongResult {
 public:
  explicit GateResult(PipelineSignals signals) : signals_(std::move(signals)) {}
  const PipelineSignals& signals() const { return signals_; }

 private:
  const PipelineSignals signals_;
};

const std::string& TriggerOf(const PipelineProfile& profile, std::string_view gate) {
  static const std::string kNone;
  if (gate == kRetestGate) return profile.build_gate.trigger;
  return profile.description_gate.has_value() ? profile.description_gate->trigger : kNone;
}

// Takes the comment that asks out of the signals. True if it is itself what the gate's bot reads: then nothing is
// posted again.
bool TakeAskingComment(const std::string& comment, const std::string& trigger, PipelineSignals& signals) {
  if (comment.empty()) return false;
  const auto asks = std::find_if(signals.comments.begin(), signals.comments.end(),
                                 [&](const rules::PipelineComment& one) { return one.id == comment; });
  if (asks == signals.comments.end()) return false;
  const bool starts = TrimBlanks(asks->body) == trigger;
  signals.comments.erase(asks);
  return starts;
}

int64_t StartsOf(const PipelineSignals& signals, const std::string& trigger) {
  return std::count_if(signals.comments.begin(), signals.comments.end(),
                       [&](const rules::PipelineComment& comment) { return TrimBlanks(comment.body) == trigger; });
}

void AddStep(std::string_view id, bool taken, std::string why, v1::Plan& plan) {
  v1::StepOutcome& step = *plan.mutable_explanation()->add_steps();
  step.set_id(std::string(id));
  step.set_taken(taken);
  step.set_why(std::move(why));
}

std::string FailureLine(const rules::ReportedFailure& one) {
  const rules::LogFailure& failure = one.failure;
  std::string text = failure.stage;
  if (!failure.file.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : " ", failure.file);
    if (failure.line > 0) absl::StrAppend(&text, ":", failure.line);
  }
  if (!failure.test.empty()) absl::StrAppend(&text, text.empty() ? "" : " ", failure.test);
  if (!failure.rule.empty()) absl::StrAppend(&text, " ", failure.rule);
  if (!failure.message.empty()) absl::StrAppend(&text, text.empty() ? "" : ": ", failure.message);
  if (!one.fix.empty()) absl::StrAppend(&text, " → ", one.fix);
  return text;
}

void AddReport(const PipelineReport& report, bool chinese, v1::Plan& plan) {
  AddStep("phase", true, std::string(rules::PipelinePhaseName(report.phase)), plan);
  AddStep("next", true, std::string(rules::PipelineActionName(report.action)), plan);
  AddStep("why", true, report.why, plan);
  if (chinese) AddStep(kToldStep, true, report.why_zh, plan);
  for (size_t i = 0; i < std::min(report.failures.size(), kMaxFailuresTold); ++i) {
    AddStep("failure", true, FailureLine(report.failures[i]), plan);
  }
  if (!report.note.empty()) AddStep("note", true, report.note, plan);
  if (chinese && !report.note.empty()) AddStep(kToldNoteStep, true, report.note_zh, plan);
}

// A build for a comment: as a link where it is on the profile's own server.
std::string BuildText(const PipelineProfile& profile, const rules::FailedBuild& build) {
  const std::string number = absl::StrCat("#", build.number);
  const bool known = profile.jenkins.has_value() && absl::StartsWith(build.url, profile.jenkins->url + "/") &&
                     build.url.find_first_of(" ()<>[]") == std::string::npos;
  return known ? absl::StrCat("[", number, "](", build.url, ")") : EchoCode(number);
}

// What a maintainer needs to judge a failed test without the log.
std::string EvidenceText(const PipelineProfile& profile, const rules::ReportedFailure& one) {
  const rules::FailureTriage::Questions& questions = one.triage.questions;
  std::string builds;
  for (const rules::FailedBuild& build : one.builds) {
    absl::StrAppend(&builds, builds.empty() ? "" : ", ", BuildText(profile, build));
  }
  std::string text = absl::StrCat("- ", EchoCode(rules::TestName(one.failure)));
  if (!one.failure.stage.empty()) absl::StrAppend(&text, " in ", EchoCode(one.failure.stage));
  if (!one.failure.message.empty()) absl::StrAppend(&text, ": ", EchoText(one.failure.message, kMaxEvidenceBytes));
  absl::StrAppend(&text, "\n  - failed in: ", builds.empty() ? "an unknown build" : builds,
                  "\n  - changes what every test stands on: ", EchoText(questions.build_inputs, kMaxEvidenceBytes),
                  "\n  - the test reaches what is changed: ", EchoText(questions.reach, kMaxEvidenceBytes),
                  "\n  - passes on the base branch: ", EchoText(questions.passes_on_base, kMaxEvidenceBytes), "\n");
  return text;
}

// What is asked of whoever is called.
std::string_view RequestOf(const PipelineReport& report) {
  if (report.terminal == "upstream-sticky-flake") {
    return "Please mend or skip these tests on the base branch, or say that this one has to wait or is to blame.";
  }
  if (report.terminal == "flake-ceiling") return "Please look at what fails there by turns, or start it once more.";
  if (report.terminal == "infrastructure") return "Please look at the machine or its setup.";
  return {};
}

// What the comment is known by: the same tests are one matter, whatever is pushed; else it is one for each head.
std::string PersonCallName(const PipelineSignals& signals, const PipelineReport& report) {
  std::set<std::string> tests;
  for (const rules::ReportedFailure& one : report.failures) {
    if (!one.failure.test.empty()) tests.insert(rules::TestName(one.failure));
  }
  if (report.terminal != "upstream-sticky-flake" || tests.empty()) {
    return absl::StrCat("gate-person-", signals.head.substr(0, kHeadCharacters));
  }
  return absl::StrCat("gate-person-", ShortDigest(absl::StrJoin(tests, "\n")));
}

// Calls a person, once for each matter: the comment is known by its name.
void CallPerson(const PipelineProfile& profile, const PipelineSignals& signals, const PipelineReport& report,
                v1::Plan& plan) {
  std::string people;
  for (const std::string& login : profile.call) absl::StrAppend(&people, "@", login, " ");
  if (people.empty() && !signals.author.empty()) people = absl::StrCat("@", signals.author, " ");
  std::string body = absl::StrCat(people, "this gate needs a person: ", EchoText(report.why, kMaxCalledBytes));
  size_t told = 0;
  for (const rules::ReportedFailure& one : report.failures) {
    if (one.failure.test.empty() || told == kMaxFailuresTold) continue;
    absl::StrAppend(&body, told++ == 0 ? "\n\n" : "", EvidenceText(profile, one));
  }
  if (const std::string_view request = RequestOf(report); !request.empty()) {
    absl::StrAppend(&body, told == 0 ? "\n\n" : "\n", Abs(request));
  }
  v1::AnswerComment& comment = *plan.add_actions()->mutable_answer_comment();
  comment.set_name(PersonCallName(signals, report));
  comment.set_body(std::move(body));
}

}  // namespace

bool MayStartGate(const PipelineReport& report, std::string_view gate, std::string& why) {
  why = report.why;
  if (report.call_person) return false;
  if (gate == kCheckPrGate) {
    // A build that was asked for too early keeps nobody from putting that right.
    const bool too_early = report.phase == PipelinePhase::kP2Queued && !report.description_passed;
    return report.action == PipelineAction::kCheckPr || report.phase == PipelinePhase::kP1Failed || too_early;
  }
  return report.action == PipelineAction::kRetest || report.phase == PipelinePhase::kP2Failed;
}

bool GatePlanner::Handles(v1::SubjectKind kind, const rules::PackModel&) const {
  return kind == v1::SUBJECT_KIND_PULL_REQUEST;
}

TriggerResult GatePlanner::TriggerFor(const RoutedEvent& event, const rules::PackModel&,
                                      const std::vector<std::string>*) const {
  const bool asked = event.event.kind() == v1::Event::KIND_REQUESTED && !event.event.gate().empty();
  return asked ? TriggerResult{Trigger::kManual, {}} : TriggerResult{Trigger::kNone, reasons::kNoTrigger};
}

std::string GatePlanner::Digest(const PlanInput& input) const {
  return ShortDigestOf({"pipeline", input.event.id(), input.event.gate()});
}

absl::Status GatePlanner::Plan(const PlanInput& input, v1::Plan& plan) const {
  const v1::Subject& subject = input.snapshot.subject();
  const std::string& pack = input.pack->model().name;
  const std::shared_ptr<const PipelineProfile> profile = ProfileFor(env_.config, *env_.packs(), subject, pack);
  if (profile == nullptr || env_.source == nullptr) {
    AddStep("none", false, std::string(errors::PackWithoutPipeline(pack).message()), plan);
    return absl::OkStatus();
  }
  // Both parts outlive this call: they hold what they use.
  const auto read = std::make_shared<PipelineSignals>();
  LongWork work;
  work.key = ShortDigestOf({"pipeline", input.event.id()});
  work.read = [source = env_.source, profile, subject, read]() -> absl::Status {
    ASSIGN_OR_RETURN(*read, source->Read(subject, *profile));
    return absl::OkStatus();
  };
  work.compute = [read]() -> absl::StatusOr<LongResultPtr> {
    return std::make_shared<const GateResult>(std::move(*read));
  };
  ASSIGN_OR_RETURN(const LongResultPtr result, input.view.Await(work));
  PipelineSignals signals = static_cast<const GateResult&>(*result).signals();

  const std::string& gate = input.asked.gate.empty() ? input.event.gate() : input.asked.gate;
  const std::string& trigger = TriggerOf(*profile, gate);
  const bool is_trigger = !gate.empty() && TakeAskingComment(input.event.comment(), trigger, signals);
  const PipelineReport report = rules::Diagnose(*profile, signals, input.now);
  AddReport(report, input.asked.chinese, plan);
  plan.set_input_digest(ShortDigestOf({"pipeline", signals.head, rules::PipelinePhaseName(report.phase), gate}));
  if (gate.empty()) return absl::OkStatus();
  if (trigger.empty()) {
    AddStep("start", false, "no comment starts this gate here", plan);
    return absl::OkStatus();
  }
  std::string why;
  if (!MayStartGate(report, gate, why)) {
    AddStep("start", false, std::move(why), plan);
    if (report.call_person) CallPerson(*profile, signals, report, plan);
    return absl::OkStatus();
  }
  if (is_trigger) {
    AddStep("start", true, "the gate's bot reads that comment itself", plan);
    return absl::OkStatus();
  }
  v1::StartGate& start = *plan.add_actions()->mutable_start_gate();
  start.set_comment(trigger);
  start.set_gate(gate);
  start.set_head(signals.head);
  start.set_start(StartsOf(signals, trigger));
  if (input.asked.told.has_value()) *start.mutable_told() = *input.asked.told;
  AddStep("start", true, absl::StrCat("posted ", trigger), plan);
  return absl::OkStatus();
}

}  // namespace yardmaster
