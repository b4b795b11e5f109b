#include "clients/cli/linters.h"

#include <re2/re2.h>

#include <array>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "services/core/absl_view.h"
#include "services/worker/process/capture.h"

namespace yardmaster::cli {
namespace {

constexpr size_t kMaxLinterOutput = 4 * 1024 * 1024;
constexpr size_t kMaxLinterFiles = 1'000;
// Above it a program was killed or could not be run by its interpreter.
constexpr int kLinterBroken = 126;

// A path of the repository, in front of which its name may stand.
std::string InRepository(std::string_view path, std::string_view repository) {
  const std::string prefix = absl::StrCat(Abs(repository.substr(repository.rfind('/') + 1)), "/");
  return std::string(absl::StripPrefix(absl::StripPrefix(Abs(path), "./"), prefix));
}

bool IsAtOrBelow(std::string_view path, std::string_view place) {
  while (place.ends_with('/')) place.remove_suffix(1);
  return path == place || (path.starts_with(place) && path.substr(place.size()).starts_with('/'));
}

// "f", "Class.f" or "Class::f", as linters name a function `f`.
bool IsFunction(std::string_view shown, std::string_view function) {
  return shown == function || absl::EndsWith(Abs(shown), absl::StrCat("::", Abs(function))) ||
         absl::EndsWith(Abs(shown), absl::StrCat(".", Abs(function)));
}

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
      {"clang-format", {"clang-format", "--dry-run", "--style=file", "--fallback-style=none"}, kCpp, {".clang-format"}},
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

void AddFilters(std::string_view text, std::string_view repository, LeftOutFindings& out) {
  static const RE2 kFilter(R"re(^\s*"([^"]+)"\s+"([^"]+)"\s*$)re");
  for (const absl::string_view line : absl::StrSplit(Abs(text), '\n')) {
    std::string path;
    std::string rule;
    if (RE2::FullMatch(re2::StringPiece(line.data(), line.size()), kFilter, &path, &rule)) {
      out.rules.emplace_back(InRepository(path, repository), rule);
    }
  }
}

void AddAllowed(std::string_view text, std::string_view repository, LeftOutFindings& out) {
  static const RE2 kAllowed(R"(^\s*([^#:\s][^:\s]*):(\S+)\s*$)");
  for (const absl::string_view line : absl::StrSplit(Abs(text), '\n')) {
    std::string path;
    std::string function;
    if (RE2::FullMatch(re2::StringPiece(line.data(), line.size()), kAllowed, &path, &function)) {
      out.functions.emplace_back(InRepository(path, repository), function);
    }
  }
}

std::string WithoutLeftOut(std::string_view output, const LeftOutFindings& left_out) {
  static const RE2 kLine(R"(^(?:\./)?([^:]+):\d+(?::\d+)?: (?:\w+: )?((\S+).*))");
  static const RE2 kRule(R"(\[([^\[\]]+)\]\s*$)");
  std::vector<std::string> kept;
  for (const absl::string_view line : absl::StrSplit(Abs(output), '\n')) {
    std::string path;
    std::string message;
    std::string first;
    std::string rule;
    const bool known = RE2::FullMatch(re2::StringPiece(line.data(), line.size()), kLine, &path, &message, &first);
    if (known) RE2::PartialMatch(message, kRule, &rule);
    const bool filtered = known && absl::c_any_of(left_out.rules, [&](const auto& one) {
                            return one.second == rule && IsAtOrBelow(path, one.first);
                          });
    const bool allowed = known && absl::c_any_of(left_out.functions, [&](const auto& one) {
                           return one.first == path && IsFunction(first, one.second);
                         });
    if (!filtered && !allowed) kept.emplace_back(line);
  }
  return absl::StrJoin(kept, "\n");
}

LinterRun RunLinter(const Linter& tool, const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                    const std::vector<std::string>& files, const std::function<std::string(const char*)>& variable,
                    std::chrono::milliseconds timeout) {
  if (files.size() > kMaxLinterFiles) return {"not run", absl::StrCat(files.size(), " files are too many"), ""};
  worker::ProcessSpec spec;
  spec.argv = tool.argv;
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
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
