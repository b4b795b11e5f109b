// Python modules that a command can't do without, whatever the manifest's "requires" says: plugins of pytest by the
// options that only they know, and what builds a package where nothing is fetched for it. Pure, but for the project's
// own pyproject.toml and conftest.py.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_IMPLIED_MODULES_H_
#define YARDMASTER_SERVICES_WORKER_RUN_IMPLIED_MODULES_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"

namespace yardmaster::worker {

struct ImpliedModule {
  std::string module;
  std::string because;    // "pytest is called with --timeout"
  std::string signature;  // by which a log would show it: "pytest-plugin-missing"
  std::string option;     // that the plugin brings; empty: it is no plugin
};

// Of a command that starts the suite's own interpreter (${PYTHON}, python, python3); others may run another one. A
// shell line that decides by itself what it runs says nothing.
std::vector<ImpliedModule> ImpliedModules(const rules::CommandLine& command, const rules::Variables& variables);

// Whether a conftest.py of the project names the option between quotes: then it brings it itself. True also where there
// are too many files to look at.
bool ProjectDefines(const std::filesystem::path& source, const std::string& option);

// Whether the command builds a package with what is installed.
bool BuildsWithoutIsolation(const rules::CommandLine& command);
// What builds the package in `source`, as far as the names of its modules are known; by its pyproject.toml, or
// setuptools and wheel for a setup.py alone.
std::vector<ImpliedModule> BuildBackend(const std::filesystem::path& source);
// All modules that the above may name.
std::vector<std::string> KnownBackends();

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_IMPLIED_MODULES_H_
