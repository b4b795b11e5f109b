#include "rules/engine/pipeline/reach.h"

#include <array>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/code/language.h"
#include "rules/engine/code/module_paths.h"
#include "rules/engine/code/source_file.h"
#include "rules/engine/pipeline/changed_files.h"
#include "rules/engine/pipeline/facts.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

constexpr std::chrono::milliseconds kParseLimit{500};
constexpr std::string_view kConftest = "conftest.py";

// Calls that run modules which no import statement names; by the end of their dotted name.
constexpr std::array<std::string_view, 8> kDynamic = {
    "import_module",           "__import__", "run_path",     "run_module",
    "spec_from_file_location", "exec",       "iter_modules", "walk_packages",
};
// Of them, those whose first argument is the name of a module.
constexpr std::array<std::string_view, 2> kByName = {"import_module", "__import__"};
// Calls that start programs; by the begin of their dotted name.
constexpr std::array<std::string_view, 6> kPrograms = {"subprocess.", "os.system", "os.popen",
                                                       "os.exec",     "os.spawn",  "pytest.main"};

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

class Reach {
 public:
  Reach(ReviewTree& tree, std::string& why)
      : tree_(tree), why_(why), paths_(tree.Paths(TreeSide::kHead)), modules_(paths_) {}

  std::optional<std::vector<std::string>> From(const std::string& test_file) {
    const std::optional<std::string> test = Find(test_file);
    if (!test) return std::nullopt;
    tests_ = test->substr(0, test->find('/') + 1);
    Add(*test);
    // Breadth first, so that a tree that fetches its files does so in few rounds.
    while (!waiting_.empty() && why_.empty()) {
      const std::vector<std::string> round = std::exchange(waiting_, {});
      tree_.Prefetch(TreeSide::kHead, round);
      for (const std::string& file : round) {
        if (why_.empty()) Follow(file);
      }
    }
    if (!why_.empty()) return std::nullopt;
    return std::vector<std::string>(seen_.begin(), seen_.end());
  }

 private:
  void Unknown(const std::string& file, std::string_view what) { why_ = absl::StrCat(file, " ", Abs(what)); }

  // The file that a log names, from whatever folder it was run.
  std::optional<std::string> Find(const std::string& name) {
    std::optional<std::string> found;
    for (const std::string& path : paths_) {
      const bool same = path == name || absl::EndsWith(name, "/" + path) || absl::EndsWith(path, "/" + name);
      if (!same || LanguageOfPath(path) != Language::kPython) continue;
      if (path == name) return path;
      // The longest path that ends the name is meant: a shorter one is another file of the same name.
      if (found && absl::EndsWith(name, "/" + path) && found->size() > path.size()) continue;
      if (found && !absl::EndsWith(name, "/" + path)) {
        Unknown(name, "is the name of several files");
        return std::nullopt;
      }
      found = path;
    }
    if (!found) Unknown(name, "is no Python file of the head");
    return found;
  }

  void Add(const std::string& file) {
    if (!seen_.insert(file).second) return;
    if (seen_.size() > kMaxReachedFiles) return Unknown(file, "and others are more files than are followed");
    waiting_.push_back(file);
    for (const std::string& package : modules_.PackagesAround(file)) Add(package);
    if (!file.starts_with(tests_)) return;
    // pytest runs those of the folders around.
    std::string folder = FolderOfPath(file);
    while (true) {
      if (const std::string conftest = folder + std::string(kConftest); modules_.Has(conftest)) Add(conftest);
      if (folder.empty()) break;
      folder = FolderOfPath(folder.substr(0, folder.size() - 1));
    }
  }

  void Follow(const std::string& file) {
    std::optional<std::string> text = tree_.Read(TreeSide::kHead, file);
    if (!text) return Unknown(file, "can't be read");
    const std::shared_ptr<const SourceFile> source = SourceFile::Read(file, *std::move(text), kParseLimit);
    const FileFacts& facts = source->facts();
    if (!facts.errors.empty() || !facts.limits.empty()) return Unknown(file, "is not read to its end");
    for (const ImportFact& import : facts.imports) {
      if (import.place.block == kNoRow) AddNamed(file, import);
    }
    for (const RowIndex row : facts.exprs_by_type[static_cast<size_t>(ExprType::kCall)]) Call(file, facts, row);
    for (const AssignFact& assign : facts.assigns) {
      if (assign.target != kNoRow && facts.exprs[assign.target].name == "pytest_plugins") {
        return Unknown(file, "names plugins of pytest");
      }
    }
  }

  void AddNamed(const std::string& file, const ImportFact& import) {
    for (const std::string& named : modules_.Named(file, import)) Add(named);
  }

  void Call(const std::string& file, const FileFacts& facts, RowIndex row) {
    const RowIndex callee = facts.exprs[row].base;
    if (callee == kNoRow || facts.exprs[callee].name.empty()) return;
    const std::string resolved = Resolved(facts, facts.exprs[callee].name);
    const std::string_view last = LastPart(resolved);
    // A method of that name on something of its own is another thing: `session.exec(…)`.
    const bool dynamic =
        absl::c_linear_search(kDynamic, last) && (last != "exec" || resolved == "exec" || resolved == "builtins.exec");
    if (dynamic) return Dynamic(file, facts, row, last);
    const bool program = absl::c_any_of(kPrograms, [&](std::string_view one) { return resolved.starts_with(one); });
    if (program && file.starts_with(tests_)) Program(file, facts);
  }

  // With what its first part stands for, where that was imported.
  static std::string Resolved(const FileFacts& facts, std::string_view name) {
    const size_t dot = name.find('.');
    const auto alias = facts.aliases.find(name.substr(0, dot));
    if (alias == facts.aliases.end()) return std::string(name);
    return absl::StrCat(Abs(alias->second), dot == std::string_view::npos ? "" : Abs(name.substr(dot)));
  }

  void Dynamic(const std::string& file, const FileFacts& facts, RowIndex row, std::string_view what) {
    if (!absl::c_linear_search(kByName, what)) return Unknown(file, absl::StrCat("calls ", Abs(what)));
    for (RowIndex inner = row + 1; inner < facts.exprs[row].subtree_end; ++inner) {
      const ExprFact& argument = facts.exprs[inner];
      if (argument.parent != row || argument.slot != Slot::kArgument || argument.index != 0) continue;
      // Prefixes but "r" and "u" make it something else than the text that stands there.
      const bool plain =
          argument.type == ExprType::kString && argument.op.find_first_of("fFbB") == std::string_view::npos;
      if (!plain || argument.value.empty() || argument.value.starts_with('.')) break;
      ImportFact import;
      import.form = "import";
      import.module = argument.value;
      return AddNamed(file, import);
    }
    Unknown(file, absl::StrCat("calls ", Abs(what), " with a name that is made at run time"));
  }

  // A test that starts programs: those that it names must be files that are known.
  void Program(const std::string& file, const FileFacts& facts) {
    bool any = false;
    for (const RowIndex row : facts.exprs_by_type[static_cast<size_t>(ExprType::kString)]) {
      const std::string_view value = facts.exprs[row].value;
      if (value.ends_with(".sh")) return Unknown(file, "starts a script of the shell");
      if (!value.ends_with(".py")) continue;
      // The last word: the text may be a whole command.
      const std::string script(value.substr(value.find_last_of(" \t'\"=") + 1));
      const std::string beside = FolderOfPath(file) + script;
      if (modules_.Has(beside)) {
        Add(beside);
      } else if (modules_.Has(script)) {
        Add(script);
      } else {
        return Unknown(file, "starts a program that is no file of the head");
      }
      any = true;
    }
    if (!any) Unknown(file, "starts a program");
  }

  ReviewTree& tree_;
  std::string& why_;
  const std::vector<std::string>& paths_;
  ModulePaths modules_;
  std::string tests_;  // the top folder of the test
  std::set<std::string> seen_;
  std::vector<std::string> waiting_;
};

}  // namespace

std::set<std::string> TestsToReach(const PipelineProfile& profile, const PipelineSignals& signals) {
  std::set<std::string> tests;
  if (!signals.builds.has_value() || !signals.files.has_value() || AllInert(profile, *signals.files)) return tests;
  for (const std::string& file : *signals.files) {
    if (IsBuildInput(profile, file)) return tests;
    if (!IsInert(profile, file) && LanguageOfPath(file) != Language::kPython) return tests;
  }
  for (const PipelineBuild& build : *signals.builds) {
    if (!build.console.has_value() || PullOfBuild(profile, build.description) != signals.number) continue;
    for (const LogFailure& failure : ReadConsoleLog(profile.log, *build.console).failures) {
      if (!failure.test.empty() && LanguageOfPath(failure.file) == Language::kPython) tests.insert(failure.file);
    }
  }
  return tests;
}

std::optional<std::vector<std::string>> ReachOf(ReviewTree& tree, const std::string& test_file, std::string& why) {
  why.clear();
  return Reach(tree, why).From(test_file);
}

}  // namespace yardmaster::rules
