#include "services/worker/run/requirements.h"

#include <re2/re2.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/suites/versions.h"
#include "services/worker/devices/toolkits.h"
#include "services/worker/launch/shell_text.h"
#include "services/worker/process/capture.h"
#include "services/worker/process/program_path.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr std::chrono::seconds kProbeTimeout{60};

// Says of each module whether it can be found, and its version, without importing it: an import may take seconds, and
// whether it works is what a suite's first layer tells. A version that is written down nowhere is asked of the module
// itself.
constexpr std::string_view kPythonProbe = R"(
import importlib.machinery, importlib.metadata, importlib.util, json, platform, sys
def version(name, needed):
    top = name.split(".")[0]
    try:
        return importlib.metadata.version(top)
    except Exception:
        if not needed:
            return ""
    try:
        names = importlib.metadata.packages_distributions().get(top, [])
        if names:
            return importlib.metadata.version(names[0])
    except Exception:
        pass
    try:
        return str(getattr(importlib.import_module(top), "__version__", ""))
    except BaseException:
        return ""
def find(name):
    path, spec, whole = None, None, ""
    for part in name.split("."):
        whole = whole + "." + part if whole else part
        if path is None and spec is None:
            spec = importlib.util.find_spec(part)
        else:
            spec = importlib.machinery.PathFinder.find_spec(whole, path)
        if spec is None:
            return False
        path = spec.submodule_search_locations or []
    return True
answer = {"python": platform.python_version(), "modules": {}}
for name in sys.argv[1:]:
    needed = name.endswith("=")
    name = name.rstrip("=")
    try:
        found = find(name)
        problem = "" if found else "there is no such module"
    except BaseException as error:
        found, problem = False, type(error).__name__ + ": " + str(error)
    answer["modules"][name] = [found, version(name, needed) if found else "", problem]
print("\n" + "yard-probe " + json.dumps(answer))
)";
constexpr std::string_view kProbeMark = "\nyard-probe ";

std::optional<std::string> WhyNotVersion(std::string_view what, std::string_view wanted, std::string_view version) {
  if (rules::VersionMeets(version, wanted)) return std::nullopt;
  return Concat(what, " must be ", wanted, ", and it is ", version.empty() ? "of an unknown version" : version);
}

}  // namespace

std::string VersionIn(std::string_view printed) {
  static const RE2 kNamed(R"((?i)\b(?:release|version)[ :]+v?(\d+(?:\.\d+)+))");
  static const RE2 kFirst(R"((?:^|[^\d.])(\d+(?:\.\d+)+))");
  std::string version;
  const re2::StringPiece text(printed.data(), printed.size());
  if (!RE2::PartialMatch(text, kNamed, &version)) RE2::PartialMatch(text, kFirst, &version);
  return version;
}

void Requirements::ExpectModules(const rules::SuiteModel& suite) {
  const auto add = [&](const std::vector<rules::Requirement>& requirements) {
    for (const rules::Requirement& requirement : requirements) {
      if (requirement.kind != rules::Requirement::Kind::kModule) continue;
      ExpectModule(requirement.name, !requirement.version.empty());
    }
  };
  add(suite.requirements);
  for (const rules::SuiteStep& step : suite.build) add(step.requirements);
  for (const rules::SuiteLayer& layer : suite.layers) {
    add(layer.requirements);
    for (const rules::SuiteStep& step : layer.steps) add(step.requirements);
  }
}

void Requirements::ExpectModule(const std::string& module, bool version) {
  // "=": its version must be known, whatever it costs.
  const std::string entry = module + (version ? "=" : "");
  if (!absl::c_linear_search(expected_modules_, entry)) expected_modules_.push_back(entry);
}

std::optional<std::string> Requirements::WhyNot(const rules::Requirement& requirement, const rules::Cell& cell) {
  if (!rules::CellHas(cell, requirement.when)) return std::nullopt;
  switch (requirement.kind) {
    case rules::Requirement::Kind::kTool:
      return WhyNoTool(requirement);
    case rules::Requirement::Kind::kModule:
      return WhyNotModule(requirement);
    case rules::Requirement::Kind::kFile: {
      std::string error;
      const std::optional<std::string> path = rules::Substitute(requirement.name, context_.values, error);
      if (!path.has_value()) return "the file \"" + requirement.name + "\" can't be looked for: " + error;
      std::error_code missing;
      if (std::filesystem::exists(context_.source / *path, missing)) return std::nullopt;
      return "there is no file " + *path;
    }
    case rules::Requirement::Kind::kVariable: {
      const Environment& environment = Sourced();
      const auto value = environment.find(requirement.name);
      if (value != environment.end() && !value->second.empty()) return std::nullopt;
      return "the variable " + requirement.name + " is not set";
    }
    case rules::Requirement::Kind::kDevice:
      break;  // DeviceLeases tells
  }
  return std::nullopt;
}

std::optional<std::string> Requirements::WhyNoTool(const rules::Requirement& requirement) {
  if (!HasTool(requirement.name)) {
    missing_.insert(requirement.name);
    return "there is no program " + requirement.name + " in PATH";
  }
  if (requirement.version.empty()) return std::nullopt;
  return WhyNotVersion(requirement.name, requirement.version, ToolVersion(requirement.name));
}

std::optional<std::string> Requirements::WhyNoModule(const std::string& module) {
  AskPython();
  // Without an interpreter nothing is known of modules; the first step that needs it says what is wrong.
  if (!python_answers_ || modules_[module].found) return std::nullopt;
  missing_.insert(module);
  const std::string& problem = modules_[module].problem;
  return "Python has no module " + module + (problem.empty() ? "" : " (" + problem + ")");
}

std::string Requirements::ModuleVersion(const std::string& module) {
  AskPython();
  return modules_[module].version;
}

std::optional<std::string> Requirements::WhyNotModule(const rules::Requirement& requirement) {
  if (std::optional<std::string> why = WhyNoModule(requirement.name); why.has_value()) return why;
  if (requirement.version.empty() || !python_answers_) return std::nullopt;
  return WhyNotVersion("the Python module " + requirement.name, requirement.version, ModuleVersion(requirement.name));
}

void Requirements::Refresh() {
  const bool missing = absl::c_any_of(modules_, [](const auto& entry) { return !entry.second.found; });
  if (missing || !python_answers_) asked_python_ = false;
  sourced_.reset();
}

std::string Requirements::ToolPath(const std::string& name) {
  const Environment& environment = Sourced();
  const auto path = environment.find("PATH");
  for (const std::string& candidate :
       ProgramCandidates(name, path == environment.end() ? std::string_view() : path->second)) {
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

std::string Requirements::ToolVersion(const std::string& name) {
  const auto known = tool_versions_.find(name);
  if (known != tool_versions_.end()) return known->second;
  std::string version;
  const std::string path = ToolPath(name);
  if (!path.empty()) {
    const absl::StatusOr<Captured> printed = Capture(*context_.processes, Spec({path, "--version"}), kProbeTimeout);
    if (printed.ok()) version = VersionIn(printed->out + printed->err);
  }
  if (!version.empty()) versions_[std::filesystem::path(name).filename().native()] = version;
  return tool_versions_.emplace(name, version).first->second;
}

void Requirements::NoteToolchain() {
  // One start for all of them: each costs a sandbox.
  std::vector<std::string> marks;
  std::vector<std::string> tools;
  std::string lines;
  for (const char* tool : {"g++", "clang++", "cmake", "nvcc"}) {
    if (tool_versions_.find(tool) != tool_versions_.end() || !HasTool(tool)) continue;
    tools.emplace_back(tool);
    marks.push_back(Concat("\nyard-tool ", tool, "\n"));
    lines += Concat("printf '\\nyard-tool ", tool, "\\n'; ", tool, " --version 2>&1 </dev/null; ");
  }
  absl::StatusOr<Captured> printed = Captured{};
  if (!tools.empty()) printed = Capture(*context_.processes, Spec({"bash", "-c", lines}), kProbeTimeout);
  for (size_t i = 0; printed.ok() && i < tools.size(); ++i) {
    const size_t mark = printed->out.find(marks[i]);
    if (mark == std::string::npos) continue;
    const size_t begin = mark + marks[i].size();
    const size_t end = i + 1 < tools.size() ? printed->out.find(marks[i + 1], begin) : std::string::npos;
    const std::string version = VersionIn(std::string_view(printed->out).substr(begin, end - begin));
    if (!version.empty()) versions_[tools[i]] = version;
  }
  std::vector<std::filesystem::path> roots;
  for (const char* name : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_OPP_PATH"}) {
    const auto given = Sourced().find(name);
    if (given == Sourced().end() || given->second.empty()) continue;
    const std::filesystem::path path = given->second;
    roots.push_back(std::string_view(name) == "ASCEND_OPP_PATH" ? path.parent_path() : path);
  }
  if (std::string cann = CannVersion(roots); !cann.empty()) versions_["cann"] = std::move(cann);
  if (std::string cuda = CudaVersion(); !cuda.empty()) versions_.emplace("cuda", std::move(cuda));
}

// The environment after the suite's scripts, which may well be what brings a tool into PATH.
const Environment& Requirements::Sourced() {
  if (sourced_.has_value()) return *sourced_;
  sourced_ = context_.environment;
  if (context_.scripts.empty()) return *sourced_;
  constexpr std::string_view kMark = "yard-environment";
  ProcessSpec spec = Spec({});
  spec.argv = {"bash", "-c",
               SetUpLines(context_.scripts, context_.unset) + "printf '\\0%s\\0' " + std::string(kMark) + "; env -0"};
  const absl::StatusOr<Captured> printed = Capture(*context_.processes, std::move(spec), kProbeTimeout);
  if (!printed.ok()) return *sourced_;
  const std::string mark = Concat(std::string_view("\0", 1), kMark, std::string_view("\0", 1));
  const size_t at = printed->out.find(mark);
  if (at == std::string::npos) return *sourced_;
  Environment environment;
  for (const std::string_view entry : Split(std::string_view(printed->out).substr(at + mark.size()), '\0')) {
    const std::vector<std::string_view> parts = Split(entry, '=', 2);
    if (parts.size() == 2) environment[std::string(parts[0])] = parts[1];
  }
  sourced_ = std::move(environment);
  return *sourced_;
}

void Requirements::AskPython() {
  if (asked_python_) return;
  asked_python_ = true;
  std::vector<std::string> words = {context_.python, "-c", std::string(kPythonProbe)};
  words.insert(words.end(), expected_modules_.begin(), expected_modules_.end());
  const absl::StatusOr<Captured> printed = Capture(*context_.processes, Spec(std::move(words)), kProbeTimeout);
  if (!printed.ok()) return;
  const size_t mark = printed->out.rfind(kProbeMark);
  if (mark == std::string::npos) return;
  const std::string text = printed->out.substr(mark + kProbeMark.size());
  const nlohmann::json answer = nlohmann::json::parse(text.substr(0, text.find('\n')), nullptr, false);
  if (!answer.is_object() || !answer.contains("modules") || !answer["modules"].is_object()) return;
  python_answers_ = true;
  if (answer.contains("python") && answer["python"].is_string()) versions_["python"] = answer["python"];
  for (const auto& [name, entry] : answer["modules"].items()) {
    if (!entry.is_array() || entry.size() != 3 || !entry[0].is_boolean() || !entry[1].is_string() ||
        !entry[2].is_string()) {
      continue;
    }
    const Module module{entry[0], entry[1], entry[2]};
    // The whole package has it, not a part of it.
    if (!module.version.empty()) versions_[name.substr(0, name.find('.'))] = module.version;
    modules_[name] = module;
  }
}

ProcessSpec Requirements::Spec(std::vector<std::string> words) const {
  ProcessSpec spec;
  spec.argv = CommandArguments({.words = std::move(words), .shell = ""}, context_.scripts, context_.unset);
  for (const auto& [name, value] : context_.environment) spec.environment.push_back(Concat(name, "=", value));
  spec.directory = context_.empty;
  return spec;
}

}  // namespace yardmaster::worker
