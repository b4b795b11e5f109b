#include "services/review/review_messages.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

// Messages quote what the file says; a file over its limit has long lines.
constexpr size_t kMaxTextBytes = 16 * 1024;

std::string AsText(const std::string& text) { return IsValidUtf8(text) ? text : Readable(text, kMaxTextBytes); }

// By rules::Severity.
constexpr v1::FindingSeverity kSeverities[] = {v1::FINDING_SEVERITY_BLOCK, v1::FINDING_SEVERITY_MAJOR,
                                               v1::FINDING_SEVERITY_MINOR, v1::FINDING_SEVERITY_INFO};

v1::FindingSeverity SeverityMessage(rules::Severity severity) { return kSeverities[static_cast<size_t>(severity)]; }

rules::Severity SeverityOf(v1::FindingSeverity severity) {
  const auto it = absl::c_find(kSeverities, severity);
  return it == std::end(kSeverities) ? rules::Severity::kBlock
                                     : static_cast<rules::Severity>(it - std::begin(kSeverities));
}

// By FindingStatus.
constexpr v1::FindingChange kChanges[] = {v1::FINDING_CHANGE_UNSPECIFIED, v1::FINDING_CHANGE_NEW,
                                          v1::FINDING_CHANGE_STILL, v1::FINDING_CHANGE_FIXED};

FindingStatus StatusOf(v1::FindingChange change) {
  const auto it = absl::c_find(kChanges, change);
  return it == std::end(kChanges) ? FindingStatus::kNone : static_cast<FindingStatus>(it - std::begin(kChanges));
}

void WriteFinding(const ReportedFinding& reported, v1::ReviewFinding& out) {
  const rules::Finding& finding = reported.finding;
  out.set_change(kChanges[static_cast<size_t>(reported.status)]);
  out.set_rule_id(AsText(finding.rule_id));
  out.set_part(AsText(finding.part));
  out.set_pack(AsText(finding.pack));
  out.set_severity(SeverityMessage(finding.severity));
  out.set_pack_severity(AsText(finding.pack_severity));
  out.set_path(AsText(finding.path));
  out.set_line(finding.line);
  out.set_column(finding.column);
  out.set_end_line(finding.end_line);
  out.set_end_column(finding.end_column);
  out.set_message(AsText(finding.message));
  out.set_message_zh(AsText(finding.message_zh));
  out.set_fix_hint(AsText(finding.fix));
  out.set_fix_hint_zh(AsText(finding.fix_zh));
  out.set_fingerprint(AsText(finding.fingerprint));
  for (const rules::FindingEdit& edit : finding.edits) {
    v1::ReviewEdit& to = *out.add_edits();
    to.set_line(edit.line);
    to.set_column(edit.column);
    to.set_end_line(edit.end_line);
    to.set_end_column(edit.end_column);
    to.set_text(AsText(edit.text));
  }
}

template <typename Message>
void WriteSkipped(const ReviewReport& report, Message& out) {
  for (const rules::SkippedCheck& skip : report.skipped) {
    v1::SkippedReviewCheck& to = *out.add_skipped();
    to.set_rule_id(AsText(skip.rule_id));
    to.set_part(AsText(skip.part));
    to.set_path(AsText(skip.path));
    to.set_reason(AsText(skip.reason));
    to.set_reason_zh(AsText(skip.reason_zh));
  }
}

template <typename Message>
void ReadFound(const Message& from_all, ReviewReport& report) {
  for (const v1::ReviewFinding& from : from_all.findings()) {
    ReportedFinding& reported = report.findings.emplace_back();
    reported.status = StatusOf(from.change());
    rules::Finding& to = reported.finding;
    to.rule_id = from.rule_id();
    to.part = from.part();
    to.pack = from.pack();
    to.severity = SeverityOf(from.severity());
    to.pack_severity = from.pack_severity();
    to.path = from.path();
    to.line = from.line();
    to.column = from.column();
    to.end_line = from.end_line();
    to.end_column = from.end_column();
    to.message = from.message();
    to.message_zh = from.message_zh();
    to.fix = from.fix_hint();
    to.fix_zh = from.fix_hint_zh();
    to.fingerprint = from.fingerprint();
    for (const v1::ReviewEdit& edit : from.edits())
      to.edits.push_back({edit.line(), edit.column(), edit.end_line(), edit.end_column(), edit.text()});
  }
  for (const v1::SkippedReviewCheck& from : from_all.skipped())
    report.skipped.push_back({from.rule_id(), from.path(), from.reason(), from.part(), from.reason_zh()});
}

void WriteProgress(const SubjectProgress& subject, v1::ReviewProgress& out) {
  out.set_name(AsText(subject.name));
  out.set_path(AsText(subject.path));
  out.set_line(subject.line);
  for (const StageProgress& stage : subject.stages) {
    v1::ReviewProgress::Stage& to = *out.add_stages();
    to.set_id(AsText(stage.id));
    to.set_title(AsText(stage.title));
    to.set_state(AsText(std::string(StageStateName(stage.state))));
    to.set_text(AsText(stage.text));
    to.set_next(AsText(stage.next));
  }
}

SubjectProgress ReadProgress(const v1::ReviewProgress& from) {
  SubjectProgress subject{from.name(), from.path(), from.line(), {}};
  for (const v1::ReviewProgress::Stage& stage : from.stages()) {
    subject.stages.push_back({stage.id(), stage.title(), StageStateFrom(stage.state()), stage.text(), stage.next()});
  }
  return subject;
}

}  // namespace

void WriteChangeReview(const ReviewReport& report, v1::Review& out) {
  for (const std::string& pack : report.packs) {
    out.add_packs(AsText(report.profile.empty() ? pack : absl::StrCat(pack, " (", report.profile, ")")));
  }
  std::vector<const ReportedFinding*> findings;
  for (const ReportedFinding& reported : report.findings) findings.push_back(&reported);
  absl::c_stable_sort(findings, [](const auto* a, const auto* b) { return a->status < b->status; });
  for (const ReportedFinding* reported : findings) WriteFinding(*reported, *out.add_findings());
  WriteSkipped(report, out);
  for (const ChecklistItem& item : report.checklist) {
    v1::ReviewReminder& to = *out.add_checklist();
    to.set_rule_id(AsText(item.rule_id));
    to.set_text(AsText(item.title));
    to.set_path(AsText(item.path));
  }
  for (const SubjectProgress& subject : report.progress) WriteProgress(subject, *out.add_progress());
  out.set_files(static_cast<uint32_t>(report.files));
}

void WriteReview(const ReviewReport& report, v1::ReviewResult& out) {
  if (!report.packs.empty()) out.set_pack(AsText(report.packs.front()));
  out.set_profile(AsText(report.profile));
  for (const ReportedFinding& reported : report.findings) WriteFinding(reported, *out.add_findings());
  WriteSkipped(report, out);
  for (const ChecklistItem& item : report.checklist) {
    v1::ReviewChecklistItem& to = *out.add_checklist();
    to.set_rule_id(AsText(item.rule_id));
    to.set_title(AsText(item.title));
    to.set_passed(item.passed.value_or(false));
  }
  out.set_files(static_cast<uint32_t>(report.files));
  out.set_micros(static_cast<uint64_t>(report.seconds * 1e6));
}

ReviewReport ReadReview(const v1::ReviewResult& review) {
  ReviewReport report;
  report.packs = {review.pack()};
  report.profile = review.profile();
  ReadFound(review, report);
  for (const v1::ReviewChecklistItem& from : review.checklist())
    report.checklist.push_back({from.rule_id(), from.title(), from.passed(), {}});
  report.files = review.files();
  report.seconds = static_cast<double>(review.micros()) / 1e6;
  return report;
}

ReviewReport ReadChangeReview(const v1::Review& review) {
  ReviewReport report;
  report.packs.assign(review.packs().begin(), review.packs().end());
  ReadFound(review, report);
  for (const v1::ReviewReminder& from : review.checklist()) {
    report.checklist.push_back({from.rule_id(), from.text(), std::nullopt, from.path()});
  }
  for (const v1::ReviewProgress& from : review.progress()) report.progress.push_back(ReadProgress(from));
  report.files = review.files();
  report.complete = review.complete();
  return report;
}

void WriteChecks(const rules::CheckSet& checks, v1::ListChecksResponse& out) {
  for (const rules::CheckInfo& check : checks.checks()) {
    v1::ReviewCheck& to = *out.add_checks();
    to.set_id(AsText(check.id));
    to.set_rule_id(AsText(check.rule));
    to.set_pack(check.pack);
    to.set_title(AsText(check.title));
    to.set_severity(SeverityMessage(check.severity));
    to.set_pack_severity(AsText(check.pack_severity));
    to.set_message(AsText(check.message));
    to.set_fix(AsText(check.fix));
    for (const std::string& role : check.roles) to.add_roles(AsText(role));
    for (const int stage : check.stages) to.add_stages(static_cast<uint32_t>(std::max(0, stage)));
    for (const std::string& moment : check.moments) to.add_moments(AsText(moment));
    for (const std::string& profile : check.profiles) to.add_profiles(AsText(profile));
    for (const std::string& role : check.needs) to.add_needs(AsText(role));
    to.set_source(AsText(check.source));
    to.set_file(AsText(check.file));
    to.set_line(check.line);
  }
  const auto choices = [](const auto& from, auto& to) {
    for (const auto& info : from) {
      v1::ReviewChoice& choice = *to.Add();
      choice.set_id(AsText(info.id));
      choice.set_title(AsText(info.title));
    }
  };
  choices(checks.profiles(), *out.mutable_profiles());
  choices(checks.moments(), *out.mutable_moments());
  out.set_default_profile(checks.default_profile());
  for (const rules::RoleInfo& role : checks.roles()) {
    v1::ReviewRole& to = *out.add_roles();
    to.set_role(AsText(role.role));
    to.set_path(AsText(role.path));
    to.set_example(AsText(role.example));
  }
}

void WriteBreaker(const OperatorState& state, v1::ReviewBreaker& out) {
  const std::optional<BreakerTrip> trip = TrippedBreaker(state);
  out.set_tripped(trip.has_value());
  if (!trip.has_value()) return;
  out.set_path(AsText(trip->path));
  out.set_rule_id(AsText(trip->rule_id));
  out.set_line(trip->line);
  out.set_count(trip->count);
}

void WriteGateStatus(const OperatorState& state, v1::GetGateStatusResponse& out) {
  for (const GateMemory& gate : state.gates) {
    v1::GateRecord& to = *out.add_gates();
    to.set_gate(AsText(gate.gate));
    to.set_phase(AsText(gate.phase));
    if (gate.stage.has_value()) to.set_stage(static_cast<uint32_t>(std::max(0, *gate.stage)));
    to.set_open(gate.open);
    *to.mutable_asked_at() = google::protobuf::util::TimeUtil::MillisecondsToTimestamp(gate.asked_at);
    for (const std::string& rule : gate.blocking_rules) to.add_blocking_rules(AsText(rule));
  }
  WriteBreaker(state, *out.mutable_breaker());
  for (const auto& [path, digest] : state.frozen) out.add_frozen(AsText(path));
}

}  // namespace yardmaster
