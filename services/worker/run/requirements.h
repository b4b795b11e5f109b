// Whether what a suite needs is there. Each thing is looked for once in a run.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_REQUIREMENTS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_REQUIREMENTS_H_

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/cells.h"
#include "rules/suites/placeholders.h"
#include "rules/suites/suite_model.h"
#include "services/worker/launch/launch.h"
#include "services/worker/process/process.h"

namespace yardmaster::worker {

// The version in the output of "PROGRAM --version": behind the word "release" or "version", else the first number with
// a dot. Empty if there is none.
std::string VersionIn(std::string_view printed);

struct RequirementContext {
  ProcessStarter* processes = nullptr;
  Environment environment;  // of the suite's commands, before its scripts
  std::vector<std::string> scripts;
  std::vector<std::string> unset;
  std::string python;
  std::filesystem::path source;
  // An empty folder to start probes in: they must not import what lies in the source by accident.
  std::filesystem::path empty;
  rules::PlaceholderValues values;  // the general ones
};

class Requirements {
 public:
  explicit Requirements(RequirementContext context) : context_(std::move(context)) {}

  // The modules that any requirement of the suite names, so that one start of the interpreter answers for all.
  void ExpectModules(const rules::SuiteModel& suite);
  // One more; before anything is asked.
  void ExpectModule(const std::string& module, bool version);

  // Why a requirement is not met in this cell; nothing: it is, or it is about devices, or does not hold in this cell.
  std::optional<std::string> WhyNot(const rules::Requirement& requirement, const rules::Cell& cell);
  // Why a module that was expected is not to be had; nothing: it is, or the interpreter does not answer.
  std::optional<std::string> WhyNoModule(const std::string& module);
  // Empty: it is not there, or of an unknown version.
  std::string ModuleVersion(const std::string& module);
  // Forgets what was missing: the build may have brought it.
  void Refresh();

  // Version of a tool, asked once; empty: not known. `name` may be a path.
  std::string ToolVersion(const std::string& name);
  bool HasTool(const std::string& name) { return !ToolPath(name).empty(); }

  // Also asks for the tools that programs are usually built with, and for CANN: what a result was made with matters,
  // though no suite may have asked for it.
  void NoteToolchain();

  // Tools and modules that were asked for and are not there.
  const std::set<std::string>& missing() const { return missing_; }

  // "python" → "3.11.2", "cann" → "8.0.RC3", and what else was asked for and answered.
  const std::map<std::string, std::string>& versions() const { return versions_; }

 private:
  struct Module {
    bool found = false;
    std::string version;
    std::string problem;
  };
  std::optional<std::string> WhyNoTool(const rules::Requirement& requirement);
  std::optional<std::string> WhyNotModule(const rules::Requirement& requirement);
  // Path of a program in the environment's PATH; empty: there is none.
  std::string ToolPath(const std::string& name);
  const Environment& Sourced();
  void AskPython();
  ProcessSpec Spec(std::vector<std::string> words) const;

  RequirementContext context_;
  std::vector<std::string> expected_modules_;
  std::optional<Environment> sourced_;
  bool asked_python_ = false;
  bool python_answers_ = false;
  std::map<std::string, Module> modules_;
  std::map<std::string, std::string> tool_versions_;
  std::map<std::string, std::string> versions_;
  std::set<std::string> missing_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_REQUIREMENTS_H_
