#include "services/worker/run/source.h"

#include <sys/stat.h>

#include <string_view>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/files.h"
#include "services/core/lines.h"
#include "services/core/public_forges.h"
#include "services/core/short_digest.h"
#include "services/worker/errors.h"
#include "services/worker/launch/shell_text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxGitFileBytes = 4 * 1024 * 1024;
constexpr size_t kCommitDigits = 40;
// More are not looked at.
constexpr size_t kMaxSourceFiles = 500'000;
constexpr size_t kLongCommitDigits = 64;

bool IsCommit(std::string_view text) {
  return (text.size() == kCommitDigits || text.size() == kLongCommitDigits) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string FirstLine(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return {};
  absl::StatusOr<std::string> text = ReadSmallFile(file, kMaxGitFileBytes);
  if (!text.ok()) return {};
  return std::string(TrimBlanks(std::string_view(*text).substr(0, text->find('\n'))));
}

rules::SuiteStep FetchCommand(const rules::SourceModel& source, std::string shell) {
  rules::SuiteStep step;
  step.id = "fetch";
  step.title = "fetch " + source.repository;
  step.command.shell = std::move(shell);
  return step;
}

// Only what is needed of one commit comes over the line. What an earlier run left in the folder is thrown away, but not
// the objects of git, so that the same commit is not fetched twice.
rules::SuiteStep FetchStep(const rules::SourceModel& source, const std::filesystem::path& folder) {
  const std::string where = ShellQuoted(folder.native());
  const std::string ref = source.ref.empty() ? "HEAD" : source.ref;
  std::string line = "set -e\nexport GIT_TERMINAL_PROMPT=0\n";
  line += "git init -q " + where + "\ncd " + where + "\n";
  std::string fetch = "git fetch --depth 1 --no-tags " + ShellQuoted(PublicGitUrl(source.repository)) + " " +
                      ShellQuoted(ref) + "\ngit checkout -q -f --detach FETCH_HEAD\n";
  if (IsCommit(source.ref)) {
    line += "if ! git checkout -q -f --detach " + ShellQuoted(source.ref) + " 2>/dev/null; then\n" + fetch + "fi\n";
  } else {
    line += fetch;
  }
  line += "git clean -q -ffdx\n";
  if (source.submodules) line += "git submodule update --init --recursive --depth 1\n";
  line += "git log -1 --format='%H %s'\n";
  return FetchCommand(source, std::move(line));
}

// The same through a bare repository that keeps the objects: nothing but this step writes to it.
rules::SuiteStep FetchStepThrough(const std::filesystem::path& objects, const rules::SourceModel& source,
                                  const std::filesystem::path& folder) {
  const std::string bare = ShellQuoted(objects.native());
  const std::string ref = source.ref.empty() ? "HEAD" : source.ref;
  std::string fetch = "git -C " + bare + " fetch -q --depth 1 --no-tags " +
                      ShellQuoted(PublicGitUrl(source.repository)) + " " + ShellQuoted(ref);
  std::string line = "set -e\nexport GIT_TERMINAL_PROMPT=0\n";
  line += "exec 8>>" + ShellQuoted((objects / kCacheLock).native()) + "\nflock 8\ntouch " +
          ShellQuoted((objects / kCacheLock).native()) + "\n";
  line += "git init -q --bare " + bare + "\ngit -C " + bare + " config uploadpack.allowAnySHA1InWant true\n";
  if (IsCommit(source.ref)) {
    line += "commit=" + source.ref + "\n";
    line += "git -C " + bare + " cat-file -e $commit^{commit} 2>/dev/null || " + fetch + "\n";
  } else {
    line += fetch + "\ncommit=$(git -C " + bare + " rev-parse FETCH_HEAD)\n";
  }
  // Kept from being thrown away.
  line += "git -C " + bare + " update-ref refs/kept/$commit $commit\n";
  line += "git init -q " + ShellQuoted(folder.native()) + "\ncd " + ShellQuoted(folder.native()) + "\n";
  line += "git fetch -q --depth 1 --no-tags " + ShellQuoted("file://" + objects.native()) +
          " $commit\nexec 8>&-\ngit checkout -q -f --detach FETCH_HEAD\n";
  if (source.submodules) line += "git submodule update --init --recursive --depth 1\n";
  line += "git log -1 --format='%H %s'\n";
  return FetchCommand(source, std::move(line));
}

// Folders that runs of tests write to: they are no source.
bool IsKeptByTools(const std::filesystem::path& folder) {
  constexpr std::string_view kNames[] = {".git", "__pycache__", ".pytest_cache", "yard-results"};
  return absl::c_linear_search(kNames, std::string_view(folder.filename().native()));
}

}  // namespace

absl::StatusOr<SourcePlan> PlanSource(const rules::SourceModel& source, const RunOptions& options,
                                      const std::filesystem::path& kept) {
  SourcePlan plan;
  std::error_code error;
  // The folder is somebody's on the machine where the suite was written: nobody may name folders of an attached one.
  if (!source.path.empty() && options.source.empty() && !options.local) return worker_errors::SourceElsewhere();
  if (!options.source.empty() || source.repository.empty()) {
    const std::filesystem::path named =
        source.own.empty() ? std::filesystem::path(source.path) : options.own_suites / source.own;
    plan.folder = options.source.empty() ? named : options.source;
    if (!std::filesystem::is_directory(plan.folder, error))
      return worker_errors::SourceFolderMissing(plan.folder.native());
    plan.folder = std::filesystem::canonical(plan.folder, error);
    return plan;
  }
  std::string name = source.repository;
  absl::c_replace_if(
      name, [](char c) { return c == '/' || c == ':'; }, '-');
  plan.folder =
      kept / "sources" / (name + "-" + ShortDigest(source.ref + (source.submodules ? " with submodules" : "")));
  std::filesystem::create_directories(plan.folder, error);
  if (error) return worker_errors::ResultDirectoryUnusable(plan.folder.native(), error.message());
  if (options.objects.empty()) {
    plan.fetch = FetchStep(source, plan.folder);
    return plan;
  }
  const std::filesystem::path objects = options.objects / (name + ".git");
  std::filesystem::create_directories(objects, error);
  if (error) return worker_errors::ResultDirectoryUnusable(objects.native(), error.message());
  plan.fetch = FetchStepThrough(objects, source, plan.folder);
  return plan;
}

std::string CommitOf(const std::filesystem::path& folder, bool above) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::absolute(folder, error);
  while (above && !error && !std::filesystem::exists(at / ".git", error) && at.has_relative_path())
    at = at.parent_path();
  std::filesystem::path git = at / ".git";
  // A worktree or a submodule: a file that says where.
  if (std::filesystem::is_regular_file(git, error)) {
    const std::string line = FirstLine(git);
    constexpr std::string_view kPointer = "gitdir: ";
    if (!line.starts_with(kPointer)) return {};
    git = at / line.substr(kPointer.size());
  }
  std::string head = FirstLine(git / "HEAD");
  if (IsCommit(head)) return head;
  constexpr std::string_view kRef = "ref: ";
  if (!head.starts_with(kRef)) return {};
  head.erase(0, kRef.size());
  // A worktree has its branches where the repository has them.
  const std::string common = FirstLine(git / "commondir");
  const std::filesystem::path shared = common.empty() ? git : git / common;
  if (std::string commit = FirstLine(shared / head); IsCommit(commit)) return commit;
  absl::StatusOr<std::string> packed = ReadSmallFile(shared / "packed-refs", kMaxGitFileBytes);
  if (!packed.ok()) return {};
  const size_t found = packed->find(" " + head + "\n");
  if (found == std::string::npos || found < kCommitDigits) return {};
  const size_t begin = packed->rfind('\n', found);
  const std::string commit =
      packed->substr(begin == std::string::npos ? 0 : begin + 1, found - (begin == std::string::npos ? 0 : begin + 1));
  return IsCommit(commit) ? commit : std::string();
}

bool ChangedSince(const std::filesystem::path& folder, std::chrono::system_clock::time_point moment) {
  size_t files = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (entry->is_symlink(gone)) continue;
    if (entry->is_directory(gone)) {
      if (IsKeptByTools(entry->path())) entry.disable_recursion_pending();
      continue;
    }
    if (++files > kMaxSourceFiles) return true;
    struct stat about {};
    if (::lstat(entry->path().c_str(), &about) != 0) continue;
    const auto written =
        std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::seconds(about.st_mtim.tv_sec) + std::chrono::nanoseconds(about.st_mtim.tv_nsec)));
    if (written > moment) return true;
  }
  return static_cast<bool>(error);
}

}  // namespace yardmaster::worker
