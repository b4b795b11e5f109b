#include "services/workflow/staging.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "clients/git/commit_tree.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxCommitMessageBytes = 1024 * 1024;

// A record of `git diff --raw -z` in front of its path: ":100644 100644 ID ID M".
bool KeepsItsMode(const std::string& record) {
  const std::vector<std::string> columns = absl::StrSplit(record, ' ');
  return columns.size() == 5 && columns[0] == ":" + columns[1] && columns[4] == "M";
}

}  // namespace

Staging::Staging(GitProgram& git, const std::filesystem::path& index, std::filesystem::path scratch,
                 const std::filesystem::path& objects)
    : git_(git), scratch_(std::move(scratch)), variables_({"GIT_INDEX_FILE=" + index.string()}) {
  if (objects.empty()) return;
  variables_.push_back("GIT_OBJECT_DIRECTORY=" + (scratch_ / "objects").string());
  variables_.push_back("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects.string());
}

absl::Status Staging::AddTracked() { return git_.Text({"add", "--update", "--", ":/"}, variables_).status(); }

absl::StatusOr<std::vector<std::string>> Staging::Changed() {
  ASSIGN_OR_RETURN(
      const GitOutput names,
      git_.Run({"diff", "--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "HEAD"}, variables_));
  if (names.code != 0) return errors::GitProgramFailed("diff", GitComplaint(names.err));
  return SplitAtNul(names.out);
}

absl::StatusOr<std::vector<std::string>> Staging::Cosmetic() {
  ASSIGN_OR_RETURN(const GitOutput raw,
                   git_.Run({"diff", "--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", "HEAD"}, variables_));
  ASSIGN_OR_RETURN(const GitOutput counted,
                   git_.Run({"diff", "--cached", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv",
                             "--ignore-space-at-eol", "--ignore-blank-lines", "HEAD"},
                            variables_));
  if (raw.code != 0) return errors::GitProgramFailed("diff", GitComplaint(raw.err));
  if (counted.code != 0) return errors::GitProgramFailed("diff", GitComplaint(counted.err));
  std::set<std::string> real;
  for (const std::string& record : SplitAtNul(counted.out)) {
    const std::vector<std::string> columns = absl::StrSplit(record, absl::MaxSplits('\t', 2));
    if (columns.size() == 3 && (columns[0] != "0" || columns[1] != "0")) real.insert(columns[2]);
  }
  std::vector<std::string> cosmetic;
  const std::vector<std::string> records = SplitAtNul(raw.out);
  for (size_t i = 0; i + 1 < records.size(); i += 2) {
    if (KeepsItsMode(records[i]) && !real.contains(records[i + 1])) cosmetic.push_back(records[i + 1]);
  }
  return cosmetic;
}

absl::Status Staging::Drop(const std::vector<std::string>& paths) {
  if (paths.empty()) return absl::OkStatus();
  const std::filesystem::path list = scratch_ / "paths";
  RETURN_IF_ERROR(WriteFileAtomically(list, absl::StrJoin(paths, std::string(1, '\0'))));
  return git_
      .Text({"--literal-pathspecs", "reset", "--quiet", "--pathspec-from-file=" + list.string(), "--pathspec-file-nul",
             "HEAD"},
            variables_)
      .status();
}

absl::StatusOr<StagedFiles> Staging::FilesOf(const std::vector<std::string>& paths) {
  ASSIGN_OR_RETURN(const GitOutput staged,
                   git_.Run({"ls-files", "--stage", "-z", "--full-name", "--", ":/"}, variables_));
  if (staged.code != 0) return errors::GitProgramFailed("ls-files", GitComplaint(staged.err));
  const std::set<std::string> wanted(paths.begin(), paths.end());
  StagedFiles files;
  for (const std::string& record : SplitAtNul(staged.out)) {
    // "100644 ID 0\tPATH"
    const std::pair<std::string, std::string> halves = absl::StrSplit(record, absl::MaxSplits('\t', 1));
    const std::vector<std::string> columns = absl::StrSplit(halves.first, ' ');
    if (columns.size() == 3 && columns[0].starts_with("100") && wanted.contains(halves.second)) {
      files[halves.second] = {columns[0], columns[1]};
    }
  }
  return files;
}

absl::StatusOr<std::vector<std::string>> Staging::BlobsOf(const std::vector<std::filesystem::path>& files, bool write) {
  if (files.empty()) return std::vector<std::string>();
  std::vector<std::string> arguments = {"hash-object", "--no-filters", "--stdin-paths"};
  if (write) arguments.insert(arguments.begin() + 1, "-w");
  ASSIGN_OR_RETURN(
      const GitOutput hashed,
      git_.Run(arguments, variables_, absl::StrJoin(files, "", [](std::string* out, const std::filesystem::path& file) {
                 absl::StrAppend(out, file.native(), "\n");
               })));
  std::vector<std::string> ids = absl::StrSplit(hashed.out, '\n', absl::SkipEmpty());
  if (hashed.code != 0 || ids.size() != files.size()) {
    return errors::GitProgramFailed("hash-object", GitComplaint(hashed.err));
  }
  return ids;
}

absl::Status Staging::Stage(const StagedFiles& files) {
  std::string input;
  for (const auto& [path, file] : files) {
    absl::StrAppend(&input, file.mode, " ", file.blob, "\t", path, std::string(1, '\0'));
  }
  ASSIGN_OR_RETURN(const GitOutput updated, git_.Run({"update-index", "-z", "--index-info"}, variables_, input));
  return updated.code == 0 ? absl::OkStatus() : errors::GitProgramFailed("update-index", GitComplaint(updated.err));
}

absl::Status Staging::RunHook(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"hook", "run", "--ignore-missing", name, "--"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(const GitOutput output, git_.Run(all, variables_));
  if (output.code == 0) return absl::OkStatus();
  return errors::GitHookRefused(name, GitComplaint(absl::StrCat(output.out, "\n", output.err)));
}

absl::Status Staging::Export(const std::vector<std::string>& paths, const std::filesystem::path& folder) {
  if (paths.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const GitOutput output,
                   git_.Run({"checkout-index", "--quiet", "-z", "--stdin", "--prefix=" + folder.string() + "/"},
                            variables_, absl::StrJoin(paths, std::string(1, '\0'))));
  // It ends with 1 where a path is missing, and has written the others.
  return output.code <= 1 ? absl::OkStatus() : errors::GitProgramFailed("checkout-index", GitComplaint(output.err));
}

absl::StatusOr<std::string> Staging::WriteTree() { return git_.Text({"write-tree"}, variables_); }

absl::StatusOr<std::string> Staging::MakeCommit(const std::string& tree, const std::vector<std::string>& parents,
                                                const std::filesystem::path& message, bool sign,
                                                const std::string& author_of) {
  GitTreeCommit commit;
  commit.tree = tree;
  commit.parents = parents;
  commit.sign = sign;
  ASSIGN_OR_RETURN(commit.message, ReadSmallFile(message, kMaxCommitMessageBytes));
  if (!author_of.empty()) {
    ASSIGN_OR_RETURN(const std::string author, git_.Text({"log", "-1", "--no-show-signature",
                                                          "--format=%an%x00%ae%x00%ad", "--date=raw", author_of}));
    const std::vector<std::string> parts = absl::StrSplit(author, '\0');
    if (parts.size() == 3) commit.author = GitAuthor{parts[0], parts[1], parts[2]};
  }
  return CommitTree(git_, commit, variables_);
}

}  // namespace yardmaster::workflow
