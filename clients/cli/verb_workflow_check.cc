// `yard workflow check`: what a commit would have, under the packs' rules and
// the project's own linters.
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/linters.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/review_answer.h"
#include "clients/cli/review_packs.h"
#include "clients/cli/terminal.h"
#include "clients/cli/test_suites.h"
#include "clients/cli/verbs.h"
#include "clients/cli/workflow_forge.h"
#include "clients/git/git_program.h"
#include "clients/git/git_repository.h"
#include "rules/engine/linters/linter_settings.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/glob.h"
#include "services/core/status_macros.h"
#include "services/review/diff_review.h"
#include "services/review/git_change.h"
#include "services/review/imported_findings.h"
#include "services/workflow/result.h"
#include "services/workflow/staging.h"
#include "services/workflow/workspace.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kCheckGitLimit{10};
constexpr std::chrono::minutes kLinterLimit{5};
constexpr size_t kMaxLinterSettingsBytes = 1024 * 1024;

struct WorkflowCheckArguments {
  std::string repo = ".";
  std::vector<std::string> packs;
  std::vector<std::string> tools;
  bool no_tools = false;
};

// The tree that `commit` would make, as a commit that nothing names.
struct Candidate {
  std::string commit;
  std::vector<std::string> paths;  // that differ from HEAD
};

absl::StatusOr<Candidate> MakeCandidate(const workflow::Workspace& work, workflow::Staging& staging,
                                        const fs::path& scratch) {
  Candidate candidate;
  RETURN_IF_ERROR(staging.AddTracked());
  ASSIGN_OR_RETURN(candidate.paths, staging.Changed());
  ASSIGN_OR_RETURN(const std::string tree, staging.WriteTree());
  RETURN_IF_ERROR(WriteFileAtomically(scratch / "message", "yard workflow check\n"));
  ASSIGN_OR_RETURN(candidate.commit, staging.MakeCommit(tree, {work.state.head}, scratch / "message", /*sign=*/false));
  return candidate;
}

// What the packs say of one linter, and what the project leaves out of its
// findings.
struct LinterSetUp {
  const rules::LinterSettings* settings = nullptr;  // nullptr: no pack says anything
  LeftOutFindings left_out;
};

// The packs that are used for the review, and those that have suites of the
// main repository.
absl::StatusOr<std::vector<std::shared_ptr<const rules::LinterProfile>>> LinterProfiles(const CheckSets& packs,
                                                                                        const std::string& repository,
                                                                                        Session& session) {
  ASSIGN_OR_RETURN(const PacksFolder folder, SuitePacksFolder(session));
  ASSIGN_OR_RETURN(std::vector<std::string> names, PacksOfRepository(folder, repository));
  for (const auto& checks : packs) names.push_back(checks->pack());
  std::vector<std::shared_ptr<const rules::LinterProfile>> profiles;
  for (const std::string& name : names) {
    Problems problems;
    const auto profile = rules::LoadLinters(folder.files, name, problems);
    if (!problems.empty()) return ProblemsError(absl::StrCat("the linters of '", name, "' are not valid"), problems);
    const bool is_new = profile != nullptr &&
                        absl::c_none_of(profiles, [&profile](const auto& one) { return one->pack == profile->pack; });
    if (is_new) profiles.push_back(profile);
  }
  return profiles;
}

using ReadProjectFile = std::function<std::string(const std::string& path)>;

LinterSetUp SetUpOf(const Linter& tool, const std::vector<std::shared_ptr<const rules::LinterProfile>>& profiles,
                    const std::string& repository, const ReadProjectFile& read) {
  LinterSetUp out;
  for (const auto& profile : profiles) {
    if (out.settings == nullptr) out.settings = profile->Find(tool.name);
  }
  if (out.settings == nullptr) return out;
  for (const std::string& path : out.settings->filters) AddFilters(read(path), repository, out.left_out);
  for (const std::string& path : out.settings->allowed) AddAllowed(read(path), repository, out.left_out);
  return out;
}

// Writes the settings of the pack where the project has none.
absl::Status WriteSettings(const LinterSetUp& set_up, const fs::path& folder) {
  if (set_up.settings == nullptr || set_up.settings->settings_path.empty()) return absl::OkStatus();
  const fs::path file = folder / set_up.settings->settings_path;
  std::error_code error;
  if (fs::exists(fs::symlink_status(file, error))) return absl::OkStatus();
  fs::create_directories(file.parent_path(), error);
  return WriteFileAtomically(file, set_up.settings->settings);
}

bool LinterReads(const Linter& tool, const rules::LinterSettings* settings, const std::string& path) {
  const auto is_among = [&path](const std::vector<std::string>& globs) {
    return absl::c_any_of(globs, [&path](const std::string& glob) { return MatchesGlob(glob, path); });
  };
  if (settings == nullptr) return is_among(tool.files);
  return is_among(settings->files.empty() ? tool.files : settings->files) && !is_among(settings->except);
}

// Runs the tools that the project has set up, or those that were asked for, on
// `files`, which lie below `folder`.
absl::StatusOr<bool> RunLinters(const WorkflowCheckArguments& arguments,
                                const std::vector<std::shared_ptr<const rules::LinterProfile>>& profiles,
                                const std::string& repository, const std::vector<std::string>& all_paths,
                                const std::vector<std::string>& files, const fs::path& folder, GitChange& change,
                                Session& session, ReviewReport& report, workflow::Result& result) {
  bool found = false;
  const ReadProjectFile read = [&change](const std::string& path) {
    const absl::StatusOr<std::optional<std::string>> text =
        change.Read(ChangeSide::kHead, path, kMaxLinterSettingsBytes);
    return text.ok() && text->has_value() ? **text : std::string();
  };
  for (const Linter& tool : KnownLinters()) {
    const bool asked = absl::c_linear_search(arguments.tools, tool.name);
    const LinterSetUp set_up = SetUpOf(tool, profiles, repository, read);
    const bool is_set_up = set_up.settings != nullptr || IsSetUp(tool, all_paths, read);
    if (!asked && (!arguments.tools.empty() || !is_set_up)) continue;
    std::vector<std::string> own;
    absl::c_copy_if(files, std::back_inserter(own),
                    [&](const std::string& path) { return LinterReads(tool, set_up.settings, path); });
    if (own.empty()) continue;
    RETURN_IF_ERROR(WriteSettings(set_up, folder));
    const std::vector<std::string> none;
    const LinterRun run = RunLinter(tool, set_up.settings != nullptr ? set_up.settings->arguments : none, folder, own,
                                    session.env.variable, kLinterLimit);
    if (run.state != "done") {
      result.steps.push_back({tool.name, "not run", run.detail});
      continue;
    }
    ImportOptions options;
    options.tool = tool.name;
    options.root = folder.string();
    ASSIGN_OR_RETURN(const ImportCounts counts, ImportFindings(WithoutLeftOut(run.output, set_up.left_out),
                                                               ImportFormat::kLines, options, change, report));
    found = found || counts.added_new > 0;
    result.steps.push_back(
        {tool.name, "done", absl::StrCat(counts.added_new, " new, ", counts.added_still, " on lines that stay")});
  }
  return found;
}

absl::StatusOr<ExitCode> RunWorkflowCheck(const WorkflowCheckArguments& arguments, Session& session) {
  // 1. What a commit would have.
  workflow::Result result;
  result.command = "check";
  absl::StatusOr<workflow::Workspace> opened = workflow::OpenWorkspace(arguments.repo, /*dry_run=*/true);
  if (!opened.ok()) return AsUsage(opened.status());
  workflow::Workspace& work = *opened;
  if (work.state.head.empty()) return UsageError("the branch has no commit yet");
  result.branch = work.branch();
  result.untracked = work.state.untracked;
  ASSIGN_OR_RETURN(const fs::path scratch, work.Scratch());
  RETURN_IF_ERROR(CopyIndex(work.clone->index_file(), scratch / "index"));
  const std::unique_ptr<GitProgram> git = MakeGitProgram(arguments.repo, session.env.variable, kCheckGitLimit);
  workflow::Staging staging(*git, scratch / "index", scratch, work.clone->common_dir() / "objects");
  absl::StatusOr<Candidate> candidate = MakeCandidate(work, staging, scratch);
  if (!candidate.ok()) return AsUsage(candidate.status());

  // 2. Our rules.
  ReviewReport report;
  CheckSets packs;
  bool found = false;
  if (!candidate->paths.empty()) {
    ASSIGN_OR_RETURN(std::unique_ptr<GitTree> base, work.repository->TreeOf(work.state.head));
    ASSIGN_OR_RETURN(std::unique_ptr<GitTree> head, work.repository->TreeOf(candidate->commit));
    ASSIGN_OR_RETURN(const std::unique_ptr<GitChange> change,
                     GitChange::Between(*work.repository, std::move(base), std::move(head)));
    ASSIGN_OR_RETURN(packs, LoadReviewPacks(session, arguments.packs, candidate->paths, PackNotes::kQuiet));
    DiffReviewOptions options;
    options.today = absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone());
    options.jobs = std::max(1U, std::thread::hardware_concurrency());
    ASSIGN_OR_RETURN(report, ReviewChange(packs, *change, options));
    if (packs.empty()) {
      result.steps.push_back({"rules", "not run", "no pack has rules for these files; --pack names one"});
    } else {
      result.steps.push_back({"rules", "done", absl::StrJoin(report.packs, ", ")});
    }
    // 3. The project's own linters.
    if (!arguments.no_tools) {
      ASSIGN_OR_RETURN(const std::vector<std::string>* all, change->Paths(ChangeSide::kHead));
      const fs::path files = scratch / "files";
      std::vector<std::string> wanted = candidate->paths;
      absl::c_copy_if(*all, std::back_inserter(wanted), [](const std::string& path) {
        return absl::c_linear_search(LinterLists(), path) ||
               absl::c_any_of(KnownLinters(),
                              [&path](const Linter& tool) { return absl::c_linear_search(tool.settings, path); });
      });
      RETURN_IF_ERROR(staging.Export(wanted, files));
      std::vector<std::string> left;
      std::error_code error;
      absl::c_copy_if(candidate->paths, std::back_inserter(left),
                      [&files, &error](const std::string& path) { return fs::is_regular_file(files / path, error); });
      ASSIGN_OR_RETURN(const std::string repository, MainRepositoryOf(arguments.repo, session.env));
      ASSIGN_OR_RETURN(const auto profiles, LinterProfiles(packs, repository, session));
      ASSIGN_OR_RETURN(
          found, RunLinters(arguments, profiles, repository, *all, left, files, *change, session, report, result));
    }
    SortFindings(report.findings);
    OnlyNew(report);
  } else {
    result.outcome = workflow::Result::Outcome::kNothing;
    result.reason = "no changes to check";
  }

  // 4. The answer.
  if (report.Reaches(rules::Severity::kBlock) || found) {
    result.outcome = workflow::Result::Outcome::kRefused;
    result.reason = found ? "a linter of the project finds something new" : "there are blocking findings";
    result.fix = "mend what is told, then check again";
  }
  if (session.options.json) {
    nlohmann::ordered_json json = workflow::ToJson(result);
    json["findings"] = ReportJson(report)["findings"];
    session.output.Json(json);
  } else {
    if (!packs.empty() || !report.findings.empty()) {
      PrintReview(
          ReviewAnswerOptions(), packs, report, [](const std::string&) { return nullptr; }, session);
    }
    session.output.out() << PrintableLines(workflow::ToText(result));
  }
  return result.outcome == workflow::Result::Outcome::kRefused ? ExitCode::kNegative : ExitCode::kDone;
}

}  // namespace

void AddWorkflowCheckVerb(Verb& group) {
  Verb& check = group.Add("check",
                          "Check what a commit would have: the packs' rules, and the "
                          "linters of the project",
                          {"yard workflow check", "yard workflow check --tool pylint --tool codespell --json"},
                          "Linters run on copies of the changed files, where the project "
                          "has set them up and they are "
                          "installed; one that is missing is told as not run. Index and "
                          "files stay as they are.");
  WorkflowCheckArguments& arguments = check.Runs(RunWorkflowCheck);
  check.Value("--repo", &arguments.repo, "DIR", "The clone (default: .)");
  check.Value("--pack", &arguments.packs, "PACK",
              "Pack to check with; may be given several times (default: the "
              "one that fits)");
  check.Value("--tool", &arguments.tools, "NAME", "This linter, set up or not; may be given several times");
  check.Flag("--no-tools", &arguments.no_tools, "The packs' rules alone");
}

}  // namespace yardmaster::cli
