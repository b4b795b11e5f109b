#include "clients/cli/linters.h"

#include <array>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/worker/process/capture.h"

namespace yardmaster::cli {
namespace {

constexpr size_t kMaxLinterOutput = 4 * 1024 * 1024;
constexpr size_t kMaxLinterFiles = 1'000;
// Above it a program was killed or could not be run by its interpreter.
constexpr int kLinterBroken = 126;

}  // namespace

const std::vector<Linter>& KnownLinters() {
  static const std::vector<std::string> kCpp = {"**/*.cc", "**/*.cpp", "**/*.h", "**/*.hpp", "**/*.cu"};
  static const std::vector<Linter> kLinters = {
      {"pylint",
       {"pylint", "--score=n", "--msg-template={path}:{line}:{column}: {category}: {msg} [{symbol}]"},
       {"**/*.py"},
       {".pylintrc", "pylintrc"}},
      {"ruff", {"ruff", "check", "--output-format=concise", "--no-cache"}, {"**/*.py"}, {"ruff.toml", ".ruff.toml"}},
      {"flake8", {"flake8"}, {"**/*.py"}, {".flake8"}},
      {"lizard", {"lizard", "-w"}, {"**/*.py", "**/*.cc", "**/*.cpp", "**/*.h"}, {"whitelizard.txt"}},
      {"clang-format", {"clang-format", "--dry-run"}, kCpp, {".clang-format"}},
      {"cpplint", {"cpplint", "--quiet"}, kCpp, {"CPPLINT.cfg"}},
      {"cmakelint", {"cmakelint"}, {"**/CMakeLists.txt", "**/*.cmake"}, {".cmakelintrc"}},
      {"shellcheck", {"shellcheck", "--format=gcc"}, {"**/*.sh"}, {".shellcheckrc"}},
      {"markdownlint-cli2",
       {"markdownlint-cli2"},
       {"**/*.md"},
       {".markdownlint-cli2.yaml", ".markdownlint-cli2.jsonc", ".markdownlint.json", ".markdownlint.yaml"}},
      {"codespell", {"codespell"}, {"**/*"}, {".codespellrc"}},
  };
  return kLinters;
}

const std::vector<std::string>& LinterLists() {
  static const std::vector<std::string> kLists = {".pre-commit-config.yaml", "pyproject.toml", "setup.cfg", "tox.ini"};
  return kLists;
}

bool IsSetUp(const Linter& tool, const std::vector<std::string>& paths,
             const std::function<std::string(const std::string& path)>& read) {
  const auto is_there = [&paths](const std::string& path) { return absl::c_linear_search(paths, path); };
  if (absl::c_any_of(tool.settings, is_there)) return true;
  return absl::c_any_of(LinterLists(), [&](const std::string& list) {
    return is_there(list) && absl::StrContains(read(list), tool.name);
  });
}

LinterRun RunLinter(const Linter& tool, const std::filesystem::path& folder, const std::vector<std::string>& files,
                    const std::function<std::string(const char*)>& variable, std::chrono::milliseconds timeout) {
  if (files.size() > kMaxLinterFiles) return {"not run", absl::StrCat(files.size(), " files are too many"), ""};
  worker::ProcessSpec spec;
  spec.argv = tool.argv;
  // A name that begins with "-" is no option.
  for (const std::string& file : files) spec.argv.push_back(file.starts_with('-') ? "./" + file : file);
  spec.directory = folder;
  spec.environment = {"LC_ALL=C.UTF-8"};
  for (const char* name :
       {"PATH", "HOME", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"}) {
    if (const std::string value = variable(name); !value.empty()) {
      spec.environment.push_back(absl::StrCat(name, "=", value));
    }
  }
  const std::unique_ptr<worker::ProcessStarter> processes = worker::MakeProcessStarter();
  absl::StatusOr<worker::Captured> captured = worker::Capture(*processes, std::move(spec), timeout, kMaxLinterOutput);
  if (absl::IsNotFound(captured.status())) return {"not run", absl::StrCat("there is no ", tool.name, " here"), ""};
  if (!captured.ok()) return {"not run", std::string(captured.status().message()), ""};
  if (captured->code >= kLinterBroken) return {"not run", absl::StrCat("it ended with code ", captured->code), ""};
  return {"done", "", absl::StrCat(captured->out, "\n", captured->err)};
}

}  // namespace yardmaster::cli
