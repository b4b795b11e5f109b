// Any bytes as an answer of a forge → every parser of both adapters: no crash, errors that people can read, and values
// that may travel on (UTF-8, numbers that are numbers).
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/dialect.h"
#include "clients/forge/forge_error.h"
#include "clients/forge/gitcode/gitcode_answers.h"
#include "clients/forge/gitcode/gitcode_dialect.h"
#include "clients/forge/github/github_answers.h"
#include "clients/forge/github/github_checks.h"
#include "clients/forge/github/github_dialect.h"
#include "clients/forge/limits.h"
#include "clients/forge/rest_adapter.h"
#include "clients/jenkins/jenkins.h"
#include "services/core/readable.h"
#include "tests/fuzz/check.h"

namespace {

using namespace yardmaster;

void CheckText(const std::string& text) { Check(IsValidUtf8(text), "a text that is not UTF-8"); }

void CheckValue(const ForgeUser& user) {
  CheckText(user.login);
  CheckText(user.id);
}
void CheckValue(const ForgeRepository& repository) {
  CheckText(repository.full_name);
  CheckText(repository.default_branch);
  CheckText(repository.url);
}
void CheckValue(const ForgeLabel& label) {
  CheckText(label.name);
  CheckText(label.description);
  CheckText(label.color);
}
void CheckValue(const ForgeIssue& issue) {
  for (const std::string& text : {issue.title, issue.body, issue.created_at, issue.updated_at, issue.url})
    CheckText(text);
  for (const std::string& label : issue.labels) CheckText(label);
  CheckValue(issue.author);
  Check(!ForgeStateName(issue.state).empty(), "a state without a name");
}
void CheckValue(const ForgeComment& comment) {
  for (const std::string& text : {comment.id, comment.discussion, comment.body}) CheckText(text);
  CheckValue(comment.author);
}
void CheckValue(const ForgeHookDelivery& delivery) {
  for (const std::string& text : {delivery.id, delivery.guid, delivery.event, delivery.action}) CheckText(text);
}
void CheckValue(const ForgeCheckRun& run) {
  for (const std::string& text : {run.id, run.name, run.head, run.external_id, run.app}) CheckText(text);
  Check(!ForgeCheckStateName(run.state).empty(), "a state without a name");
}
void CheckValue(const ForgeCommitStatus& status) {
  for (const std::string& text : {status.id, status.context, status.description, status.url}) CheckText(text);
  CheckValue(status.author);
}
void CheckValue(const ForgeReviewComment& comment) {
  for (const std::string& text : {comment.path, comment.commit, comment.in_reply_to}) CheckText(text);
  CheckValue(comment.comment);
}
void CheckValue(const ForgeCommit& commit) {
  CheckText(commit.sha);
  CheckText(commit.committed_at);
}
void CheckValue(const ForgeHistoryEntry& entry) {
  CheckText(entry.content);
  CheckText(entry.at);
  CheckValue(entry.author);
}
void CheckValue(const ForgePullRun& run) {
  for (const std::string& text : {run.id, run.name, run.head, run.url}) CheckText(text);
  for (const std::string& text : run.failed) CheckText(text);
}
void CheckValue(const JenkinsBuild& build) {
  for (const std::string& text : {build.result, build.description, build.url}) CheckText(text);
  Check(build.duration.count() >= 0, "a duration below zero");
}
void CheckValue(const github::InstallationToken& token) { Check(!token.token.empty(), "an empty token"); }

template <typename T>
void CheckValue(const std::vector<T>& list) {
  for (const T& item : list) CheckValue(item);
}

template <typename T>
void CheckParsed(const absl::StatusOr<T>& parsed) {
  if (parsed.ok()) {
    CheckValue(*parsed);
    return;
  }
  const std::string message(parsed.status().message());
  Check(ForgeErrorOf(parsed.status()).value_or(ForgeError{}).reason == ForgeReason::kBadAnswer, "an unexpected reason");
  Check(!message.empty() && message.size() < 2'000, "a message that is empty or long");
  CheckText(message);
}

void CheckVerdict(const std::optional<ForgeVerdict>& verdict) {
  if (!verdict.has_value()) return;
  CheckText(Readable(verdict->message, kMaxForgeMessageBytes));
  if (!verdict->retry_after.has_value()) return;
  Check(verdict->retry_after->count() >= 0 && *verdict->retry_after <= kMaxRetryAfter, "a time out of bounds");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);

  CheckParsed(github::ParseUser(body));
  CheckParsed(github::ParseRepository(body));
  CheckParsed(github::ParseLabels(body));
  CheckParsed(github::ParseIssue(body));
  CheckParsed(github::ParseIssues(body));
  CheckParsed(github::ParseComment(body));
  CheckParsed(github::ParseComments(body));
  CheckParsed(github::ParseDeliveries(body));
  CheckParsed(github::ParseCheckRun(body));
  CheckParsed(github::ParseCheckRuns(body));
  CheckParsed(github::ParseCommitStatuses(body));
  CheckParsed(github::ParseReviewComments(body));
  CheckParsed(ParsePullCommits(body));
  CheckParsed(ParseJenkinsBuilds(body));
  CheckParsed(github::ParseApp(body));
  CheckParsed(github::ParseInstallationToken(body));

  CheckParsed(gitcode::ParseUser(body));
  CheckParsed(gitcode::ParseRepository(body));
  CheckParsed(gitcode::ParseLabels(body));
  CheckParsed(gitcode::ParseIssue(body));
  CheckParsed(gitcode::ParseIssues(body));
  CheckParsed(gitcode::ParseComment(body));
  CheckParsed(gitcode::ParseComments(body));
  CheckParsed(gitcode::ParsePullHistory(body));
  CheckParsed(gitcode::ParsePullRuns(body));
  CheckParsed(gitcode::ParsePullPipelines(body));
  CheckParsed(gitcode::ParsePullRun(body));
  CheckParsed(gitcode::ParseReviewComment(body));
  CheckParsed(gitcode::ParseReviewComments(body));

  // What decides about success, and the headers.
  const std::chrono::system_clock::time_point now(std::chrono::seconds(1'714'564'800));
  const std::string line(body.substr(0, body.find('\n')));
  for (const int status : {200, 301, 403, 429, 503}) {
    const OutgoingResponse response{
        status,
        {{"Retry-After", line}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", line}},
        std::string(body)};
    CheckVerdict(GitHubDialect().Judge(response, now));
    CheckVerdict(GitCodeDialect().Judge(response, now));
  }
  if (github::HasNextLink(body) != true) {
    Check(github::NextLinkParameter(body, "cursor").empty(), "a cursor of no next page");
  }
  return 0;
}
