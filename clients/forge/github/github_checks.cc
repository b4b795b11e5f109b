#include "clients/forge/github/github_checks.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "clients/forge/answer_reader.h"
#include "clients/forge/github/github_answers.h"
#include "clients/forge/http.h"
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster::github {
namespace {

using nlohmann::json;

constexpr size_t kMaxAnnotationTitle = 255;
constexpr size_t kMaxAnnotationBytes = 64 * 1024;
constexpr size_t kMaxStatusDescription = 140;
// In the order of ForgeAnnotationLevel.
constexpr std::array<std::string_view, 3> kLevels = {"notice", "warning", "failure"};

struct Conclusion {
  std::string_view word;
  ForgeCheckState state;
};

// Ours, then those that only others give.
constexpr Conclusion kConclusions[] = {
    {"success", ForgeCheckState::kSuccess},   {"failure", ForgeCheckState::kFailure},
    {"neutral", ForgeCheckState::kNeutral},   {"cancelled", ForgeCheckState::kCancelled},
    {"skipped", ForgeCheckState::kSkipped},   {"action_required", ForgeCheckState::kActionRequired},
    {"timed_out", ForgeCheckState::kFailure}, {"startup_failure", ForgeCheckState::kFailure},
    {"stale", ForgeCheckState::kCancelled},
};

bool IsFinal(ForgeCheckState state) {
  return state != ForgeCheckState::kQueued && state != ForgeCheckState::kInProgress;
}

absl::Status CheckText(std::string_view what, std::string_view text, size_t max_bytes) {
  if (IsValidUtf8(text) && text.size() <= max_bytes) return absl::OkStatus();
  return InvalidForgeInput(absl::StrCat(Abs(what), " is not UTF-8, or has more than ", max_bytes, " bytes"));
}

absl::Status CheckAnnotation(const ForgeAnnotation& annotation) {
  RETURN_IF_ERROR(CheckPath(annotation.path));
  if (annotation.line < 1 || annotation.end_line < annotation.line) {
    return InvalidForgeInput(absl::StrCat("an annotation at lines ", annotation.line, " to ", annotation.end_line));
  }
  if (annotation.message.empty()) return InvalidForgeInput("an annotation without a message");
  RETURN_IF_ERROR(CheckText("the message of an annotation", annotation.message, kMaxAnnotationBytes));
  if (IsValidUtf8(annotation.title) && CountCharacters(annotation.title) <= kMaxAnnotationTitle) {
    return absl::OkStatus();
  }
  return InvalidForgeInput("the title of an annotation is not UTF-8, or too long");
}

json AnnotationBody(const ForgeAnnotation& annotation) {
  json body = {{"path", annotation.path},
               {"start_line", annotation.line},
               {"end_line", annotation.end_line},
               {"annotation_level", kLevels[static_cast<size_t>(annotation.level)]},
               {"message", annotation.message}};
  if (!annotation.title.empty()) body["title"] = annotation.title;
  if (annotation.column > 0 && annotation.end_column > 0 && annotation.line == annotation.end_line) {
    body["start_column"] = annotation.column;
    body["end_column"] = annotation.end_column;
  }
  return body;
}

ForgeCheckState ReadCheckState(std::string_view status, std::string_view conclusion) {
  if (EqualsIgnoreCase(status, "in_progress")) return ForgeCheckState::kInProgress;
  if (!EqualsIgnoreCase(status, "completed")) return ForgeCheckState::kQueued;
  for (const Conclusion& known : kConclusions) {
    if (EqualsIgnoreCase(known.word, conclusion)) return known.state;
  }
  // It has ended, and nobody knows how: that is no success.
  return ForgeCheckState::kNeutral;
}

ForgeCheckRun ReadCheckRun(const AnswerReader& run) {
  ForgeCheckRun out;
  run.ExpectObject();
  out.id = run.At("id").Text();
  out.name = run.At("name").OptionalText();
  out.head = run.At("head_sha").OptionalText();
  out.external_id = run.At("external_id").Hint();
  out.state = ReadCheckState(run.At("status").Hint(), run.At("conclusion").Hint());
  out.annotations = run.At("output").At("annotations_count").NumberHint(-1);
  out.url = run.FirstOf({"html_url", "details_url"}).Hint();
  out.app = run.At("app").FirstOf({"slug", "id"}).Hint();
  return out;
}

ForgeCheckSuite ReadCheckSuite(const AnswerReader& suite) {
  ForgeCheckSuite out;
  suite.ExpectObject();
  out.id = suite.At("id").Text();
  out.app = suite.At("app").FirstOf({"name", "slug"}).Hint();
  out.state = ReadCheckState(suite.At("status").Hint(), suite.At("conclusion").Hint());
  out.check_runs = suite.At("latest_check_runs_count").NumberHint(-1);
  return out;
}

// Lists of checks come in an object, under their name.
template <typename Read>
auto ReadNamedList(const AnswerReader& answer, std::string_view name, Read read) {
  const AnswerReader list = answer.At(name);
  list.ExpectArray();
  std::vector<decltype(read(list))> items;
  items.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) items.push_back(read(list.Element(i)));
  return items;
}

std::vector<ForgeCheckRun> ReadCheckRuns(const AnswerReader& answer) {
  return ReadNamedList(answer, "check_runs", ReadCheckRun);
}

std::vector<ForgeCheckSuite> ReadCheckSuites(const AnswerReader& answer) {
  return ReadNamedList(answer, "check_suites", ReadCheckSuite);
}

ForgeCommitStatus ReadCommitStatus(const AnswerReader& status) {
  ForgeCommitStatus out;
  status.ExpectObject();
  out.id = status.At("id").OptionalText();
  out.context = status.At("context").OptionalText();
  const std::string state = status.At("state").Text();
  out.state = EqualsIgnoreCase(state, "success")   ? ForgeCheckState::kSuccess
              : EqualsIgnoreCase(state, "pending") ? ForgeCheckState::kInProgress
                                                   : ForgeCheckState::kFailure;
  out.description = status.At("description").Hint();
  out.url = status.At("target_url").Hint();
  out.author = ReadUser(status.At("creator"));
  return out;
}

ForgeReviewComment ReadReviewComment(const AnswerReader& comment) {
  ForgeReviewComment out;
  out.comment = ReadComment(comment);
  out.path = comment.At("path").OptionalText();
  // Null: outdated. A line of the old side is none of the new file's.
  const bool at_line = !EqualsIgnoreCase(comment.At("subject_type").Hint(), "file") &&
                       !EqualsIgnoreCase(comment.At("side").Hint(), "LEFT");
  const int64_t line = comment.At("line").NumberHint(0);
  if (at_line && line > 0 && line <= UINT32_MAX) out.line = static_cast<uint32_t>(line);
  out.commit = comment.FirstOf({"original_commit_id", "commit_id"}).Hint();
  out.in_reply_to = comment.At("in_reply_to_id").OptionalText();
  return out;
}

}  // namespace

absl::Status CheckCheckRun(const ForgeCheckRunWrite& write) {
  RETURN_IF_ERROR(CheckCommit(write.head));
  if (write.name.empty()) return InvalidForgeInput("a check run without a name");
  if (write.annotations.size() > kMaxForgeAnnotations) {
    return InvalidForgeInput(
        absl::StrCat(write.annotations.size(), " annotations in one call; ", kMaxForgeAnnotations, " are possible"));
  }
  RETURN_IF_ERROR(CheckText("the name of a check run", write.name, kMaxForgeSummaryBytes));
  RETURN_IF_ERROR(CheckText("the title of a check run", write.title, kMaxForgeSummaryBytes));
  RETURN_IF_ERROR(CheckText("the summary of a check run", write.summary, kMaxForgeSummaryBytes));
  for (const ForgeAnnotation& annotation : write.annotations) {
    RETURN_IF_ERROR(CheckAnnotation(annotation));
  }
  return absl::OkStatus();
}

absl::Status CheckCommitStatus(const ForgeCommitStatus& status) {
  if (status.context.empty() || !IsValidUtf8(status.context)) {
    return InvalidForgeInput("a commit status without a context in UTF-8");
  }
  if (IsValidUtf8(status.description) && CountCharacters(status.description) <= kMaxStatusDescription) {
    return absl::OkStatus();
  }
  return InvalidForgeInput(absl::StrCat("the description of a status is not UTF-8, or has more than ",
                                        kMaxStatusDescription, " characters"));
}

json CheckRunBody(const ForgeCheckRunWrite& write, bool is_new) {
  json body = {{"name", write.name}, {"external_id", write.external_id}};
  if (is_new) body["head_sha"] = write.head;
  if (IsFinal(write.state)) {
    body["status"] = "completed";
    body["conclusion"] = ForgeCheckStateName(write.state);
    body["actions"] = {
        {{"label", "Re-run"}, {"description", "Review this commit again"}, {"identifier", kRerunAction}}};
  } else {
    body["status"] = ForgeCheckStateName(write.state);
  }
  if (write.title.empty() && write.summary.empty() && write.annotations.empty()) return body;
  // Both texts are required where there is any output.
  json& output =
      body["output"] = {{"title", write.title.empty() ? write.name : write.title}, {"summary", write.summary}};
  if (write.annotations.empty()) return body;
  output["annotations"] = json::array();
  for (const ForgeAnnotation& annotation : write.annotations) {
    output["annotations"].push_back(AnnotationBody(annotation));
  }
  return body;
}

json CommitStatusBody(const ForgeCommitStatus& status) {
  const std::string_view state = !IsFinal(status.state)                      ? "pending"
                                 : status.state == ForgeCheckState::kFailure ? "failure"
                                                                             : "success";
  json body = {{"state", state}, {"context", status.context}, {"description", status.description}};
  if (!status.url.empty()) body["target_url"] = status.url;
  return body;
}

json ReviewBody(std::string_view commit, const std::vector<ForgeInlineComment>& comments) {
  json body = {{"commit_id", commit}, {"event", "COMMENT"}, {"comments", json::array()}};
  for (const ForgeInlineComment& comment : comments) {
    json one = {{"path", comment.path}, {"body", comment.body}};
    if (comment.line > 0) {
      one["line"] = comment.line;
      one["side"] = "RIGHT";
    } else {
      one["subject_type"] = "file";
    }
    body["comments"].push_back(std::move(one));
  }
  return body;
}

absl::StatusOr<ForgeCheckRun> ParseCheckRun(std::string_view body) { return ReadForgeObject(body, ReadCheckRun); }
absl::StatusOr<std::vector<ForgeCheckRun>> ParseCheckRuns(std::string_view body) {
  return ReadForgeObject(body, ReadCheckRuns);
}
absl::StatusOr<std::vector<ForgeCheckSuite>> ParseCheckSuites(std::string_view body) {
  return ReadForgeObject(body, ReadCheckSuites);
}
absl::StatusOr<std::vector<ForgeCommitStatus>> ParseCommitStatuses(std::string_view body) {
  return ReadForgeList(body, ReadCommitStatus);
}
absl::StatusOr<std::vector<ForgeReviewComment>> ParseReviewComments(std::string_view body) {
  return ReadForgeList(body, ReadReviewComment);
}

}  // namespace yardmaster::github
