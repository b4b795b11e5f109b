// "report_check": the one check of a head commit. Where the forge and our credentials have check runs, it is one for
// each head, name and attempt, known by its external id: made in progress at once, then given its annotations batch by
// batch, and concluded with the last of them. Updates append annotations, so that their number is read from the forge
// whenever an answer was lost. Elsewhere it is a commit status; forges that have neither refuse it, and nothing depends
// on it there.
//
// A check begins, ends, and may be called off: these are three entries of the ledger, and what an attempt says first at
// each of them stays. In between it may tell how far it is, each time as an entry of its own.
#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clients/forge/forge_error.h"
#include "services/core/absl_view.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/core/utf8.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/effects/parts.h"

namespace yardmaster {
namespace {

constexpr std::string_view kReportCheck = "report_check";
constexpr size_t kMaxCheckNameBytes = 100;
constexpr size_t kMaxCheckTitleBytes = 250;
constexpr size_t kMaxCheckSummaryBytes = 65'000;
// 140 characters, the last of which may be "…".
constexpr size_t kMaxStatusBytes = 136;
// A write, and a read before or after it.
constexpr int64_t kCallsOfACheck = 2;

// Behind the words of a progress: what the forge refused is not sent again.
constexpr std::string_view kRefusedWord = " refused";

enum class Phase : uint8_t { kBegin, kEnd, kCallOff, kProgress };

Phase PhaseOf(const v1::ReportCheck& check) {
  switch (check.conclusion()) {
    case v1::ReportCheck::CONCLUSION_UNSPECIFIED:
      return check.progress() > 0 ? Phase::kProgress : Phase::kBegin;
    case v1::ReportCheck::CONCLUSION_CANCELLED:
    case v1::ReportCheck::CONCLUSION_SKIPPED:
      return Phase::kCallOff;
    default:
      return Phase::kEnd;
  }
}

ForgeCheckState StateOf(v1::ReportCheck::Conclusion conclusion) {
  switch (conclusion) {
    case v1::ReportCheck::CONCLUSION_SUCCESS:
      return ForgeCheckState::kSuccess;
    case v1::ReportCheck::CONCLUSION_FAILURE:
      return ForgeCheckState::kFailure;
    case v1::ReportCheck::CONCLUSION_NEUTRAL:
      return ForgeCheckState::kNeutral;
    case v1::ReportCheck::CONCLUSION_CANCELLED:
      return ForgeCheckState::kCancelled;
    case v1::ReportCheck::CONCLUSION_SKIPPED:
      return ForgeCheckState::kSkipped;
    case v1::ReportCheck::CONCLUSION_ACTION_REQUIRED:
      return ForgeCheckState::kActionRequired;
    default:
      return ForgeCheckState::kInProgress;
  }
}

bool IsRunning(ForgeCheckState state) {
  return state == ForgeCheckState::kQueued || state == ForgeCheckState::kInProgress;
}

// Whether a review ended it, whatever it said.
bool IsConcluded(ForgeCheckState state) {
  return state == ForgeCheckState::kSuccess || state == ForgeCheckState::kFailure ||
         state == ForgeCheckState::kNeutral || state == ForgeCheckState::kActionRequired;
}

// Names the check of one attempt, on the forge and in keys.
std::string CheckId(const v1::Subject& subject, const v1::ReportCheck& check) {
  const std::string attempt = absl::StrCat(check.attempt());
  return "k-" + ShortDigestOf({kReportCheck, SubjectKey(subject), check.head(), check.name(), attempt});
}

ForgeAnnotation AsForgeAnnotation(const v1::CheckAnnotation& annotation) {
  ForgeAnnotation out;
  out.path = annotation.path();
  out.line = annotation.line();
  out.end_line = annotation.end_line();
  out.column = annotation.column();
  out.end_column = annotation.end_column();
  out.title = annotation.title();
  out.message = annotation.message();
  switch (annotation.level()) {
    case v1::CheckAnnotation::LEVEL_FAILURE:
      out.level = ForgeAnnotationLevel::kFailure;
      break;
    case v1::CheckAnnotation::LEVEL_WARNING:
      out.level = ForgeAnnotationLevel::kWarning;
      break;
    default:
      out.level = ForgeAnnotationLevel::kNotice;
  }
  return out;
}

// A check as a check run.
class CheckRunReport {
 public:
  CheckRunReport(const EffectContext& context, const store::Effect& effect)
      : context_(ShareOfTime(context, kCallsOfACheck)),
        check_(effect.action.report_check()),
        repository_(effect.subject.repository()),
        id_(CheckId(effect.subject, check_)),
        phase_(PhaseOf(check_)),
        progress_(ReadPartProgress(effect)) {}

  absl::StatusOr<EffectObservation> Send() const {
    if (!progress_.words.empty()) return SendBatch();
    const absl::StatusOr<std::optional<ForgeCheckRun>> found = Find();
    if (!found.ok()) return AsNotSent(found.status());
    if (found->has_value()) {
      const ForgeCheckRun& run = **found;
      if (IsThere(run)) return EffectObservation::Seen(run.id);
      if (phase_ == Phase::kProgress) {
        // No answer shows the text: that the forge took it is all there is to see.
        RETURN_IF_ERROR(
            context_.forge().UpdateCheckRun(context_.call, repository_, run.id, Write(0, 0, Wanted())).status());
        return EffectObservation::Seen(run.id);
      }
      if (phase_ == Phase::kEnd) return NextPart(Words(run));
      RETURN_IF_ERROR(
          context_.forge().UpdateCheckRun(context_.call, repository_, run.id, Write(0, 0, Wanted())).status());
      return ReadAfterWrite(ReadBack());
    }
    // No check is needed for a head that is not reviewed, nor to say how far it is.
    if (phase_ == Phase::kCallOff || phase_ == Phase::kProgress) return EffectObservation::Seen({});
    ASSIGN_OR_RETURN(
        const ForgeCheckRun run,
        context_.forge().CreateCheckRun(context_.call, repository_, Write(0, 0, ForgeCheckState::kInProgress)));
    if (phase_ == Phase::kEnd) return NextPart(Words(run));
    return ReadAfterWrite(ReadBack());
  }

  absl::StatusOr<EffectObservation> ReadBack() const {
    ASSIGN_OR_RETURN(const std::optional<ForgeCheckRun> run, Find());
    if (!run.has_value()) {
      const bool needs_none = phase_ == Phase::kCallOff || phase_ == Phase::kProgress;
      return needs_none ? EffectObservation::Seen({}) : EffectObservation();
    }
    if (IsThere(*run)) return EffectObservation::Seen(run->id);
    if (phase_ != Phase::kEnd) return EffectObservation();
    // What is noted was seen: the forge may only show more.
    if (progress_.words.empty() || Shown(*run) > NotedBatch().shown) return NextPart(Words(*run));
    return PartMissed(context_, progress_);
  }

 private:
  struct Batch {
    int shown = 0;  // annotations that the run has
    std::string run;
    bool refused = false;  // the forge takes no more of them
  };

  ForgeCheckState Wanted() const { return StateOf(check_.conclusion()); }

  absl::StatusOr<std::optional<ForgeCheckRun>> Find() const {
    ASSIGN_OR_RETURN(std::vector<ForgeCheckRun> runs,
                     context_.forge().ListCheckRuns(context_.call, repository_, check_.head(), check_.name()));
    const auto ours = absl::c_find_if(runs, [this](const ForgeCheckRun& run) { return run.external_id == id_; });
    if (ours == runs.end()) return std::optional<ForgeCheckRun>();
    return std::optional<ForgeCheckRun>(std::move(*ours));
  }

  // Whether nothing is left to do about a run.
  bool IsThere(const ForgeCheckRun& run) const {
    switch (phase_) {
      case Phase::kBegin:
        return true;
      case Phase::kCallOff:
        return !IsRunning(run.state);
      case Phase::kEnd:
        return IsConcluded(run.state);
      case Phase::kProgress:
        return !IsRunning(run.state);
    }
    return false;
  }

  // Where the forge does not say, all are taken for shown: rather none than two of one.
  int Shown(const ForgeCheckRun& run) const {
    const int all = check_.annotations_size();
    return run.annotations < 0 ? all : static_cast<int>(std::min<int64_t>(run.annotations, all));
  }
  static std::string Words(const Batch& batch) {
    return absl::StrCat(batch.shown, " ", batch.run, batch.refused ? Abs(kRefusedWord) : "");
  }
  std::string Words(const ForgeCheckRun& run) const { return Words({Shown(run), run.id}); }
  Batch NotedBatch() const {
    absl::string_view words = progress_.words;
    Batch batch;
    batch.refused = absl::ConsumeSuffix(&words, Abs(kRefusedWord));
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(words, absl::MaxSplits(' ', 1));
    batch.run = std::string(parts.second);
    if (!absl::SimpleAtoi(parts.first, &batch.shown)) batch.shown = check_.annotations_size();
    return batch;
  }

  ForgeCheckRunWrite Write(int first, int count, ForgeCheckState state) const {
    ForgeCheckRunWrite write;
    write.name = check_.name();
    write.head = check_.head();
    write.external_id = id_;
    write.state = state;
    write.title = check_.title();
    write.summary = check_.summary();
    for (int i = first; i < first + count; ++i) write.annotations.push_back(AsForgeAnnotation(check_.annotations(i)));
    return write;
  }

  std::string WithRefusedAnnotations(int shown) const {
    const std::string note = absl::StrCat("\n\nThe forge refused the annotations behind the first ", shown, " of ",
                                          check_.annotations_size(), ".");
    return absl::StrCat(Abs(CutUtf8(check_.summary(), kMaxCheckSummaryBytes - note.size())), note);
  }

  // The next annotations; with the last of them the conclusion.
  absl::StatusOr<EffectObservation> SendBatch() const {
    Batch batch = NotedBatch();
    const int left = batch.refused ? 0 : check_.annotations_size() - batch.shown;
    const int count = std::clamp(left, 0, static_cast<int>(kMaxForgeAnnotations));
    const bool last = count >= left;
    ForgeCheckRunWrite write = Write(batch.shown, count, last ? Wanted() : ForgeCheckState::kInProgress);
    if (batch.refused) write.summary = WithRefusedAnnotations(batch.shown);
    const absl::Status sent = context_.forge().UpdateCheckRun(context_.call, repository_, batch.run, write).status();
    if (count > 0 && IsPartRefused(sent)) {
      // The conclusion must come, and the summary has what is lost here.
      batch.refused = true;
      return NextPart(Words(batch));
    }
    if (!sent.ok()) return PartFailed(progress_.words, sent);
    batch.shown += count;
    if (!last) return NextPart(Words(batch));
    const absl::StatusOr<std::optional<ForgeCheckRun>> run = Find();
    if (run.ok() && run->has_value() && IsThere(**run)) return EffectObservation::Seen((*run)->id);
    return AwaitPart(context_, progress_.words);
  }

  const EffectContext context_;
  const v1::ReportCheck& check_;
  const std::string& repository_;
  const std::string id_;
  const Phase phase_;
  const PartProgress progress_;
};

// A check as a commit status. The latest one counts, so that sending it again changes nothing.
class StatusReport {
 public:
  StatusReport(const EffectContext& context, const store::Effect& effect)
      : context_(ShareOfTime(context, kCallsOfACheck)),
        check_(effect.action.report_check()),
        repository_(effect.subject.repository()) {}

  absl::StatusOr<EffectObservation> Send() const {
    if (PhaseOf(check_) == Phase::kCallOff || PhaseOf(check_) == Phase::kProgress) {
      const absl::StatusOr<std::optional<ForgeCommitStatus>> latest = Latest();
      if (!latest.ok()) return AsNotSent(latest.status());
      if (!latest->has_value() || !IsRunning((*latest)->state)) return EffectObservation::Seen({});
    }
    RETURN_IF_ERROR(context_.forge().SetCommitStatus(context_.call, repository_, check_.head(), Wanted()));
    return ReadAfterWrite(ReadBack());
  }

  absl::StatusOr<EffectObservation> ReadBack() const {
    ASSIGN_OR_RETURN(const std::optional<ForgeCommitStatus> latest, Latest());
    const ForgeCommitStatus wanted = Wanted();
    const bool seen = latest.has_value() && latest->state == wanted.state && latest->description == wanted.description;
    return seen ? EffectObservation::Seen(wanted.context) : EffectObservation();
  }

 private:
  ForgeCommitStatus Wanted() const {
    ForgeCommitStatus status;
    status.context = check_.name();
    status.description = Shortened(check_.title(), kMaxStatusBytes);
    switch (check_.conclusion()) {
      case v1::ReportCheck::CONCLUSION_UNSPECIFIED:
        status.state = ForgeCheckState::kInProgress;
        break;
      case v1::ReportCheck::CONCLUSION_FAILURE:
      case v1::ReportCheck::CONCLUSION_ACTION_REQUIRED:
      // Nobody looked at this commit to its end.
      case v1::ReportCheck::CONCLUSION_CANCELLED:
        status.state = ForgeCheckState::kFailure;
        break;
      default:
        status.state = ForgeCheckState::kSuccess;
    }
    return status;
  }

  // Ours, of this name.
  absl::StatusOr<std::optional<ForgeCommitStatus>> Latest() const {
    ASSIGN_OR_RETURN(std::vector<ForgeCommitStatus> statuses,
                     context_.forge().ListCommitStatuses(context_.call, repository_, check_.head()));
    const auto latest = absl::c_find_if(statuses, [this](const ForgeCommitStatus& status) {
      return status.context == check_.name() && context_.account.MayBeOurs(status.author.login);
    });
    if (latest == statuses.end()) return std::optional<ForgeCommitStatus>();
    return std::optional<ForgeCommitStatus>(std::move(*latest));
  }

  const EffectContext context_;
  const v1::ReportCheck& check_;
  const std::string& repository_;
};

bool IsCommitId(std::string_view head) {
  return (head.size() == 40 || head.size() == 64) &&
         absl::c_all_of(head, [](unsigned char c) { return absl::ascii_isxdigit(c); });
}

class ReportCheck final : public EffectKind {
 public:
  std::string_view name() const override { return kReportCheck; }
  v1::Action::ActionCase action() const override { return v1::Action::kReportCheck; }
  // Forges without checks tell the outcome by comments only.
  bool essential(const Forge& forge) const override { return forge.has_check_runs() || forge.has_commit_statuses(); }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::ReportCheck& check = action.report_check();
    if (!IsCommitId(check.head()) || check.name().empty() || check.name().size() > kMaxCheckNameBytes ||
        check.attempt() < 0 || check.title().empty()) {
      return absl::InvalidArgumentError("not a check of a commit");
    }
    static constexpr const char* kPhases[] = {"-begin", "", "-off", "-progress-"};
    Entry entry{CheckId(plan.subject(), check) + kPhases[static_cast<size_t>(PhaseOf(check))], action};
    if (PhaseOf(check) == Phase::kProgress) absl::StrAppend(&entry.key, check.progress());
    v1::ReportCheck& written = *entry.action.mutable_report_check();
    written.set_title(std::string(CutUtf8(check.title(), kMaxCheckTitleBytes)));
    written.set_summary(std::string(CutUtf8(check.summary(), kMaxCheckSummaryBytes)));
    return entry;
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    if (context.forge().has_check_runs()) return CheckRunReport(context, effect).Send();
    if (context.forge().has_commit_statuses()) return StatusReport(context, effect).Send();
    return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, std::nullopt},
                           "this forge has neither check runs nor commit statuses");
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    if (context.forge().has_check_runs()) return CheckRunReport(context, effect).ReadBack();
    if (context.forge().has_commit_statuses()) return StatusReport(context, effect).ReadBack();
    return EffectObservation();
  }
};

}  // namespace

const EffectKind& ReportCheckEffect() {
  static const ReportCheck kind;
  return kind;
}

}  // namespace yardmaster
