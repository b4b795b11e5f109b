#include "rules/engine/pipeline/report.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace yardmaster::rules {
namespace {

using Json = nlohmann::ordered_json;

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json NumberOrNull(const std::optional<int64_t>& number) { return number.has_value() ? Json(*number) : Json(); }

Json FailureJson(const ReportedFailure& one) {
  const LogFailure& failure = one.failure;
  return {{"stage", TextOrNull(failure.stage)},
          {"rule", TextOrNull(failure.rule)},
          {"file", TextOrNull(failure.file)},
          {"line", failure.line == 0 ? Json() : Json(failure.line)},
          {"function", TextOrNull(failure.function)},
          {"message", failure.message},
          {"pattern", TextOrNull(failure.pattern)},
          {"verdict", one.triage.verdict},
          {"why", one.triage.why},
          {"fix", TextOrNull(one.fix)}};
}

Json TestJson(const ReportedFailure& one) {
  Json builds = Json::array();
  for (const FailedBuild& build : one.builds)
    builds.push_back({{"number", build.number}, {"url", TextOrNull(build.url)}});
  const FailureTriage::Questions& questions = one.triage.questions;
  return {{"file", TextOrNull(one.failure.file)},
          {"line", one.failure.line == 0 ? Json() : Json(one.failure.line)},
          {"test", one.failure.test},
          {"summary", one.failure.message},
          {"stage", TextOrNull(one.failure.stage)},
          {"verdict", one.triage.verdict},
          {"why", one.triage.why},
          {"questions",
           {{"build_inputs", questions.build_inputs},
            {"reach", questions.reach},
            {"passes_on_base", questions.passes_on_base}}},
          {"builds", std::move(builds)}};
}

std::string JoinedLines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    if (!out.empty()) out += '\n';
    out += line;
  }
  return out;
}

}  // namespace

std::string_view PipelinePhaseName(PipelinePhase phase) {
  switch (phase) {
    case PipelinePhase::kNew:
      return "NEW";
    case PipelinePhase::kP1Wait:
      return "P1_WAIT";
    case PipelinePhase::kP1Failed:
      return "P1_FAILED";
    case PipelinePhase::kP1Ok:
      return "P1_OK";
    case PipelinePhase::kP2Queued:
      return "P2_QUEUED";
    case PipelinePhase::kP2Running:
      return "P2_RUNNING";
    case PipelinePhase::kP2Failed:
      return "P2_FAILED";
    case PipelinePhase::kP2Bypass:
      return "P2_BYPASS";
    case PipelinePhase::kP2Aggregating:
      return "P2_SUCCESS_AGGREGATING";
    case PipelinePhase::kGreen:
      return "GREEN";
    case PipelinePhase::kInvalidated:
      return "INVALIDATED";
    case PipelinePhase::kClosed:
      return "CLOSED";
  }
  return "";
}

std::string_view PipelineActionName(PipelineAction action) {
  switch (action) {
    case PipelineAction::kCheckPr:
      return "check_pr";
    case PipelineAction::kRetest:
      return "retest";
    case PipelineAction::kWait:
      return "wait";
    case PipelineAction::kFix:
      return "fix";
    case PipelineAction::kStop:
      return "stop";
  }
  return "";
}

void PipelineReport::AddNote(const SaidText& text) {
  note += (note.empty() ? "" : "; ") + text.en;
  note_zh += (note_zh.empty() ? "" : "；") + text.zh;
}

Json PipelineReportJson(const PipelineReport& report) {
  Json evidence = Json::array();
  for (const PipelineEvidence& one : report.evidence) {
    evidence.push_back({{"signal", one.signal},
                        {"value", one.value},
                        {"at", one.at.has_value() ? Json(PipelineTimeText(*one.at)) : Json()},
                        {"trusted", one.trusted}});
  }
  Json failures = Json::array();
  Json tests = Json::array();
  for (const ReportedFailure& one : report.failures) {
    if (one.failure.test.empty()) {
      failures.push_back(FailureJson(one));
    } else {
      tests.push_back(TestJson(one));
    }
  }
  Json first;
  if (!report.failures.empty()) {
    const LogFailure& failure = report.failures.front().failure;
    first = {{"stage", TextOrNull(failure.stage)},
             {"file", TextOrNull(failure.file)},
             {"line", failure.line == 0 ? Json() : Json(failure.line)},
             {"test", TextOrNull(failure.test)},
             {"message", failure.message},
             {"excerpt", JoinedLines(report.excerpt)}};
  }
  return {{"pr", {{"owner", report.owner}, {"repo", report.repo}, {"number", report.number}, {"url", report.url}}},
          {"phase", PipelinePhaseName(report.phase)},
          {"next", {{"action", PipelineActionName(report.action)}, {"why", report.why}}},
          {"call_person", report.call_person},
          {"terminal", TextOrNull(report.terminal)},
          {"description_passed", report.description_passed},
          {"gate_ok", report.gate_ok},
          {"under_way", report.under_way},
          {"pipeline_number", NumberOrNull(report.pipeline_number)},
          {"pipeline_url", TextOrNull(report.pipeline_url)},
          {"pipeline_result", TextOrNull(report.pipeline_result)},
          {"pipeline_duration_ms", report.pipeline_duration_ms},
          {"usual_duration_ms", report.usual_duration_ms},
          {"previous_pipeline_number", NumberOrNull(report.previous_pipeline_number)},
          {"is_bypass_build", report.is_bypass_build},
          {"labels", report.labels},
          {"blockers", report.blockers},
          {"failed_stages", report.failed_stages},
          {"first_failure", std::move(first)},
          {"failures", std::move(failures)},
          {"test_failures", std::move(tests)},
          {"infrastructure", report.infrastructure},
          {"flaky", report.flaky},
          {"check_pr_failure", TextOrNull(report.check_pr_failure)},
          {"gate_trigger_blocked", TextOrNull(report.gate_trigger_blocked)},
          {"retests", report.retests},
          {"max_retests", report.max_retests},
          {"description_checks", report.description_checks},
          {"builds", report.builds},
          {"raw_log_excerpt", JoinedLines(report.markers)},
          {"note", report.note},
          {"evidence", std::move(evidence)}};
}

}  // namespace yardmaster::rules
