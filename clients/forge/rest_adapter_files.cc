// The calls about people and files of a repository, which have the same addresses on all forges.
#include <algorithm>
#include <set>

#include "absl/strings/escaping.h"
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

struct PermissionWord {
  std::string_view word;
  ForgePermission permission;
};

// GitHub's, then those of forges that descend from GitLab or Gitee.
constexpr PermissionWord kPermissionWords[] = {
    {"none", ForgePermission::kNone},          {"read", ForgePermission::kRead},
    {"triage", ForgePermission::kTriage},      {"write", ForgePermission::kWrite},
    {"maintain", ForgePermission::kMaintain},  {"admin", ForgePermission::kAdmin},
    {"pull", ForgePermission::kRead},          {"push", ForgePermission::kWrite},
    {"guest", ForgePermission::kRead},         {"reporter", ForgePermission::kRead},
    {"developer", ForgePermission::kWrite},    {"maintainer", ForgePermission::kMaintain},
    {"master", ForgePermission::kMaintain},    {"owner", ForgePermission::kAdmin},
    {"administrator", ForgePermission::kAdmin}};

struct StatusWord {
  std::string_view word;
  ForgeFileStatus status;
};

constexpr StatusWord kStatusWords[] = {
    {"added", ForgeFileStatus::kAdded},     {"add", ForgeFileStatus::kAdded},
    {"new", ForgeFileStatus::kAdded},       {"removed", ForgeFileStatus::kRemoved},
    {"deleted", ForgeFileStatus::kRemoved}, {"delete", ForgeFileStatus::kRemoved},
    {"renamed", ForgeFileStatus::kRenamed}, {"rename", ForgeFileStatus::kRenamed},
    {"copied", ForgeFileStatus::kCopied},   {"unchanged", ForgeFileStatus::kUnchanged}};

absl::Status TooLargeFile() {
  return MakeForgeStatus({ForgeReason::kTooLarge, ForgeOutcome::kRefused, 0, std::nullopt},
                         absl::StrCat("the file has more than ", kMaxForgeFileBytes, " bytes"));
}

}  // namespace

ForgePermission ReadForgePermission(std::string_view word) {
  for (const PermissionWord& known : kPermissionWords) {
    if (EqualsIgnoreCase(known.word, word)) return known.permission;
  }
  return ForgePermission::kNone;
}

ForgeFileStatus ReadForgeFileStatus(std::string_view word) {
  for (const StatusWord& known : kStatusWords) {
    if (EqualsIgnoreCase(known.word, word)) return known.status;
  }
  return ForgeFileStatus::kModified;
}

absl::StatusOr<std::optional<ForgeFile>> ParseForgeFile(std::string_view body) {
  std::optional<ForgeFile> file;
  bool too_large = false;
  absl::Status status = ReadForgeAnswer(body, [&](const AnswerReader& answer) {
    // A folder is an array; so is, on one of the forges, what is not there.
    if (answer.is_array() || answer.empty()) return;
    answer.ExpectObject();
    const std::string type = answer.At("type").Hint();
    if (!type.empty() && !EqualsIgnoreCase(type, "file") && !EqualsIgnoreCase(type, "blob")) return;
    const int64_t size = answer.At("size").NumberHint(-1);
    const std::string encoding = answer.At("encoding").Hint();
    // GitHub leaves large files out and says so by the encoding.
    too_large = size > static_cast<int64_t>(kMaxForgeFileBytes) || EqualsIgnoreCase(encoding, "none");
    if (too_large) return;
    file.emplace();
    file->path = answer.At("path").Hint();
    file->sha = answer.At("sha").Hint();
    const std::string text = answer.At("content").OptionalText();
    if (encoding.empty() || EqualsIgnoreCase(encoding, "base64")) {
      // Line breaks in it are skipped.
      if (!absl::Base64Unescape(text, &file->content)) {
        const nlohmann::json got("…");
        answer.problem().Add("content", "base64", &got);
      }
    } else {
      const nlohmann::json got(encoding);
      answer.problem().Add("encoding", "base64", &got);
    }
    // So does an empty content of a file that is not.
    too_large = file->content.size() > kMaxForgeFileBytes || (file->content.empty() && size > 0);
  });
  if (!status.ok()) return status;
  if (too_large) return TooLargeFile();
  return file;
}

absl::StatusOr<ForgeAccess> RestAdapter::GetPermission(const ForgeCall& call, std::string_view repository,
                                                       std::string_view login) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckLogin(login));
  absl::StatusOr<ForgeAccess> access = Read<ForgeAccess>(
      Begin(call),
      RepositoryAddress(repository)
          .Below(absl::StrCat("/collaborators/", UrlEncode(login), "/permission"), "/collaborators/{user}/permission"),
      api_.access);
  // No such account, or none that has anything to do with the repository.
  if (absl::IsNotFound(access.status())) return ForgeAccess();
  return access;
}

absl::StatusOr<std::optional<ForgeFile>> RestAdapter::GetFile(const ForgeCall& call, std::string_view repository,
                                                              std::string_view path, std::string_view ref) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckPath(path));
  RETURN_IF_ERROR(CheckRef(ref));
  std::string below = absl::StrCat("/contents/", EncodePath(path));
  if (!ref.empty()) absl::StrAppend(&below, "?ref=", UrlEncode(ref));
  absl::StatusOr<std::optional<ForgeFile>> file = Read<std::optional<ForgeFile>>(
      Begin(call), RepositoryAddress(repository).Below(below, "/contents/{path}"), ParseForgeFile);
  if (absl::IsNotFound(file.status())) return std::optional<ForgeFile>();
  if (file.ok() && file->has_value()) (*file)->path = std::string(path);
  return file;
}

absl::StatusOr<ForgePull> RestAdapter::GetPull(const ForgeCall& call, const ForgeSubject& subject) {
  RETURN_IF_ERROR(CheckSubject(subject));
  absl::StatusOr<ForgePull> pull = Read<ForgePull>(Begin(call), PullAddress(subject), api_.pull);
  if (!pull.ok()) return pull;
  ForgeIssue numbered;
  numbered.number = pull->number;
  RETURN_IF_ERROR(CheckNumber(numbered, subject));
  return pull;
}

absl::StatusOr<ForgePullFileList> RestAdapter::ListPullFiles(const ForgeCall& call, const ForgeSubject& subject) {
  RETURN_IF_ERROR(CheckSubject(subject));
  const Run run = Begin(call);
  ForgePullFileList list;
  std::set<std::string> known;
  size_t bytes = 0;
  const auto take = [&](std::vector<ForgePullFile> page) {
    for (ForgePullFile& file : page) {
      // A push meanwhile moves files between pages; a server may repeat a page.
      if (!known.insert(file.path).second) continue;
      if (list.files.size() >= kMaxForgePullFiles) return false;
      if (file.patch.has_value()) {
        bytes += file.patch->size();
        if (bytes > kMaxForgeListBytes) file.patch.reset();
      }
      list.files.push_back(std::move(file));
    }
    return true;
  };
  ASSIGN_OR_RETURN(const bool complete, ReadList(run, PullAddress(subject).Below("/files"), /*order=*/"",
                                                 api_.pull_files, &ForgePullFile::path, take));
  // The forge may stop there without saying so.
  list.complete = complete && list.files.size() < kMaxForgePullFiles;
  return list;
}

absl::StatusOr<std::vector<ForgeCommit>> RestAdapter::ListPullCommits(const ForgeCall& call,
                                                                      const ForgeSubject& subject) {
  RETURN_IF_ERROR(CheckSubject(subject));
  std::vector<ForgeCommit> commits;
  RETURN_IF_ERROR(ReadList(Begin(call), PullAddress(subject).Below("/commits"), /*order=*/"", api_.pull_commits,
                           &ForgeCommit::sha, AppendTo(commits))
                      .status());
  return commits;
}

absl::StatusOr<std::vector<ForgeHistoryEntry>> RestAdapter::ListPullHistory(const ForgeCall& call,
                                                                            const ForgeSubject& subject) {
  RETURN_IF_ERROR(CheckSubject(subject));
  if (api_.pull_history == nullptr) {
    return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, std::nullopt},
                           "no history of pull requests is read here");
  }
  std::vector<ForgeHistoryEntry> entries;
  const auto name = [](const ForgeHistoryEntry& entry) {
    return absl::StrCat(entry.at, " ", static_cast<int>(entry.kind), " ", entry.content);
  };
  RETURN_IF_ERROR(ReadList(Begin(call), api_.pull_history_address(subject), /*order=*/"", api_.pull_history, name,
                           AppendTo(entries))
                      .status());
  return entries;
}

ForgeCommit ReadPullCommit(const AnswerReader& commit) {
  ForgeCommit out;
  commit.ExpectObject();
  out.sha = commit.At("sha").Text();
  // The committer's date is that of a rebase, too.
  const AnswerReader inner = commit.At("commit");
  out.committed_at = inner.At("committer").At("date").Hint();
  if (out.committed_at.empty()) out.committed_at = inner.At("author").At("date").Hint();
  return out;
}

absl::StatusOr<std::vector<ForgeCommit>> ParsePullCommits(std::string_view body) {
  return ReadForgeList(body, ReadPullCommit);
}

}  // namespace yardmaster
