#include "services/worker/run/implied_modules.h"

#include <re2/re2.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/files.h"
#include "services/worker/re2_piece.h"
#include "services/worker/run/installs.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxProjectFileBytes = 1024 * 1024;
constexpr size_t kMaxProjectFiles = 100'000;

// Options, and the plugin that brings them. One that ends with "-" stands for all that begin so.
constexpr std::string_view kPytestOptions[][2] = {{"--timeout", "pytest_timeout"},
                                                  {"--timeout-method", "pytest_timeout"},
                                                  {"--timeout_method", "pytest_timeout"},
                                                  {"--numprocesses", "xdist"},
                                                  {"-n", "xdist"},
                                                  {"--dist", "xdist"},
                                                  {"--cov", "pytest_cov"},
                                                  {"--cov-", "pytest_cov"},
                                                  {"--reruns", "pytest_rerunfailures"},
                                                  {"--reruns-", "pytest_rerunfailures"},
                                                  {"--forked", "pytest_forked"},
                                                  {"--html", "pytest_html"},
                                                  {"--json-report", "pytest_jsonreport"},
                                                  {"--json-report-", "pytest_jsonreport"},
                                                  {"--benchmark-", "pytest_benchmark"},
                                                  {"--asyncio-mode", "pytest_asyncio"}};

// Modules that are called by "-m" and are never the project's own.
constexpr std::string_view kCalled[] = {"pytest", "pip", "build"};

// Packages that build others, and the module of each.
constexpr std::string_view kBackends[][2] = {{"setuptools", "setuptools"},
                                             {"setuptools-scm", "setuptools_scm"},
                                             {"wheel", "wheel"},
                                             {"hatchling", "hatchling"},
                                             {"flit-core", "flit_core"},
                                             {"poetry-core", "poetry"},
                                             {"pdm-backend", "pdm"},
                                             {"scikit-build", "skbuild"},
                                             {"scikit-build-core", "scikit_build_core"},
                                             {"meson-python", "mesonpy"},
                                             {"maturin", "maturin"},
                                             {"pybind11", "pybind11"},
                                             {"nanobind", "nanobind"},
                                             {"cython", "Cython"},
                                             {"cffi", "cffi"},
                                             {"numpy", "numpy"},
                                             {"torch", "torch"}};

using Words = std::vector<std::string>;

// Without the quotes around words and blanks inside of them: options have none.
Words WordsOf(std::string_view text) {
  Words words;
  for (const std::string_view word : SplitWords(text)) {
    std::string plain(word);
    std::erase_if(plain, [](char c) { return c == '"' || c == '\''; });
    words.push_back(std::move(plain));
  }
  return words;
}

// The commands of a line that are run one after the other, up to one that may install what those after it need. None
// where the line decides by itself what it runs.
std::vector<Words> CommandsOf(const rules::CommandLine& command) {
  if (!command.words.empty()) return {command.words};
  static const RE2 kDecides(R"(\|\||`|\$\(|\b(?:if|case|while|for|until)\b)");
  static const RE2 kEnd(R"([;\n]|&&|\||&)");
  if (RE2::PartialMatch(command.shell, kDecides)) return {};
  std::string text = command.shell;
  RE2::GlobalReplace(&text, kEnd, "\n");
  std::vector<Words> commands;
  for (const std::string_view line : Split(text, '\n')) {
    commands.push_back(WordsOf(line));
    rules::CommandLine one;
    one.shell = line;
    if (MayInstall(one, "")) break;
  }
  return commands;
}

// What stands behind "python -m NAME", NAME among it; empty if the words start no interpreter of the suite.
Words ModuleCall(const Words& words) {
  static const RE2 kVariable(R"(^\w+=.*$)");
  static const RE2 kPython(R"(^(?:\$\{?PYTHON\}?|python3?)$)");
  size_t at = 0;
  while (at < words.size() && (RE2::FullMatch(words[at], kVariable) || words[at] == "exec" || words[at] == "env")) ++at;
  if (at >= words.size() || !RE2::FullMatch(words[at], kPython)) return {};
  const auto option = std::find(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), "-m");
  if (option == words.end() || option + 1 == words.end()) return {};
  return {option + 1, words.end()};
}

// "-n4" is -n, "-no" is not; "--dist=load" is --dist, "--distributed" is not.
bool IsOption(std::string_view word, std::string_view option) {
  if (option.starts_with("--")) {
    return option.ends_with('-') ? word.starts_with(option) : word.substr(0, word.find('=')) == option;
  }
  if (!word.starts_with(option)) return false;
  const std::string_view rest = word.substr(option.size());
  return rest.empty() || rest == "auto" || NumberOf(rest).has_value();
}

void AddPlugins(const Words& words, std::string_view called, std::vector<ImpliedModule>& implied) {
  for (const std::string& word : words) {
    for (const auto& [option, module] : kPytestOptions) {
      if (!IsOption(word, option)) continue;
      const std::string name = word.substr(0, word.find('='));
      implied.push_back({std::string(module), Concat(called, " with ", name), "pytest-plugin-missing", name});
      break;
    }
  }
}

// "[build-system]\nrequires = ["setuptools>=61", "wheel"]": names without versions, in the spelling of kBackends.
std::vector<std::string> BuildRequires(std::string_view project) {
  static const RE2 kTable(R"((?s)(?:^|\n)\[build-system\]\s*\n(.*?)(?:\n\[|$))");
  // A bracket between quotes is an extra's: "setuptools_scm[toml]".
  static const RE2 kList(R"re((?:^|\n)\s*requires\s*=\s*\[((?:"[^"]*"|'[^']*'|[^\]"'])*)\])re");
  static const RE2 kName(R"re(["']\s*([A-Za-z0-9][\w.-]*))re");
  std::string table;
  std::string list;
  std::vector<std::string> names;
  if (!RE2::PartialMatch(Piece(project), kTable, &table) || !RE2::PartialMatch(table, kList, &list)) return names;
  // Between quotes: '"a; python_version < \"3.8\""' has its marker behind the name.
  static const RE2 kText(R"re(("[^"]*"|'[^']*'))re");
  re2::StringPiece rest(list);
  std::string text;
  std::string name;
  while (RE2::FindAndConsume(&rest, kText, &text)) {
    // What is needed somewhere only may not be needed here.
    if (Contains(text, ";") || !RE2::PartialMatch(text, kName, &name)) continue;
    name = LowerCase(name);
    absl::c_replace(name, '_', '-');
    names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<ImpliedModule> ImpliedModules(const rules::CommandLine& command, const rules::Variables& variables) {
  std::vector<ImpliedModule> implied;
  for (const Words& words : CommandsOf(command)) {
    const Words call = ModuleCall(words);
    if (call.empty()) continue;
    if (absl::c_linear_search(kCalled, call.front())) {
      implied.push_back({call.front(), Concat(call.front(), " is called"), "python-module-missing", ""});
    }
    if (call.front() != "pytest") continue;
    AddPlugins(call, "pytest is called", implied);
    for (const auto& [name, value] : variables) {
      if (name == "PYTEST_ADDOPTS") AddPlugins(WordsOf(value), "PYTEST_ADDOPTS calls it", implied);
    }
  }
  return implied;
}

bool ProjectDefines(const std::filesystem::path& source, const std::string& option) {
  size_t files = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(source, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++files > kMaxProjectFiles) return true;
    std::error_code gone;
    if (entry->path().filename() == ".git") entry.disable_recursion_pending();
    if (entry->path().filename() != "conftest.py" || !entry->is_regular_file(gone)) continue;
    const absl::StatusOr<std::string> text = ReadSmallFile(entry->path(), kMaxProjectFileBytes);
    if (text.ok() && (Contains(*text, Concat("\"", option, "\"")) || Contains(*text, Concat("'", option, "'"))))
      return true;
  }
  return false;
}

bool BuildsWithoutIsolation(const rules::CommandLine& command) {
  return absl::c_any_of(CommandsOf(command), [](const Words& words) {
    const Words call = ModuleCall(words);
    if (call.empty()) return false;
    const bool pip = call.front() == "pip" && absl::c_linear_search(call, "--no-build-isolation");
    const bool build =
        call.front() == "build" && (absl::c_linear_search(call, "--no-isolation") || absl::c_linear_search(call, "-n"));
    return pip || build;
  });
}

std::vector<ImpliedModule> BuildBackend(const std::filesystem::path& source) {
  std::error_code error;
  std::vector<std::string> names;
  const std::filesystem::path project = source / "pyproject.toml";
  if (std::filesystem::is_regular_file(project, error)) {
    const absl::StatusOr<std::string> text = ReadSmallFile(project, kMaxProjectFileBytes);
    if (text.ok()) names = BuildRequires(*text);
  } else if (std::filesystem::is_regular_file(source / "setup.py", error)) {
    names = {"setuptools", "wheel"};
  }
  std::vector<ImpliedModule> implied;
  for (const auto& [package, module] : kBackends) {
    if (!absl::c_linear_search(names, package)) continue;
    implied.push_back(
        {std::string(module), "the package is built with what is installed", "build-backend-missing", ""});
  }
  return implied;
}

std::vector<std::string> KnownBackends() {
  std::vector<std::string> modules;
  for (const auto& backend : kBackends) modules.emplace_back(backend[1]);
  return modules;
}

}  // namespace yardmaster::worker
