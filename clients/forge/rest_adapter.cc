#include "clients/forge/rest_adapter.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "clients/forge/answer_json.h"
#include "clients/forge/limits.h"
#include "rules/engine/readable.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

// Longest timeout of a call that is taken at its word; adding a larger one to a clock could overflow.
constexpr std::chrono::hours kLongestCall{24};

bool SameIds(const ForgeComment& a, const ForgeComment& b) {
  const auto same = [](const std::string& x, const std::string& y) { return !x.empty() && x == y; };
  return same(a.id, b.id) || same(a.id, b.discussion) || same(a.discussion, b.id);
}

}  // namespace

std::string RepositoryTarget(std::string_view repository) { return absl::StrCat("/repos/", Abs(repository)); }

absl::Status BadForgeAnswer(std::string_view problem) {
  return MakeForgeStatus({ForgeReason::kBadAnswer, ForgeOutcome::kUnknown, 0, std::nullopt}, problem);
}

absl::Status ReadForgeAnswer(std::string_view body, const std::function<void(const AnswerReader&)>& read) {
  std::string error;
  const std::optional<nlohmann::json> value = ParseForgeJson(body, error);
  if (!value.has_value()) return BadForgeAnswer(error);
  AnswerProblem problem;
  read(AnswerReader(&*value, "", problem));
  return problem.ok() ? absl::OkStatus() : BadForgeAnswer(problem.text());
}

ForgeState ReadForgeState(const AnswerReader& state) {
  const std::string text = state.Text();
  for (const std::string_view open : {"open", "opened", "reopened", "progressing"}) {
    if (EqualsIgnoreCase(text, open)) return ForgeState::kOpen;
  }
  for (const std::string_view closed : {"closed", "close", "rejected", "locked"}) {
    if (EqualsIgnoreCase(text, closed)) return ForgeState::kClosed;
  }
  if (EqualsIgnoreCase(text, "merged")) return ForgeState::kMerged;
  const nlohmann::json got(text);
  state.problem().Add(state.path(), "a state", &got);
  return ForgeState::kOpen;
}

std::vector<std::string> ReadLabelNames(const AnswerReader& labels) {
  std::vector<std::string> names;
  if (labels.is_text()) {
    const std::string text = labels.Text();
    size_t begin = 0;
    while (begin <= text.size()) {
      const size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) names.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return names;
  }
  labels.ExpectArray();
  for (size_t i = 0; i < labels.size(); ++i) {
    const AnswerReader label = labels.Element(i);
    names.push_back(label.is_object() ? label.FirstOf({"name", "title"}).Text() : label.Text());
  }
  return names;
}

RestAdapter::Run RestAdapter::Begin(const ForgeCall& call) const {
  const auto timeout = std::min<std::chrono::milliseconds>(call.timeout, kLongestCall);
  return Run{call.priority, clock_.Monotonic() + timeout};
}

ForgeAnswer RestAdapter::Get(const Run& run, std::string_view route, std::string target) {
  return Send(run, "GET", route, std::move(target), "");
}

ForgeAnswer RestAdapter::Post(const Run& run, std::string_view route, std::string target, std::string body) {
  return Send(run, "POST", route, std::move(target), std::move(body));
}

ForgeAnswer RestAdapter::Patch(const Run& run, std::string_view route, std::string target, std::string body) {
  return Send(run, "PATCH", route, std::move(target), std::move(body));
}

ForgeAnswer RestAdapter::Delete(const Run& run, std::string_view route, std::string target) {
  return Send(run, "DELETE", route, std::move(target), "");
}

ForgeAnswer RestAdapter::Send(const Run& run, std::string method, std::string_view route, std::string target,
                              std::string body) {
  ForgeRequest request;
  request.method = std::move(method);
  request.route = std::string(route);
  request.target = std::move(target);
  request.body = std::move(body);
  request.priority = run.priority;
  request.deadline = run.deadline;
  return pipeline_.outermost().Send(request);
}

absl::Status RestAdapter::WithContext(const ForgeAnswer& answer, std::string_view target, const absl::Status& problem) {
  ForgeError error = ForgeErrorOf(problem).value_or(ForgeError{});
  error.http_status = answer.status;
  return MakeForgeStatus(
      error, absl::StrCat("GET ", Abs(target.substr(0, target.find('?'))), ": unexpected answer: ", problem.message()));
}

ForgeCommentWritten RestAdapter::FindWritten(std::optional<ForgeComment> answered, std::string_view body,
                                             const absl::StatusOr<ForgeCommentList>& list) {
  ForgeCommentWritten written;
  written.answered = std::move(answered);
  if (!list.ok()) {
    written.read_back = list.status();
    return written;
  }
  const bool has_id = written.answered.has_value() && !written.answered->id.empty();
  // The newest one: the same text may have been written before.
  const auto found = std::find_if(list->comments.rbegin(), list->comments.rend(), [&](const ForgeComment& comment) {
    return has_id ? SameIds(comment, *written.answered) : comment.body == body;
  });
  if (found != list->comments.rend()) {
    written.shown = *found;
    return written;
  }
  written.read_back =
      MakeForgeStatus({ForgeReason::kNotFound, ForgeOutcome::kUnknown, 0, std::nullopt},
                      list->complete ? "the comment is not among those that the forge shows"
                                     : "the comment is not among those that were read, which are not all");
  return written;
}

ForgeCommentWritten RestAdapter::FindEdited(std::optional<ForgeComment> answered, std::string_view id,
                                            const absl::StatusOr<ForgeCommentList>& list) {
  // Its id is known, whatever the answer says.
  ForgeComment asked;
  asked.id = std::string(id);
  ForgeCommentWritten written = FindWritten(std::move(asked), "", list);
  written.answered = std::move(answered);
  return written;
}

absl::StatusOr<ForgeLabelsWritten> RestAdapter::LabelRemoved(const ForgeAnswer& answer,
                                                             absl::StatusOr<ForgeIssue> issue) {
  // 404 says that the label is not there, or that the subject is not: the second read knows which.
  if (answer.error.has_value() && absl::IsNotFound(issue.status())) return answer.ToStatus();
  ForgeLabelsWritten written;
  if (issue.ok()) {
    written.shown = std::move(issue->labels);
  } else {
    written.read_back = issue.status();
  }
  return written;
}

bool RestAdapter::AppendComments(std::vector<ForgeComment> page, ForgeCommentList& list, size_t& bytes) {
  for (ForgeComment& comment : page) {
    // A comment that was deleted meanwhile moves others to the page before; a server may repeat a page.
    const bool known =
        !comment.id.empty() && std::any_of(list.comments.rbegin(),
                                           list.comments.rbegin() + static_cast<std::ptrdiff_t>(std::min<size_t>(
                                                                        list.comments.size(), 2 * kForgePageSize)),
                                           [&comment](const ForgeComment& other) { return other.id == comment.id; });
    if (known) continue;
    bytes += comment.body.size();
    if (bytes > kMaxForgeListBytes) return false;
    list.comments.push_back(std::move(comment));
  }
  return true;
}

absl::Status RestAdapter::CheckNumber(const ForgeIssue& issue, const ForgeSubject& subject) {
  if (issue.number == subject.number) return absl::OkStatus();
  return MakeForgeStatus(
      {ForgeReason::kMoved, ForgeOutcome::kRefused, 0, std::nullopt},
      absl::StrCat(subject.repository, "#", subject.number, " has moved: the forge answers with #", issue.number));
}

absl::StatusOr<RestAdapter::IssueCursor> RestAdapter::ParseIssueCursor(std::string_view cursor) {
  IssueCursor out;
  if (cursor.empty()) return out;
  const size_t dot = cursor.find('.');
  const std::string_view page = cursor.substr(0, dot);
  if (dot != std::string_view::npos) out.first_before = std::string(cursor.substr(dot + 1));
  if (!absl::SimpleAtoi(Abs(page), &out.page) || out.page < 1) {
    return MakeForgeStatus({ForgeReason::kInvalidInput, ForgeOutcome::kNotSent, 0, std::nullopt},
                           absl::StrCat("not a cursor of this client: ", rules::Quoted(cursor)));
  }
  return out;
}

std::string RestAdapter::NextIssueCursor(const IssueCursor& cursor, const ForgePageInfo& page) {
  if (IsLastPage(page, cursor.first_before) || cursor.page == INT32_MAX) return {};
  return absl::StrCat(cursor.page + 1, ".", page.first);
}

}  // namespace yardmaster
