#include "rules/engine/suites/check_steps.h"

#include <re2/re2.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "rules/engine/suites/check_matrix.h"
#include "rules/engine/suites/check_texts.h"
#include "rules/suites/versions.h"

namespace yardmaster::rules {
namespace {

bool IsDtype(std::string_view name) {
  static const RE2 kName("[a-z][a-z0-9_]*");
  return RE2::FullMatch(name, kName);
}

// Where there are ranks, cells or shards, one must not read or overwrite the report of another: ${OUT} is a folder of
// its own for each; ${RANK} tells only ranks apart.
void CheckReportFile(const SuiteStep& step, const ReportModel& report, const Place& place) {
  if (HasPlaceholder(report.file, "OUT")) return;
  if (step.launcher.has_ranks() && !HasPlaceholder(report.file, "RANK")) {
    place.Add("expected ${OUT} or ${RANK} in the name: with several ranks the last to write would win");
    return;
  }
  if (step.shards > 1 && !HasPlaceholder(report.file, "SHARD")) {
    place.Add("expected ${OUT} or ${SHARD} in the name: a shard would read what the one before it left");
  }
  for (const std::string& axis : step.axes) {
    if (HasPlaceholder(report.file, "matrix." + axis)) continue;
    place.Add("expected ${OUT} or ${matrix." + axis + "} in the name: a cell would read what the one before it left");
  }
}

void CheckReport(const SuiteStep& step, const ReportModel& report, const KnownPlaceholders& known, const Place& place) {
  const std::pair<const char*, const std::string*> patterns[] = {{"pass", &report.pass},
                                                                 {"fail", &report.fail},
                                                                 {"line", &report.line},
                                                                 {"summary", &report.summary},
                                                                 {"number", &report.number}};
  if (report.format == ReportFormat::kMarkers) {
    if (!report.file.empty()) (place / "file").Add("markers are in the output; expected no file");
    if (report.pass.empty() && report.line.empty()) {
      place.Add("markers without \"pass\" and \"line\" would pass whatever does not fail; expected one of them");
    }
    for (const auto& [key, pattern] : patterns) {
      if (pattern->empty()) continue;
      std::vector<std::string_view> groups;
      if (key == std::string_view("line")) groups = {"name", "verdict"};
      if (key == std::string_view("number")) groups = {"name", "value"};
      if (key == std::string_view("summary")) groups = {"passed", "failed", "total"};
      CheckPattern(*pattern, groups, true, place / key);
    }
    if (!report.summary.empty() && report.line.empty()) {
      (place / "summary").Add("a summary is held against the lines; expected \"line\", too");
    }
    return;
  }
  for (const auto& [key, pattern] : patterns) {
    if (!pattern->empty()) (place / key).Add("only for the format \"markers\"");
  }
  if (report.file.empty()) {
    if (report.format != ReportFormat::kGoogleTest) place.Add("missing key \"file\"; expected the file of the report");
    return;
  }
  CheckPlaceholders(report.file, known, place / "file");
  CheckReportFile(step, report, place / "file");
}

// What steps of all kinds have.
void CheckCommon(const SuiteStep& step, const KnownPlaceholders& known, const Place& place) {
  for (size_t i = 0; i < step.command.words.size(); ++i) {
    CheckPlaceholders(step.command.words[i], known, place / "run" / i);
  }
  if (!step.command.words.empty() && step.command.words[0].empty()) {
    (place / "run" / size_t{0}).Add("expected a program, got \"\"");
  }
  CheckPlaceholders(step.command.shell, known, place / "shell");
  if (!step.directory.empty()) {
    CheckPlaceholders(step.directory, known, place / "directory");
    CheckRelativePath(step.directory, place / "directory");
  }
  CheckVariables(step.variables, known, step.launcher.has_ranks(), place / "variables");
  for (size_t i = 0; i < step.artifacts.size(); ++i) CheckRelativePath(step.artifacts[i], place / "artifacts" / i);
}

}  // namespace

void CheckDevices(const DeviceRequest& devices, const Place& place) {
  if (devices.kind != DeviceKind::kGpu && !devices.capability.empty()) {
    (place / "capability").Add("only GPUs have a compute capability; expected the kind \"gpu\"");
  }
  if (devices.kind == DeviceKind::kCpu && devices.memory_mb > 0) {
    (place / "memory_mb").Add("processors have no memory of their own; expected the kind \"gpu\" or \"npu\"");
  }
}

void CheckRequirements(const SuiteModel& suite, const SuiteStep* step, const std::vector<Requirement>& requirements,
                       const Place& place) {
  for (size_t i = 0; i < requirements.size(); ++i) {
    const Requirement& requirement = requirements[i];
    const Place at = place / i;
    using Kind = Requirement::Kind;
    if (!requirement.version.empty()) {
      if (requirement.kind != Kind::kTool && requirement.kind != Kind::kModule) {
        (at / "version").Add("only tools and modules have a version");
      } else if (!IsVersionCondition(requirement.version)) {
        (at / "version")
            .Add("expected a condition such as \">=12.0\" or \">=1.13, <3\", got " + Quoted(requirement.version));
      }
    }
    if (requirement.kind == Kind::kFile) CheckPlaceholders(requirement.name, {}, at / "file");
    if (requirement.kind == Kind::kTool && requirement.name.find("${") != std::string::npos) {
      (at / "tool").Add("expected the name of a program, got " + Quoted(requirement.name));
    }
    if (requirement.kind == Kind::kDevice) CheckDevices(requirement.device, at / "device");
    if (step != nullptr && step->axes.empty() && !requirement.when.empty()) {
      (at / "when").Add("the step is not repeated over any axis, so this never holds");
    } else {
      CheckWanted(suite, step == nullptr ? std::vector<std::string>() : step->axes, requirement.when, at / "when");
    }
  }
}

void CheckBuildStep(const SuiteStep& step, const Place& place) { CheckCommon(step, {}, place); }

void CheckTestStep(const SuiteModel& suite, const SuiteLayer& layer, const SuiteStep& step, bool cells,
                   const Place& place) {
  const KnownPlaceholders known{.of_steps = true, .axes = step.axes};
  CheckCommon(step, known, place);
  CheckAxes(suite, step, cells, place);
  CheckRequirements(suite, &step, step.requirements, place / "requires");

  if (!step.launcher.has_ranks()) {
    const Place launcher = place / "launcher";
    if (!step.launcher.world_size.empty()) {
      (launcher / "world_size").Add("the launcher \"none\" starts no ranks; expected another kind");
    }
    if (step.launcher.oversubscribe) {
      (launcher / "oversubscribe").Add("the launcher \"none\" starts no ranks; expected another kind");
    }
  }
  std::vector<const Requirement*> requirements;
  for (const auto* list : {&suite.requirements, &layer.requirements, &step.requirements}) {
    for (const Requirement& requirement : *list) requirements.push_back(&requirement);
  }
  if (cells) CheckCounts(suite, step, requirements, place);

  for (size_t i = 0; i < step.reports.size(); ++i) CheckReport(step, step.reports[i], known, place / "reports" / i);
  if (step.tests_at_least > 0 && step.reports.empty()) {
    (place / "tests_at_least").Add("nothing counts tests here; expected \"reports\", too");
  }
  if (!step.comparison) return;
  for (const auto& [dtype, tolerance] : step.comparison->tolerances) {
    if (!IsDtype(dtype)) {
      (place / "comparison" / "tolerances" / dtype)
          .Add("expected a dtype such as \"float32\" or \"bfloat16\", got " + Quoted(dtype));
    }
  }
}

}  // namespace yardmaster::rules
