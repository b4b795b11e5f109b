// `yard suite list|validate|init`.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/cli/answer.h"
#include "clients/cli/files.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/suite_text.h"
#include "clients/cli/test_suites.h"
#include "clients/cli/verbs.h"
#include "clients/git/remote_url.h"
#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/suites/load_suites.h"
#include "rules/engine/suites/new_suite.h"
#include "rules/engine/suites/suite_file.h"
#include "services/core/files.h"
#include "services/core/lines.h"
#include "services/core/public_forges.h"
#include "services/core/readable.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/process/process.h"
#include "services/worker/run/survey.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxGitConfigBytes = 64 * 1024;

// --- list ---

struct SuiteListOptions {
  std::string pack;
};

absl::StatusOr<ExitCode> ListSuites(const SuiteListOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const PacksFolder folder, SuitePacksFolder(session));
  if (!folder.problems.empty()) return ProblemsError("the packs can't be read:", folder.problems);
  const std::vector<std::string> names = rules::PackNames(folder.files);
  if (!options.pack.empty() && !absl::c_linear_search(names, options.pack)) return PackUnknown(options.pack, names);

  std::vector<std::shared_ptr<const rules::SuiteSet>> sets;
  std::vector<const rules::SuiteModel*> suites;
  Problems problems;
  rules::SuiteLoader loader(folder.files);
  for (const std::string& name : names) {
    if (!options.pack.empty() && name != options.pack) continue;
    sets.push_back(loader.Load(name, problems));
    if (sets.back() == nullptr) continue;
    for (const rules::SuiteModel& suite : sets.back()->suites) {
      // One that is inherited stands under the pack that has it, unless this pack alone was asked for.
      if (suite.pack == name || !options.pack.empty()) suites.push_back(&suite);
    }
  }
  SortProblems(problems);
  if (!problems.empty()) return ProblemsError("the suites are not valid:", problems);
  PrintRows(
      "suites", suites, [](const rules::SuiteModel* suite) { return SuiteJson(*suite); }, SuiteTable, session,
      "there are no suites");
  return ExitCode::kDone;
}

// --- validate ---

// What the suite needs and this machine has not.
void AddMissing(const rules::SuiteModel& suite, worker::Survey& survey, std::vector<std::string>& missing) {
  for (const std::string& clause : survey.Missing(suite)) missing.push_back(absl::StrCat(suite.id, " needs ", clause));
}

// Looks at this machine once for all suites of a call.
class MachineSurvey {
 public:
  explicit MachineSurvey(const Environment& env)
      : processes_(worker::MakeProcessStarter()),
        tools_(worker::MakeToolRunner()),
        nvidia_(worker::MakeNvidiaProbe(tools_)),
        ascend_(worker::MakeAscendProbe(tools_)),
        survey_(*processes_, {nvidia_.get(), ascend_.get()}, env.variable) {}
  worker::Survey& survey() { return survey_; }

 private:
  std::unique_ptr<worker::ProcessStarter> processes_;
  std::shared_ptr<worker::ToolRunner> tools_;
  std::unique_ptr<worker::DeviceProbe> nvidia_;
  std::unique_ptr<worker::DeviceProbe> ascend_;
  worker::Survey survey_;
};

SuiteCheck CheckPack(const PacksFolder& folder, const std::string& pack, worker::Survey& survey) {
  SuiteCheck check;
  check.what = pack;
  for (const Problem& problem : folder.problems) {
    if (problem.file.starts_with(pack + "/")) check.problems.push_back(problem);
  }
  const auto set = rules::LoadSuites(folder.files, pack, check.problems);
  if (set != nullptr) {
    for (const rules::SuiteModel& suite : set->suites) {
      check.suites.push_back(suite.id);
      AddMissing(suite, survey, check.missing_here);
    }
  }
  SortProblems(check.problems);
  return check;
}

SuiteCheck CheckFile(const std::string& path, Session& session, worker::Survey& survey) {
  SuiteCheck check;
  check.what = path;
  const absl::StatusOr<std::string> bytes = ReadInputFile(path, session.env, rules::kMaxSuiteFileBytes);
  if (!bytes.ok()) {
    check.problems.push_back({path, "", 0, 0, std::string(bytes.status().message())});
    return check;
  }
  const auto read = rules::ReadSuiteFile(rules::SuiteFileKind::kSuites, path, *bytes, "", check.problems);
  if (read.has_value()) {
    for (const auto& suite : read->suites) {
      check.suites.push_back(suite.model.id);
      AddMissing(suite.model, survey, check.missing_here);
    }
    if (!read->recipe_references.empty()) {
      session.output.Note("recipes are looked up where the file lies in a pack: 'yard suite validate PACK'");
    }
  }
  SortProblems(check.problems);
  return check;
}

// Suites by name, as `yard test run` takes them. Only what concerns the suite's own pack is checked.
absl::StatusOr<std::vector<SuiteCheck>> CheckNamed(const PacksFolder& folder, const std::string& name,
                                                   worker::Survey& survey) {
  const std::vector<std::string> names = rules::PackNames(folder.files);
  const auto [wanted_pack, id] = ParseSuiteName(name);
  if (!wanted_pack.empty() && !absl::c_linear_search(names, wanted_pack)) return PackUnknown(wanted_pack, names);
  std::vector<std::string> known = names;
  std::vector<SuiteCheck> checks;
  for (const std::string& pack : names) {
    if (!wanted_pack.empty() && pack != wanted_pack) continue;
    SuiteCheck check = CheckPack(folder, pack, survey);
    const bool has = absl::c_linear_search(check.suites, id);
    // A bad pack may be the one that has it.
    if (has || (!check.valid() && !wanted_pack.empty())) {
      check.what = has ? absl::StrCat(pack, "/", id) : pack;
      if (has) check.suites = {id};
      const std::string of_it = absl::StrCat(id, " ");
      std::erase_if(check.missing_here, [&](const std::string& one) { return !one.starts_with(of_it); });
      checks.push_back(std::move(check));
    } else {
      for (const std::string& other : check.suites) known.push_back(absl::StrCat(pack, "/", other));
    }
  }
  if (!checks.empty()) return checks;
  const std::string nearest = NearestSuite(name, known);
  return NegativeError(absl::StrCat("there is no pack, suite or file ", Quoted(name),
                                    nearest.empty() ? "" : absl::StrCat("; did you mean ", Quoted(nearest), "?")));
}

absl::StatusOr<std::vector<SuiteCheck>> CheckSuites(const std::string& what, Session& session) {
  std::error_code ignored;
  MachineSurvey machine(session.env);
  if (!what.empty() && (what == "-" || fs::is_regular_file(what, ignored))) {
    return std::vector{CheckFile(what, session, machine.survey())};
  }
  if (!what.empty() && IsPackFolder(what)) {
    const PackAtFolder pack = ReadPackAt(session, what);
    return std::vector{CheckPack(pack.folder, pack.name, machine.survey())};
  }
  ASSIGN_OR_RETURN(const PacksFolder folder, SuitePacksFolder(session));
  std::vector<SuiteCheck> checks;
  for (const std::string& name : rules::PackNames(folder.files)) {
    if (what.empty() || what == name) checks.push_back(CheckPack(folder, name, machine.survey()));
  }
  if (what.empty() || !checks.empty()) return checks;
  return CheckNamed(folder, what, machine.survey());
}

// `what`: a pack, pack/id, id, a pack's folder, or a file; empty: all packs.
absl::StatusOr<ExitCode> ValidateSuites(const std::string& what, Session& session) {
  ASSIGN_OR_RETURN(const std::vector<SuiteCheck> checks, CheckSuites(what, session));
  const bool valid = absl::c_all_of(checks, [](const SuiteCheck& check) { return check.valid(); });
  if (session.options.json) {
    session.output.Json({{"valid", valid}, {"checked", JsonList(checks, SuiteCheckJson)}});
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

absl::Status WriteNew(const std::string& path, const std::string& text, Session& session) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return UsageError(absl::StrCat("'", path, "' can't be made: ", error.message()));
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Create(path, session.env));
  file->stream() << text;
  return file->Commit();
}

// A plain folder becomes a pack of its own name: a manifest alone can be checked, and not be run.
absl::Status MakePack(const fs::path& folder, const std::string& name, Session& session) {
  const bool fits = !name.empty() && absl::c_all_of(name, [](unsigned char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
  });
  if (!fits) {
    return UsageError(absl::StrCat("the folder ", Quoted(name),
                                   " becomes a pack of that name: use only a to z, 0 to 9 and '-' for it"));
  }
  const nlohmann::ordered_json pack = {{"name", name}, {"title", "Suites of " + name}};
  return WriteNew((folder / "pack.json").string(), pack.dump(2) + "\n", session);
}

// The `origin` of a checkout; nothing where there is none, or it is on no forge that suites are fetched from.
std::optional<RemoteRepository> OriginOf(const fs::path& folder) {
  std::error_code error;
  const fs::path config = folder / ".git" / "config";
  if (!fs::is_regular_file(config, error)) return std::nullopt;
  const absl::StatusOr<std::string> text = ReadSmallFile(config, kMaxGitConfigBytes);
  if (!text.ok()) return std::nullopt;
  bool in_origin = false;
  for (const absl::string_view raw : absl::StrSplit(*text, '\n')) {
    const std::string_view line = TrimBlanks(std::string_view(raw.data(), raw.size()));
    if (line.starts_with('[')) in_origin = line == "[remote \"origin\"]";
    const size_t sign = line.find('=');
    if (!in_origin || !line.starts_with("url") || sign == std::string_view::npos) continue;
    return ParseRemoteUrl(TrimBlanks(line.substr(sign + 1)));
  }
  return std::nullopt;
}

// The first Python of PATH that can run tests; empty where that is python3 anyway, or none can.
std::string PythonWithPytest(const Environment& env) {
  const std::unique_ptr<worker::ProcessStarter> processes = worker::MakeProcessStarter();
  rules::SuiteModel probe;
  probe.requirements.emplace_back();
  probe.requirements[0].kind = rules::Requirement::Kind::kModule;
  probe.requirements[0].name = "pytest";
  bool first = true;
  const std::string folders = env.variable("PATH");
  for (const absl::string_view folder : absl::StrSplit(folders, ':', absl::SkipEmpty())) {
    std::error_code error;
    const fs::path python = fs::path(std::string(folder)) / "python3";
    if (!fs::is_regular_file(python, error)) continue;
    probe.environment.interpreter = python.string();
    worker::Survey survey(*processes, {}, env.variable);
    if (survey.Missing(probe).empty()) return first ? "" : python.string();
    first = false;
  }
  return "";
}

// Where pytest finds tests: the folder of that name, or the project's own where they lie at its top; empty: nowhere.
std::string TestsIn(const fs::path& folder) {
  std::error_code error;
  for (const char* tests : {"tests", "test"}) {
    if (fs::is_directory(folder / tests, error)) return tests;
  }
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"))) return ".";
  }
  return "";
}

// What the folder says about the project in it. It is tested where it lies.
rules::NewSuiteProject ProjectIn(const fs::path& folder, const Environment& env) {
  rules::NewSuiteProject project;
  project.repository.clear();
  project.path = folder.string();
  std::error_code error;
  project.title = absl::StrCat("Tests of ", folder.filename().string());
  project.tests = TestsIn(folder);
  const fs::path ranked = fs::path(project.tests) / "distributed";
  project.ranked_tests = fs::is_directory(folder / ranked, error) ? ranked.lexically_normal().string() : project.tests;
  for (const char* python : {".venv/bin/python", "venv/bin/python"}) {
    if (!project.interpreter.empty() || !fs::exists(folder / python, error)) continue;
    project.interpreter = (folder / python).string();
  }
  if (project.interpreter.empty() && !project.tests.empty()) project.interpreter = PythonWithPytest(env);
  const std::optional<RemoteRepository> origin = OriginOf(folder);
  for (const PublicForge& forge : kPublicForges) {
    if (!origin.has_value() || origin->bare_host() != forge.host) continue;
    if (absl::c_count(origin->name, '/') == 1) project.repository = QualifiedName(forge.name, origin->name);
  }
  return project;
}

// The project that a folder of a pack belongs to: the checkout around it, or what lies beside a folder "packs". The
// folder itself where there is none: its suite then has an example in place of tests.
fs::path ProjectAround(const fs::path& pack) {
  std::error_code error;
  for (fs::path at = pack.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    const bool beside = at == pack.parent_path().parent_path() && pack.parent_path().filename() == "packs";
    if (fs::exists(at / ".git", error) || (beside && !TestsIn(at).empty())) return at;
  }
  return pack;
}

// Whether the folder has files that a pack may not have: the pack is then made in a folder of its own below it.
bool HoldsProject(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name != "suites" && name != "pack.json" && name != "README.md") return true;
  }
  return false;
}

absl::StatusOr<ExitCode> Init(const InitOptions& options, Session& session) {
  if (options.to_stdout == !options.folder.empty()) {
    return UsageError("expected a folder to write the manifest to, or --stdout");
  }
  std::error_code error;
  fs::path folder(options.folder);
  fs::path project = fs::weakly_canonical(folder, error);
  // "packs/mine/" ends with an empty name.
  if (!project.has_filename()) project = project.parent_path();
  const std::string pack = project.filename().string();
  const bool holds_project = !options.folder.empty() && !IsPackFolder(options.folder) && HoldsProject(folder);
  if (holds_project) folder = folder / "packs" / pack;
  const std::string text =
      options.to_stdout ? rules::NewSuiteText(options.id, options.launcher)
                        : rules::NewSuiteText(options.id, options.launcher,
                                              ProjectIn(holds_project ? project : ProjectAround(project), session.env));
  Problems problems;
  if (rules::LoadSuiteManifest("manifest", text, "", problems) == nullptr) {
    // Nothing but the id is the caller's.
    return UsageError("--id: " + problems.front().message);
  }
  if (options.to_stdout) {
    session.output.out() << text;
    return ExitCode::kDone;
  }

  const std::string path = (folder / "suites" / (options.id + ".json")).string();
  if (fs::exists(fs::symlink_status(path, error))) {
    return UsageError(absl::StrCat("'", path, "' is there already; choose another --id"));
  }
  if (!IsPackFolder(folder.string())) RETURN_IF_ERROR(MakePack(folder, pack, session));
  RETURN_IF_ERROR(WriteNew(path, text, session));
  if (session.options.json) {
    session.output.Json({{"file", path}, {"id", options.id}, {"pack", pack}});
  } else {
    session.output.out() << path << '\n';
  }
  const fs::path packs = holds_project ? project / "packs" : project.parent_path();
  session.output.Note("check it with: yard suite validate " + folder.string());
  session.output.Note(
      absl::StrCat("run it with: yard --packs ", packs.string(), " test run ", pack, "/", options.id, " --local"));
  return ExitCode::kDone;
}

}  // namespace

void AddSuiteVerbs(Verb& yard) {
  Verb& suite = yard.Add(
      "suite", "List, check and begin suites: what is built and tested, and how",
      {"yard suite list", "yard suite validate", "yard suite init ./packs/my-pack --id operators --launcher torchrun"});

  Verb& list =
      suite.Add("list", "List the suites of the packs", {"yard suite list", "yard suite list --pack my-pack --json"});
  list.Value("--pack", &list.Runs(ListSuites).pack, "PACK", "Only this pack, with what it inherits");

  Verb& validate =
      suite.Add("validate", "Check suites, failure signatures and recipes; name every problem",
                {"yard suite validate", "yard suite validate my-pack", "yard suite validate my-pack/operators",
                 "yard suite validate ./packs/my-pack", "yard suite validate operators.json --json"});
  validate.Argument(
      "SUITE", &validate.Runs(ValidateSuites),
      "A pack, a suite (id or pack/id), the folder (DIR) of a pack or the FILE of a manifest (default: all packs)");

  Verb& init = suite.Add("init", "Write a small manifest to begin with; it never replaces a file",
                         {"yard suite init ./packs/my-pack", "yard suite init . --id operators --launcher mpirun",
                          "yard suite init --stdout --launcher torchrun"});
  InitOptions& options = init.Runs(Init);
  init.Argument("DIR", &options.folder,
                "Folder of a pack; an empty folder becomes one of that name, one with a project gets packs/NAME");
  init.Flag("--stdout", &options.to_stdout, "Print the manifest instead");
  init.Value("--id", &options.id, "ID", "Id of the suite, and name of its file").ShowsDefault();
  init.Value("--launcher", &options.launcher, "How the ranks of its last layer are started")
      .OneOf(rules::LauncherNames())
      .ShowsDefault();
}

}  // namespace yardmaster::cli
