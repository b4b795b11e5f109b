#include "clients/forge/gitcode/gitcode_answers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/answer_json.h"
#include "clients/forge/answer_reader.h"
#include "clients/forge/http.h"
#include "clients/forge/limits.h"
#include "clients/forge/rest_adapter.h"

namespace yardmaster::gitcode {
namespace {

constexpr size_t kMaxFailedJobs = 20;

// What levels of access permit at least, as GitLab numbers them.
constexpr std::pair<int64_t, ForgePermission> kAccessLevels[] = {{10, ForgePermission::kRead},
                                                                 {30, ForgePermission::kWrite},
                                                                 {40, ForgePermission::kMaintain},
                                                                 {50, ForgePermission::kAdmin}};

ForgeUser ReadUser(const AnswerReader& user) {
  ForgeUser out;
  if (user.empty()) return out;
  user.ExpectObject();
  out.login = user.FirstOf({"login", "username"}).OptionalText();
  out.id = user.At("id").Hint();
  out.bot = EqualsIgnoreCase(user.At("type").Hint(), "Bot");
  return out;
}

ForgeUser ReadNamedUser(const AnswerReader& user) {
  ForgeUser out = ReadUser(user);
  if (out.login.empty()) user.problem().Add("login", "a text", nullptr);
  return out;
}

ForgeRepository ReadRepository(const AnswerReader& repository) {
  ForgeRepository out;
  out.full_name = repository.FirstOf({"full_name", "path_with_namespace"}).Text();
  out.default_branch = repository.At("default_branch").OptionalText();
  out.is_private = repository.At("private").Flag();
  out.archived = repository.At("archived").Flag();
  out.url = repository.FirstOf({"html_url", "web_url"}).Hint();
  const AnswerReader own = repository.FirstOf({"permissions", "permission"});
  out.own = ReadPermissionFlags(own);
  if (const std::string word = own.is_text() ? own.Text() : ""; !word.empty()) out.own = ReadForgePermission(word);
  return out;
}

ForgeWebhook ReadWebhook(const AnswerReader& hook) {
  ForgeWebhook out;
  hook.ExpectObject();
  out.id = hook.At("id").Text();
  out.url = hook.At("url").Hint();
  out.content_type = hook.At("content_type").Hint();
  if (const AnswerReader secret = hook.At("password"); !secret.empty()) out.has_secret = !secret.Hint().empty();
  const AnswerReader kind = hook.At("encryption_type");
  out.sends_secret = !kind.empty() && kind.NumberHint(1) == 0;
  for (const std::string& name : hook.Names()) {
    if (name.ends_with("_events") && hook.At(name).Flag()) out.events.push_back(name);
  }
  return out;
}

ForgeLabel ReadLabel(const AnswerReader& label) {
  ForgeLabel out;
  out.name = label.is_object() ? label.FirstOf({"name", "title"}).Text() : label.Text();
  out.description = label.At("description").Hint();
  out.color = label.At("color").Hint();
  if (!out.color.empty() && out.color.front() == '#') out.color.erase(0, 1);
  return out;
}

ForgeIssue ReadIssue(const AnswerReader& issue) {
  ForgeIssue out;
  issue.ExpectObject();
  // Never "id", which counts across all repositories.
  out.number = issue.FirstOf({"number", "iid"}).Number();
  out.title = issue.At("title").OptionalText();
  out.body = issue.FirstOf({"body", "description"}).OptionalText();
  out.state = ReadForgeState(issue.At("state"));
  if (out.state == ForgeState::kClosed && !issue.At("merged_at").Hint().empty()) out.state = ForgeState::kMerged;
  out.labels = ReadLabelNames(issue.At("labels"));
  out.author = ReadUser(issue.FirstOf({"user", "author"}));
  out.comments = issue.FirstOf({"comments", "notes"}).NumberHint(-1);
  out.created_at = issue.At("created_at").Hint();
  out.updated_at = issue.At("updated_at").Hint();
  out.url = issue.FirstOf({"html_url", "web_url", "url"}).Hint();
  return out;
}

ForgeAccess ReadAccess(const AnswerReader& access) {
  ForgeAccess out;
  const AnswerReader permission = access.FirstOf({"permission", "role_name", "role"});
  // The word, or an object whose "name" or "role_name" it is.
  out.word = permission.is_object() ? permission.FirstOf({"role_name", "name"}).Hint() : permission.OptionalText();
  out.permission = ReadForgePermission(out.word);
  if (out.permission != ForgePermission::kNone) return out;
  // A role of the project's own making: what it may do stands beside its name.
  const int64_t level = access.At("access_level").NumberHint(permission.At("access_level").NumberHint(0));
  for (const auto& [least, granted] : kAccessLevels) {
    if (level >= least) out.permission = std::max(out.permission, granted);
  }
  const std::optional<ForgePermission> flags = ReadPermissionFlags(access.At("permissions"));
  out.permission = std::max(out.permission, flags.value_or(ForgePermission::kNone));
  return out;
}

// A branch of a pull request: "ref", "sha", "repo".
std::string ReadSide(const AnswerReader& pull, std::string_view side, std::string_view member,
                     std::string_view otherwise) {
  const std::string text = pull.At(side).At(member).Hint();
  return text.empty() ? pull.At(otherwise).Hint() : text;
}

std::string ReadRepositoryName(const AnswerReader& repository) {
  return repository.FirstOf({"full_name", "path_with_namespace"}).Hint();
}

ForgePull ReadPull(const AnswerReader& pull) {
  ForgePull out;
  const ForgeIssue issue = ReadIssue(pull);
  out.number = issue.number;
  out.title = issue.title;
  out.body = issue.body;
  out.state = issue.state;
  out.labels = issue.labels;
  out.author = issue.author;
  out.url = issue.url;
  out.draft = pull.FirstOf({"draft", "work_in_progress"}).Flag();
  const AnswerReader refs = pull.At("diff_refs");
  out.base_ref = ReadSide(pull, "base", "ref", "target_branch");
  out.base_sha = ReadSide(pull, "base", "sha", "base_sha");
  if (out.base_sha.empty()) out.base_sha = refs.At("base_sha").Hint();
  out.default_branch = pull.At("base").At("repo").At("default_branch").Hint();
  out.head_ref = ReadSide(pull, "head", "ref", "source_branch");
  out.head_sha = ReadSide(pull, "head", "sha", "head_sha");
  if (out.head_sha.empty()) out.head_sha = refs.At("head_sha").Hint();
  out.head_repository = ReadRepositoryName(pull.At("head").At("repo"));
  out.reviewers = ReadLogins(pull.FirstOf({"approval_reviewers", "assignees"}));
  out.created_at = pull.At("created_at").Hint();
  out.updated_at = pull.At("updated_at").Hint();
  out.changed_files = pull.FirstOf({"changed_files", "changes_count"}).NumberHint(-1);
  // Nothing can be read without these.
  if (out.base_ref.empty()) pull.problem().Add("base.ref", "a text", nullptr);
  if (out.head_sha.empty()) pull.problem().Add("head.sha", "a text", nullptr);
  return out;
}

// By words of the action and of its sentence, which is in English or Chinese.
ForgeHistoryEntry::Kind HistoryKind(std::string_view words) {
  const auto has = [words](std::initializer_list<std::string_view> any) {
    return std::any_of(any.begin(), any.end(),
                       [words](std::string_view word) { return words.find(word) != std::string_view::npos; });
  };
  if (!has({"label", "标签", "标记"})) return ForgeHistoryEntry::Kind::kOther;
  if (has({"remove", "delete", "unset", "unlabel", "移除", "删除", "取消", "去除"})) {
    return ForgeHistoryEntry::Kind::kLabelsRemoved;
  }
  return has({"add", "set", "label", "添加", "增加", "设置"}) ? ForgeHistoryEntry::Kind::kLabelsAdded
                                                              : ForgeHistoryEntry::Kind::kOther;
}

ForgeHistoryEntry ReadHistoryEntry(const AnswerReader& entry) {
  ForgeHistoryEntry out;
  entry.ExpectObject();
  out.content = entry.At("content").Hint();
  out.kind = HistoryKind(absl::AsciiStrToLower(
      absl::StrCat(entry.At("action").Hint(), " ", entry.At("action_type").Hint(), " ", out.content)));
  out.at = entry.At("created_at").Hint();
  out.author = ReadUser(entry.At("user"));
  return out;
}

// Words of Actions, and of pipelines. A word that is not known is taken for one of a run that goes on: it is asked for
// again.
ForgeCheckState ReadRunState(std::string_view word) {
  if (EqualsIgnoreCase(word, "COMPLETED") || EqualsIgnoreCase(word, "SUCCESS")) return ForgeCheckState::kSuccess;
  if (EqualsIgnoreCase(word, "FAILED")) return ForgeCheckState::kFailure;
  if (EqualsIgnoreCase(word, "CANCELED") || EqualsIgnoreCase(word, "CANCELLED")) return ForgeCheckState::kCancelled;
  if (EqualsIgnoreCase(word, "IGNORED") || EqualsIgnoreCase(word, "SKIPPED")) return ForgeCheckState::kSkipped;
  if (EqualsIgnoreCase(word, "QUEUED") || EqualsIgnoreCase(word, "INIT")) return ForgeCheckState::kQueued;
  return ForgeCheckState::kInProgress;
}

bool HasFailed(const AnswerReader& part) {
  const ForgeCheckState state = ReadRunState(part.At("status").Hint());
  return state == ForgeCheckState::kFailure || state == ForgeCheckState::kCancelled;
}

// "LLT / ut: ut_acc". One task often has two jobs of which one only stands for the other and has no steps: it is left
// out where another of its stage has them.
void ReadFailedJobs(const AnswerReader& stage, std::vector<std::string>& failed) {
  std::vector<std::string> without_steps;
  const size_t before = failed.size();
  const AnswerReader jobs = stage.At("jobs");
  for (size_t i = 0; i < jobs.size() && failed.size() < kMaxFailedJobs; ++i) {
    const AnswerReader job = jobs.Element(i);
    if (!HasFailed(job)) continue;
    const std::string name = absl::StrCat(stage.At("name").Hint(), " / ", job.At("name").Hint());
    std::vector<std::string> steps;
    const AnswerReader all = job.At("steps");
    for (size_t k = 0; k < all.size(); ++k) {
      if (HasFailed(all.Element(k))) steps.push_back(all.Element(k).At("name").Hint());
    }
    if (steps.empty()) {
      without_steps.push_back(name);
    } else {
      failed.push_back(absl::StrCat(name, ": ", absl::StrJoin(steps, ", ")));
    }
  }
  if (failed.size() == before) failed.insert(failed.end(), without_steps.begin(), without_steps.end());
}

ForgePullRun ReadPullRun(const AnswerReader& run) {
  ForgePullRun out;
  run.ExpectObject();
  out.id = run.At("workflow_run_id").Text();
  out.name = run.FirstOf({"workflow_name", "title"}).Hint();
  if (out.name.empty()) out.name = out.id;
  out.number = run.At("run_number").NumberHint(0);
  out.head = run.At("head_sha").Hint();
  out.state = ReadRunState(run.At("status").Hint());
  const AnswerReader stages = run.At("stages");
  for (size_t i = 0; i < stages.size(); ++i) ReadFailedJobs(stages.Element(i), out.failed);
  return out;
}

// Its number counts for all pipelines together, and its details need more than that.
ForgePullRun ReadPullPipeline(const AnswerReader& run) {
  ForgePullRun out;
  run.ExpectObject();
  out.id = run.At("id").Text();
  out.name = run.At("name").Hint();
  if (out.name.empty()) out.name = out.id;
  out.number = run.At("id").NumberHint(0);
  out.head = run.At("sha").Hint();
  out.state = ReadRunState(run.At("status").Hint());
  out.url = run.At("web_url").Hint();
  out.has_details = false;
  return out;
}

// The list of runs in the member `name` of an answer.
absl::StatusOr<std::vector<ForgePullRun>> ReadRuns(std::string_view body, std::string_view name,
                                                   ForgePullRun (*read)(const AnswerReader&)) {
  std::vector<ForgePullRun> runs;
  absl::Status status = ReadForgeAnswer(body, [&](const AnswerReader& answer) {
    answer.ExpectObject();
    const AnswerReader list = answer.At(name);
    list.ExpectArray();
    runs.reserve(list.size());
    for (size_t i = 0; i < list.size() && list.problem().ok(); ++i) runs.push_back(read(list.Element(i)));
  });
  if (!status.ok()) return status;
  return runs;
}

ForgePullFile ReadPullFile(const AnswerReader& file) {
  ForgePullFile out;
  file.ExpectObject();
  // A text, or an object with the text and what it is about.
  const AnswerReader patch = file.At("patch");
  out.path = file.At("filename").Hint();
  if (out.path.empty()) out.path = patch.FirstOf({"new_path", "old_path"}).Text();
  out.previous_path = file.At("previous_filename").Hint();
  const std::string old_path = patch.At("old_path").Hint();
  if (out.previous_path.empty() && old_path != out.path) out.previous_path = old_path;
  out.status = ReadForgeFileStatus(file.At("status").Hint());
  if (patch.At("new_file").Flag()) out.status = ForgeFileStatus::kAdded;
  if (patch.At("deleted_file").Flag()) out.status = ForgeFileStatus::kRemoved;
  if (patch.At("renamed_file").Flag()) out.status = ForgeFileStatus::kRenamed;
  if (out.status != ForgeFileStatus::kRenamed && out.status != ForgeFileStatus::kCopied) out.previous_path.clear();
  out.sha = file.At("sha").Hint();
  out.additions = file.At("additions").NumberHint(patch.At("added_lines").NumberHint(-1));
  out.deletions = file.At("deletions").NumberHint(patch.At("removed_lines").NumberHint(-1));
  const AnswerReader diff = patch.is_object() ? patch.At("diff") : patch;
  if (!diff.empty() && !patch.At("too_large").Flag()) out.patch = diff.Text();
  return out;
}

std::string FirstHint(std::initializer_list<AnswerReader> values) {
  for (const AnswerReader& value : values) {
    if (std::string text = value.Hint(); !text.empty()) return text;
  }
  return {};
}

ForgeReviewComment ReadReviewComment(const AnswerReader& comment) {
  ForgeReviewComment out;
  out.comment = ReadComment(comment);
  // A list has the first of each, the comment's own address the second.
  const AnswerReader range = comment.At("diff_position");
  const AnswerReader position = comment.At("position");
  out.path = FirstHint({comment.At("diff_file"), position.At("new_path"), comment.At("path")});
  const int64_t line =
      range.FirstOf({"end_new_line", "start_new_line"}).NumberHint(position.At("new_line").NumberHint(0));
  if (line > 0 && line <= UINT32_MAX) out.line = static_cast<uint32_t>(line);
  return out;
}

// With the comments that it holds: those that answer it.
void ReadDiscussion(const AnswerReader& comment, std::vector<ForgeReviewComment>& out) {
  const std::string type = comment.At("comment_type").Hint();
  if (!type.empty() && !EqualsIgnoreCase(type, "diff_comment")) return;
  out.push_back(ReadReviewComment(comment));
  const ForgeReviewComment first = out.back();
  const AnswerReader replies = comment.At("reply");
  for (size_t i = 0; i < replies.size(); ++i) {
    ForgeReviewComment reply = ReadReviewComment(replies.Element(i));
    reply.path = first.path;
    reply.line = first.line;
    reply.in_reply_to = first.comment.id;
    reply.comment.discussion = first.comment.discussion;
    out.push_back(std::move(reply));
  }
}

}  // namespace

ForgeComment ReadComment(const AnswerReader& comment) {
  ForgeComment out;
  comment.ExpectObject();
  // A new comment on a pull request has "id" of its discussion and "note_id" of its own; others have "id" alone.
  const AnswerReader note = comment.FirstOf({"note_id", "noteId"});
  out.id = note.empty() ? comment.At("id").Text() : note.Text();
  out.discussion = comment.At("discussion_id").Hint();
  if (out.discussion.empty() && !note.empty()) out.discussion = comment.At("id").Hint();
  if (out.discussion == out.id) out.discussion.clear();
  out.body = comment.FirstOf({"body", "note"}).OptionalText();
  out.author = ReadUser(comment.FirstOf({"user", "author"}));
  out.system = comment.At("system").Flag();
  out.created_at = comment.At("created_at").Hint();
  out.updated_at = comment.At("updated_at").Hint();
  return out;
}

absl::StatusOr<ForgeUser> ParseUser(std::string_view body) { return ReadForgeObject(body, ReadNamedUser); }
absl::StatusOr<ForgeRepository> ParseRepository(std::string_view body) { return ReadForgeObject(body, ReadRepository); }
absl::StatusOr<std::vector<ForgeRepository>> ParseRepositories(std::string_view body) {
  return ReadForgeList(body, ReadRepository);
}
absl::StatusOr<std::vector<ForgeLabel>> ParseLabels(std::string_view body) { return ReadForgeList(body, ReadLabel); }
absl::StatusOr<ForgeIssue> ParseIssue(std::string_view body) { return ReadForgeObject(body, ReadIssue); }
absl::StatusOr<std::vector<ForgeIssue>> ParseIssues(std::string_view body) { return ReadForgeList(body, ReadIssue); }
absl::StatusOr<ForgeComment> ParseComment(std::string_view body) { return ReadForgeObject(body, ReadComment); }
absl::StatusOr<std::vector<ForgeComment>> ParseComments(std::string_view body) {
  return ReadForgeList(body, ReadComment);
}

absl::StatusOr<std::vector<ForgeWebhook>> ParseWebhooks(std::string_view body) {
  return ReadForgeList(body, ReadWebhook);
}
absl::StatusOr<ForgeAccess> ParseAccess(std::string_view body) { return ReadForgeObject(body, ReadAccess); }
absl::StatusOr<std::vector<ForgePull>> ParsePulls(std::string_view body) { return ReadForgeList(body, ReadPull); }
absl::StatusOr<ForgePull> ParsePull(std::string_view body) { return ReadForgeObject(body, ReadPull); }
absl::StatusOr<std::vector<ForgePullFile>> ParsePullFiles(std::string_view body) {
  return ReadForgeList(body, ReadPullFile);
}
absl::StatusOr<std::vector<ForgeHistoryEntry>> ParsePullHistory(std::string_view body) {
  return ReadForgeList(body, ReadHistoryEntry);
}
absl::StatusOr<std::vector<ForgePullRun>> ParsePullRuns(std::string_view body) {
  return ReadRuns(body, "workflow_runs", ReadPullRun);
}
absl::StatusOr<std::vector<ForgePullRun>> ParsePullPipelines(std::string_view body) {
  return ReadRuns(body, "content", ReadPullPipeline);
}
absl::StatusOr<ForgePullRun> ParsePullRun(std::string_view body) { return ReadForgeObject(body, ReadPullRun); }
absl::StatusOr<std::vector<ForgeReviewComment>> ParseReviewComments(std::string_view body) {
  std::vector<ForgeReviewComment> comments;
  absl::Status status = ReadForgeAnswer(body, [&comments](const AnswerReader& list) {
    list.ExpectArray();
    for (size_t i = 0; i < list.size() && list.problem().ok(); ++i) ReadDiscussion(list.Element(i), comments);
  });
  if (!status.ok()) return status;
  return comments;
}
absl::StatusOr<ForgeReviewComment> ParseReviewComment(std::string_view body) {
  return ReadForgeObject(body, ReadReviewComment);
}

std::optional<ErrorBody> ParseErrorBody(std::string_view body, bool success) {
  // Most successes are told by this alone, without parsing them twice.
  if (success && (body.empty() || body.find("\"error") == std::string_view::npos)) return std::nullopt;
  std::string error;
  const std::optional<nlohmann::json> value = ParseForgeJson(body, error);
  if (!value.has_value() || !value->is_object()) return std::nullopt;
  AnswerProblem ignored;
  const AnswerReader answer(&*value, "", ignored);

  ErrorBody out;
  const int64_t code = answer.At("error_code").NumberHint(0);
  if (code >= 400 && code <= 599) out.code = static_cast<int>(code);
  const std::string code_name = answer.At("error_code_name").Hint();
  // In the order in which they say most.
  const std::string description = answer.FirstOf({"error_message"}).Hint();
  const std::string message = answer.At("message").Hint();
  for (const std::string& text :
       {description, message, answer.At("error_description").Hint(), answer.At("error").Hint(), code_name}) {
    if (!text.empty()) {
      out.message = text;
      break;
    }
  }
  if (success) {
    const bool says_error = code != 0 || !description.empty() || !code_name.empty() ||
                            (!answer.At("error").Hint().empty() && answer.At("id").empty());
    if (!says_error) return std::nullopt;
  } else if (out.message.empty() && code == 0) {
    return std::nullopt;
  }
  if (const std::string trace = answer.At("trace_id").Hint(); !trace.empty()) {
    absl::StrAppend(&out.message, " (trace_id ", trace, ")");
  }
  return out;
}

}  // namespace yardmaster::gitcode
