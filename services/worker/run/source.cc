#include "services/worker/run/source.h"

#include <sys/stat.h>

#include <string_view>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/files.h"
#include "services/core/lines.h"
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

// "github:OWNER/REPO" → where git finds it. Empty for other forges, which no manifest may name.
std::string UrlOf(std::string_view repository) {
  constexpr std::string_view kForges[][2] = {{"github:", "https://github.com/"}, {"gitcode:", "https://gitcode.com/"}};
  for (const auto& forge : kForges) {
    if (repository.starts_with(forge[0])) {
      return std::string(forge[1]) + std::string(repository.substr(forge[0].size())) + ".git";
    }
  }
  return {};
}

// Only what is needed of one commit comes over the line. What an earlier run left in the folder is thrown away, but not
// the objects of git, so that the same commit is not fetched twice.
rules::SuiteStep FetchStep(const rules::SourceModel& source, const std::filesystem::path& folder) {
  const std::string where = ShellQuoted(folder.native());
  const std::string ref = source.ref.empty() ? "HEAD" : source.ref;
  std::string line = "set -e\nexport GIT_TERMINAL_PROMPT=0\n";
  line += "git init -q " + where + "\ncd " + where + "\n";
  std::string fetch = "git fetch --depth 1 --no-tags " + ShellQuoted(UrlOf(source.repository)) + " " +
                      ShellQuoted(ref) + "\ngit checkout -q -f --detach FETCH_HEAD\n";
  if (IsCommit(source.ref)) {
    line += "if ! git checkout -q -f --detach " + ShellQuoted(source.ref) + " 2>/dev/null; then\n" + fetch + "fi\n";
  } else {
    line += fetch;
  }
  line += "git clean -q -ffdx\n";
  if (source.submodules) line += "git submodule update --init --recursive --depth 1\n";
  line += "git log -1 --format='%H %s'\n";
  rules::SuiteStep step;
  step.id = "fetch";
  step.title = "fetch " + source.repository;
  step.command.shell = std::move(line);
  return step;
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
  plan.fetch = FetchStep(source, plan.folder);
  return plan;
}

std::string CommitOf(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::absolute(folder, error);
  while (!error && !std::filesystem::exists(at / ".git", error) && at.has_relative_path()) at = at.parent_path();
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
