// `yard review diff`: reviews what lies between two commits of a repository, or what is about to be committed.
#include <chrono>
#include <ctime>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "clients/cli/files.h"
#include "clients/cli/pull_meta_file.h"
#include "clients/cli/review_answer.h"
#include "clients/cli/review_packs.h"
#include "clients/cli/verbs.h"
#include "clients/git/git_repository.h"
#include "rules/engine/code/source_file.h"
#include "services/commands/repository_file.h"
#include "services/core/json_document.h"
#include "services/core/public_forges.h"
#include "services/core/status_macros.h"
#include "services/review/diff_review.h"
#include "services/review/git_change.h"
#include "services/review/imported_findings.h"

namespace yardmaster::cli {
namespace {

constexpr size_t kMaxRepositoryFileBytes = 1024 * 1024;
constexpr std::string_view kHead = "HEAD";

struct DiffArguments {
  std::string repo = ".";
  std::string base;
  std::string head;
  std::string meta;
  std::vector<std::string> packs;
  std::vector<std::string> rules;
  std::vector<std::string> imports;
  std::string profile;
  std::optional<int> stage;
  ReviewAnswerOptions answer;
  bool staged = false;
  bool work_tree = false;
  bool all = false;
};

// The two trees that were named.
struct Trees {
  std::unique_ptr<GitTree> base;
  std::unique_ptr<GitTree> head;
};

absl::StatusOr<Trees> TreesOf(const DiffArguments& arguments, GitRepository& repository) {
  Trees trees;
  if (arguments.staged || arguments.work_tree) {
    const absl::StatusOr<std::string> commit = repository.Resolve(kHead);
    if (commit.ok()) {
      ASSIGN_OR_RETURN(trees.base, repository.TreeOf(*commit));
    } else if (absl::IsNotFound(commit.status())) {
      trees.base = repository.EmptyTree();  // before the first commit
    } else {
      return commit.status();
    }
    ASSIGN_OR_RETURN(trees.head, arguments.staged ? repository.IndexTree() : repository.WorkTree());
    return trees;
  }
  ASSIGN_OR_RETURN(const std::string base, repository.Resolve(arguments.base));
  ASSIGN_OR_RETURN(const std::string head,
                   repository.Resolve(arguments.head.empty() ? kHead : std::string_view(arguments.head)));
  ASSIGN_OR_RETURN(const std::string merge_base, repository.MergeBase(base, head));
  ASSIGN_OR_RETURN(trees.base, repository.TreeOf(merge_base));
  ASSIGN_OR_RETURN(trees.head, repository.TreeOf(head));
  return trees;
}

// What the repository's file at base says about reviews; one that can't be used is told and left out.
absl::StatusOr<rules::ReviewSettings> SettingsAtBase(Change& change, Session& session) {
  for (const PublicForge& forge : kPublicForges) {
    const std::string path = commands::RepositoryFilePath(forge.name);
    ASSIGN_OR_RETURN(const std::optional<std::string> text,
                     change.Read(ChangeSide::kBase, path, kMaxRepositoryFileBytes));
    if (!text.has_value()) continue;
    Problems problems;
    std::optional<commands::RepositoryFile> file = commands::ParseRepositoryFile(path, *text, {}, problems);
    if (file.has_value()) return file->review;
    for (const Problem& problem : problems) session.output.Note(problem.ToString());
  }
  return rules::ReviewSettings();
}

// For excerpts of the findings' lines.
class HeadTexts {
 public:
  explicit HeadTexts(Change& change) : change_(change) {}
  const std::string* Find(const std::string& path) {
    if (path != path_ || !text_.has_value()) {
      absl::StatusOr<std::optional<std::string>> text = change_.Read(ChangeSide::kHead, path, rules::kMaxSourceBytes);
      path_ = path;
      text_ = text.ok() ? *std::move(text) : std::nullopt;
    }
    return text_.has_value() ? &*text_ : nullptr;
  }

 private:
  Change& change_;
  std::string path_;
  std::optional<std::string> text_;
};

// Adds what other tools found. Their absolute paths lie below the work tree.
absl::Status AddImports(const DiffArguments& arguments, const std::string& work_tree, Change& change,
                        ReviewReport& report, Session& session) {
  for (const std::string& file : arguments.imports) {
    ASSIGN_OR_RETURN(const std::string text, ReadInputFile(file, session.env, kMaxImportBytes));
    ImportOptions options;
    options.root = work_tree;
    const absl::StatusOr<ImportCounts> counts = ImportFindings(text, ImportFormat::kAuto, options, change, report);
    if (!counts.ok()) return UsageError(absl::StrCat(file, ": ", counts.status().message()));
    session.output.Note(absl::StrCat(file, ": ", counts->read, " findings, ", counts->added_new, " of them new, ",
                                     counts->duplicates, " told already, ", counts->left_out, " left out"));
  }
  return absl::OkStatus();
}

absl::Status CheckArguments(const DiffArguments& arguments, const Session& session) {
  RETURN_IF_ERROR(CheckReviewFormat(arguments.answer, session));
  const int ways = (arguments.staged ? 1 : 0) + (arguments.work_tree ? 1 : 0) + (arguments.base.empty() ? 0 : 1);
  if (ways != 1) {
    return UsageError("expected one of: --base COMMIT [--head COMMIT], --staged, --worktree");
  }
  if (!arguments.head.empty() && arguments.base.empty()) return UsageError("--head needs --base");
  if (session.options.server_given) {
    return UsageError("'review diff' reviews a repository that lies here: it works without a server");
  }
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> RunDiff(const DiffArguments& arguments, Session& session) {
  RETURN_IF_ERROR(CheckArguments(arguments, session));
  const auto started = std::chrono::steady_clock::now();
  DiffReviewOptions options;
  if (!arguments.meta.empty()) {
    ASSIGN_OR_RETURN(options.meta, ReadPullMeta(arguments.meta, session.env));
  }

  // 1. The change.
  absl::StatusOr<std::unique_ptr<GitRepository>> repository = GitRepository::Open(arguments.repo);
  if (!repository.ok()) return AsUsage(repository.status());
  absl::StatusOr<Trees> trees = TreesOf(arguments, **repository);
  if (!trees.ok()) return AsUsage(trees.status());
  absl::StatusOr<std::unique_ptr<GitChange>> opened =
      GitChange::Between(**repository, std::move(trees->base), std::move(trees->head));
  if (!opened.ok()) return AsUsage(opened.status());
  Change& change = **opened;

  // 2. What it is reviewed under.
  std::vector<std::string> paths;
  for (const ChangedFile& file : change.files()) paths.push_back(file.path);
  ASSIGN_OR_RETURN(const CheckSets packs, LoadReviewPacks(session, arguments.packs, paths));
  RETURN_IF_ERROR(CheckRules(arguments.rules, packs));
  ASSIGN_OR_RETURN(options.settings, SettingsAtBase(change, session));
  options.profile = arguments.profile;
  options.stage = arguments.stage;
  options.only = arguments.rules;
  options.today = absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone());
  options.jobs = std::max(1u, std::thread::hardware_concurrency());

  // 3. The review.
  ASSIGN_OR_RETURN(ReviewReport report, ReviewChange(packs, change, options));
  RETURN_IF_ERROR(AddImports(arguments, (*repository)->work_tree(), change, report, session));
  SortFindings(report.findings);
  if (!arguments.all) OnlyNew(report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  HeadTexts texts(change);
  PrintReview(
      arguments.answer, packs, report, [&](const std::string& path) { return texts.Find(path); }, session);
  if (!report.complete) session.output.Note("not everything was seen; 'skipped' says what");
  return JudgeReview(arguments.answer, report);
}

}  // namespace

void AddReviewDiffVerb(Verb& review) {
  Verb& diff =
      review.Add("diff", "Review what a change adds: what holds at its head and not at its base",
                 {"yard review diff --base origin/main", "yard review diff --repo mirror.git --base v1 --head v2 --all",
                  "yard review diff --staged --fail-on major",
                  "ruff check . --output-format concise > ruff.txt; yard review diff --base main --import ruff.txt "
                  "--format github"});
  DiffArguments& arguments = diff.Runs(RunDiff);
  diff.Value("--repo", &arguments.repo, "DIR", "A clone, a linked work tree or a bare repository (default: .)");
  diff.Value("--base", &arguments.base, "COMMIT",
             "What the change is to be merged into; their merge base is compared with");
  diff.Value("--head", &arguments.head, "COMMIT", "The change (default: HEAD)");
  diff.Flag("--staged", &arguments.staged, "What would be committed now, compared with HEAD");
  diff.Flag("--worktree", &arguments.work_tree, "The files as they lie there, untracked ones too, compared with HEAD");
  diff.Value("--meta", &arguments.meta, "FILE",
             "JSON of what only the forge knows: {title, body, labels, author, commits: [{sha, message, author}]}");
  diff.Value(
      "--import", &arguments.imports, "FILE",
      "What another tool found: SARIF, checkstyle, GitHub's annotations or file:line:col: message; new where the "
      "change touches the line; may be given several times");
  diff.Flag("--all", &arguments.all, "Findings that were there before, and those that are fixed, too");
  diff.Value("--pack", &arguments.packs, "PACK",
             "Pack to review with; may be given several times (default: the one that fits)");
  diff.Value("--profile", &arguments.profile, "PROFILE",
             "Profile of the pack (default: as the repository's file at base says, else the pack's)");
  diff.Value("--stage", &arguments.stage, "N", "Only checks of this stage").Between(0, 1000);
  diff.Value("--rule", &arguments.rules, "RULE", "Only this rule, all its parts, or part; may be given several times");
  AddReviewAnswerOptions(diff, arguments.answer);
}

}  // namespace yardmaster::cli
