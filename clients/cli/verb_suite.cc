// `yard suite list|validate|init`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/files.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/suite_text.h"
#include "clients/cli/test_suites.h"
#include "clients/cli/verbs.h"
#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/suites/load_suites.h"
#include "rules/engine/suites/new_suite.h"
#include "rules/engine/suites/suite_file.h"
#include "services/core/errors.h"
#include "services/core/readable.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

// The packs folder, unless files of it can't be read: kUsage then, after saying which.
std::optional<PacksFolder> ReadablePacks(Session& session) {
  std::optional<PacksFolder> folder = LocalPacksFolder(session);
  if (!folder.has_value() || folder->problems.empty()) return folder;
  session.output.Error("the packs can't be read:");
  ReportProblems(session, folder->problems);
  return std::nullopt;
}

bool HasPack(const std::vector<std::string>& names, std::string_view pack) {
  return std::find(names.begin(), names.end(), pack) != names.end();
}

ExitCode UnknownPack(Session& session, const std::vector<std::string>& names, std::string_view pack) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  session.output.Error(std::string(errors::PackUnknown(pack, known).message()));
  return ExitCode::kNegative;
}

// --- list ---

struct ListOptions {
  std::string pack;
};

ExitCode List(const ListOptions& options, Session& session) {
  const std::optional<PacksFolder> folder = ReadablePacks(session);
  if (!folder.has_value()) return ExitCode::kUsage;
  const std::vector<std::string> names = rules::PackNames(folder->files);
  if (!options.pack.empty() && !HasPack(names, options.pack)) return UnknownPack(session, names, options.pack);

  std::vector<std::shared_ptr<const rules::SuiteSet>> sets;
  std::vector<const rules::SuiteModel*> suites;
  Problems problems;
  for (const std::string& name : names) {
    if (!options.pack.empty() && name != options.pack) continue;
    sets.push_back(rules::LoadSuites(folder->files, name, problems));
    if (sets.back() == nullptr) continue;
    for (const rules::SuiteModel& suite : sets.back()->suites) {
      // One that is inherited stands under the pack that has it, unless this pack alone was asked for.
      if (suite.pack == name || !options.pack.empty()) suites.push_back(&suite);
    }
  }
  if (!problems.empty()) {
    SortProblems(problems);
    session.output.Error("the suites are not valid:");
    ReportProblems(session, problems);
    return ExitCode::kUsage;
  }
  if (session.options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const rules::SuiteModel* suite : suites) list.push_back(SuiteJson(*suite));
    session.output.Json({{"suites", list}});
  } else if (suites.empty()) {
    session.output.Note("there are no suites");
  } else {
    session.output.out() << SuiteTable(suites, session.output);
  }
  return ExitCode::kDone;
}

// --- validate ---

struct ValidateOptions {
  std::string what;  // a pack, pack/id, id, a pack's folder, or a file; empty: all packs
};

SuiteCheck CheckPack(const PacksFolder& folder, const std::string& pack) {
  SuiteCheck check;
  check.what = pack;
  for (const Problem& problem : folder.problems) {
    if (problem.file.starts_with(pack + "/")) check.problems.push_back(problem);
  }
  const auto set = rules::LoadSuites(folder.files, pack, check.problems);
  if (set != nullptr) {
    for (const rules::SuiteModel& suite : set->suites) check.suites.push_back(suite.id);
  }
  SortProblems(check.problems);
  return check;
}

SuiteCheck CheckFile(const std::string& path, Session& session) {
  SuiteCheck check;
  check.what = path;
  std::string error;
  const std::unique_ptr<InputFile> file = InputFile::Open(path, session.env, error);
  std::optional<std::string> bytes;
  if (file != nullptr) bytes = file->ReadAll(rules::kMaxSuiteFileBytes, error);
  if (!bytes.has_value()) {
    check.problems.push_back({path, "", 0, 0, error});
    return check;
  }
  const auto read = rules::ReadSuiteFile(rules::SuiteFileKind::kSuites, path, *bytes, "", check.problems);
  if (read.has_value()) {
    for (const auto& suite : read->suites) check.suites.push_back(suite.model.id);
    if (!read->recipe_references.empty()) {
      session.output.Note("recipes are looked up where the file lies in a pack: 'yard suite validate PACK'");
    }
  }
  SortProblems(check.problems);
  return check;
}

// Suites by name, as `yard test run` takes them. Only what concerns the suite's own pack is checked.
ExitCode CheckNamed(const PacksFolder& folder, const std::string& name, Session& session,
                    std::vector<SuiteCheck>& checks) {
  const std::vector<std::string> names = rules::PackNames(folder.files);
  const auto [wanted_pack, id] = ParseSuiteName(name);
  if (!wanted_pack.empty() && !HasPack(names, wanted_pack)) return UnknownPack(session, names, wanted_pack);
  std::vector<std::string> known(names.begin(), names.end());
  for (const std::string& pack : names) {
    if (!wanted_pack.empty() && pack != wanted_pack) continue;
    SuiteCheck check = CheckPack(folder, pack);
    const bool has = std::find(check.suites.begin(), check.suites.end(), id) != check.suites.end();
    // A bad pack may be the one that has it.
    if (has || (!check.valid() && !wanted_pack.empty())) {
      check.what = has ? absl::StrCat(pack, "/", id) : pack;
      if (has) check.suites = {id};
      checks.push_back(std::move(check));
    } else {
      for (const std::string& other : check.suites) known.push_back(absl::StrCat(pack, "/", other));
    }
  }
  if (!checks.empty()) return ExitCode::kDone;
  const std::string nearest = NearestSuite(name, known);
  session.output.Error("there is no pack, suite or file " + Quoted(name) +
                       (nearest.empty() ? std::string() : "; did you mean " + Quoted(nearest) + "?"));
  return ExitCode::kNegative;
}

ExitCode Check(const std::string& what, Session& session, std::vector<SuiteCheck>& checks) {
  std::error_code ignored;
  if (!what.empty() && (what == "-" || fs::is_regular_file(what, ignored))) {
    checks.push_back(CheckFile(what, session));
    return ExitCode::kDone;
  }
  if (!what.empty() && IsPackFolder(what)) {
    const PackAtFolder pack = ReadPackAt(session, what);
    checks.push_back(CheckPack(pack.folder, pack.name));
    return ExitCode::kDone;
  }
  const std::optional<PacksFolder> folder = LocalPacksFolder(session);
  if (!folder.has_value()) return ExitCode::kUsage;
  const std::vector<std::string> names = rules::PackNames(folder->files);
  if (what.empty()) {
    for (const std::string& name : names) checks.push_back(CheckPack(*folder, name));
    return ExitCode::kDone;
  }
  if (HasPack(names, what)) {
    checks.push_back(CheckPack(*folder, what));
    return ExitCode::kDone;
  }
  return CheckNamed(*folder, what, session, checks);
}

ExitCode Validate(const ValidateOptions& options, Session& session) {
  std::vector<SuiteCheck> checks;
  const ExitCode code = Check(options.what, session, checks);
  if (code != ExitCode::kDone) return code;
  const bool valid = std::all_of(checks.begin(), checks.end(), [](const SuiteCheck& check) { return check.valid(); });
  if (session.options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SuiteCheck& check : checks) list.push_back(SuiteCheckJson(check));
    session.output.Json({{"valid", valid}, {"checked", list}});
  } else {
    for (const SuiteCheck& check : checks) session.output.out() << SuiteCheckText(check, session.output);
  }
  return valid ? ExitCode::kDone : ExitCode::kUsage;
}

// --- init ---

struct InitOptions {
  std::string folder;
  bool to_stdout = false;
  std::string id = "my-suite";
  std::string launcher = "none";
};

ExitCode Init(const InitOptions& options, Session& session) {
  if (options.to_stdout == !options.folder.empty()) {
    session.output.Error("expected a folder to write the manifest to, or --stdout");
    return ExitCode::kUsage;
  }
  const std::string text = rules::NewSuiteText(options.id, options.launcher);
  Problems problems;
  if (rules::LoadSuiteManifest("manifest", text, "", problems) == nullptr) {
    // Nothing but the id is the caller's.
    session.output.Error("--id: " + problems.front().message);
    return ExitCode::kUsage;
  }
  if (options.to_stdout) {
    session.output.out() << text;
    return ExitCode::kDone;
  }

  const fs::path folder = IsPackFolder(options.folder) ? fs::path(options.folder) / "suites" : fs::path(options.folder);
  const fs::path path = folder / (options.id + ".json");
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    session.output.Error("'" + path.string() + "' is there already; choose another --id");
    return ExitCode::kUsage;
  }
  fs::create_directories(folder, error);
  if (error) {
    session.output.Error("'" + folder.string() + "' can't be made: " + error.message());
    return ExitCode::kUsage;
  }
  std::string message;
  const std::unique_ptr<OutputFile> file = OutputFile::Create(path.string(), session.env, message);
  if (file == nullptr) {
    session.output.Error(message);
    return ExitCode::kUsage;
  }
  file->stream() << text;
  if (!file->Commit(message)) {
    session.output.Error(message);
    return ExitCode::kSystem;
  }
  if (session.options.json) {
    session.output.Json({{"file", path.string()}, {"id", options.id}});
  } else {
    session.output.out() << path.string() << '\n';
  }
  session.output.Note("check it with: yard suite validate " + path.string());
  return ExitCode::kDone;
}

}  // namespace

void AddSuiteVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* suite = AddVerb(app, "suite", "List, check and begin suites: what is built and tested, and how",
                            "  yard suite list\n"
                            "  yard suite validate\n"
                            "  yard suite init ./packs/my-pack --id operators --launcher torchrun");
  suite->require_subcommand(1);

  auto list_options = std::make_shared<ListOptions>();
  CLI::App* list = AddVerb(*suite, "list", "List the suites of the packs",
                           "  yard suite list\n  yard suite list --pack my-pack --json");
  list->add_option("--pack", list_options->pack, "Only this pack, with what it inherits")->type_name("PACK");
  list->callback(
      [&chosen, list_options] { chosen = [list_options](Session& session) { return List(*list_options, session); }; });

  auto validate_options = std::make_shared<ValidateOptions>();
  CLI::App* validate = AddVerb(*suite, "validate", "Check suites, failure signatures and recipes; name every problem",
                               "  yard suite validate\n"
                               "  yard suite validate my-pack\n"
                               "  yard suite validate my-pack/operators\n"
                               "  yard suite validate ./packs/my-pack\n"
                               "  yard suite validate operators.json --json");
  validate
      ->add_option(
          "SUITE", validate_options->what,
          "A pack, a suite (id or pack/id), the folder (DIR) of a pack or the FILE of a manifest (default: all "
          "packs)")
      ->type_name("");
  validate->callback([&chosen, validate_options] {
    chosen = [validate_options](Session& session) { return Validate(*validate_options, session); };
  });

  auto init_options = std::make_shared<InitOptions>();
  CLI::App* init = AddVerb(*suite, "init", "Write a small manifest to begin with; it never replaces a file",
                           "  yard suite init ./packs/my-pack\n"
                           "  yard suite init . --id operators --launcher mpirun\n"
                           "  yard suite init --stdout --launcher torchrun");
  init->add_option("DIR", init_options->folder, "Folder of a pack (then below its suites/), or any folder")
      ->type_name("");
  init->add_flag("--stdout", init_options->to_stdout, "Print the manifest instead");
  init->add_option("--id", init_options->id, "Id of the suite, and name of its file")
      ->type_name("ID")
      ->capture_default_str();
  init->add_option("--launcher", init_options->launcher, "How the ranks of its last layer are started")
      ->check(CLI::IsMember(rules::LauncherNames()))
      ->capture_default_str();
  init->callback(
      [&chosen, init_options] { chosen = [init_options](Session& session) { return Init(*init_options, session); }; });
}

}  // namespace yardmaster::cli
