// What is said about a pull request's gate.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_REPORT_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_REPORT_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pipeline/console_log.h"
#include "rules/engine/pipeline/signals.h"

namespace yardmaster::rules {

// Where a pull request stands on its way through both gates.
enum class PipelinePhase : uint8_t {
  kNew,            // nothing was started
  kP1Wait,         // the description is being checked
  kP1Failed,       // the description is refused
  kP1Ok,           // the description is taken, the build was not started
  kP2Queued,       // the build was asked for
  kP2Running,      // it builds
  kP2Failed,       // it failed
  kP2Bypass,       // a success that tested nothing
  kP2Aggregating,  // a success whose label is still to come
  kGreen,          // both gates are passed
  kInvalidated,    // what was passed holds no more
  kClosed,         // closed or merged
};
std::string_view PipelinePhaseName(PipelinePhase phase);  // "NEW", "P1_WAIT", …, "P2_SUCCESS_AGGREGATING", …

// What is to be done.
enum class PipelineAction : uint8_t { kCheckPr, kRetest, kWait, kFix, kStop };
std::string_view PipelineActionName(PipelineAction action);  // "check_pr", "retest", "wait", "fix", "stop"

struct PipelineEvidence {
  std::string signal;  // "label", "comment", "build", "check", "trigger", "head"
  std::string value;
  std::optional<PipelineTime> at;
  bool trusted = true;  // false: seen, and not believed
};

// Whether a failure is the pull request's.
struct FailureTriage {
  // "pr_induced"; "flaky": it passes on the base branch; "base_broken": it fails there, too; "needs_evidence": taken
  // for the pull request's until something else is shown.
  std::string verdict;
  std::string why;
  // Of a test, what was answered to: does the pull request change what every test stands on, does the test reach what
  // it changes, does the test pass on the base branch? "no: …", "yes: …" or "unknown: …".
  struct Questions {
    std::string build_inputs;
    std::string reach;
    std::string passes_on_base;
  } questions;
};

struct FailedBuild {
  int64_t number = 0;
  std::string url;
};

struct ReportedFailure {
  LogFailure failure;
  FailureTriage triage;
  std::string fix = {};  // of the profile; empty: it has none
  // Of a test: the builds of this pull request in which it failed, the newest first.
  std::vector<FailedBuild> builds = {};
};

struct PipelineReport {
  std::string owner;
  std::string repo;
  int64_t number = 0;
  std::string url;

  PipelinePhase phase = PipelinePhase::kNew;
  PipelineAction action = PipelineAction::kWait;
  std::string why;
  std::string why_zh;      // the same in Chinese, but for the texts of the profile and of logs
  bool under_way = false;  // something runs, or was asked for and will: a push would disturb it
  std::vector<PipelineEvidence> evidence;
  bool call_person = false;  // nothing that a program may do is left
  // Why nobody need wait any more: "ci-pipeline-passed", "closed", "flake-ceiling": started again often enough,
  // "upstream-sticky-flake": what fails is not the pull request's and stays, "infrastructure": the same fault of the
  // machine again, "needs-human-guidance"; empty: it goes on.
  std::string terminal;

  std::optional<int64_t> pipeline_number;
  std::string pipeline_url;
  std::string pipeline_result;  // "SUCCESS", "FAILURE", "UNSTABLE", "BUILDING"; empty: there is none
  int64_t pipeline_duration_ms = 0;
  int64_t usual_duration_ms = 0;  // the median of the job's builds that ended and were results; 0: unknown
  std::optional<int64_t> previous_pipeline_number;
  bool is_bypass_build = false;

  std::vector<std::string> labels;
  std::vector<std::string> blockers;
  std::vector<std::string> failed_stages;
  std::vector<ReportedFailure> failures;
  std::vector<std::string> excerpt;  // around the first failure
  std::vector<std::string> markers;
  std::vector<std::string> infrastructure;
  // Of the tests that failed: "none", "random": others than in the build before, "sticky": some of the same,
  // "needs_evidence": it can't be told whether the pull request is to blame.
  std::string flaky = "none";

  std::string check_pr_failure;      // the text that holds; empty: none
  std::string gate_trigger_blocked;  // as above
  bool description_passed = false;   // the first gate is passed, or there is none
  bool gate_ok = false;              // both gates are passed
  uint32_t retests = 0;              // of this head, after the first start
  uint32_t max_retests = 0;
  uint32_t description_checks = 0;  // asked for, of this head
  uint32_t builds = 0;              // of the pull request that are known
  std::string note;
  std::string note_zh;  // the same in Chinese, but for what servers say of errors

  void AddNote(const SaidText& text);
};

nlohmann::ordered_json PipelineReportJson(const PipelineReport& report);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_REPORT_H_
