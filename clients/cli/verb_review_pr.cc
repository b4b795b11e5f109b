// `yard review pr`: a pull request reviewed by the server, which reads it from its forge.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/cli/connection.h"
#include "clients/cli/review_answer.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/verbs.h"
#include "services/core/status_macros.h"
#include "services/review/review_messages.h"
#include "yardmaster/v1/review.grpc.pb.h"

namespace yardmaster::cli {
namespace {

// Reading a large repository for the first time takes minutes.
constexpr std::chrono::minutes kPullReviewTimeout{10};

struct PullArguments {
  std::string subject;
  std::string pack;
  ReviewAnswerOptions answer;
  bool publish = false;
  bool last = false;
  bool all = false;
};

absl::StatusOr<v1::Review> AskServer(const PullArguments& arguments, const v1::Subject& subject, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  if (arguments.last) {
    v1::GetReviewRequest request;
    *request.mutable_subject() = subject;
    ASSIGN_OR_RETURN(v1::GetReviewResponse response, server.Call(&v1::ReviewService::Stub::GetReview, request));
    return std::move(*response.mutable_review());
  }
  v1::ReviewPullRequestRequest request;
  *request.mutable_subject() = subject;
  request.set_pack(arguments.pack);
  request.set_publish(arguments.publish);
  ASSIGN_OR_RETURN(v1::ReviewPullRequestResponse response,
                   server.Call(&v1::ReviewService::Stub::ReviewPullRequest, request, kPullReviewTimeout));
  if (arguments.publish) session.output.Note(absl::StrCat("published: ", response.published()));
  return std::move(*response.mutable_review());
}

absl::StatusOr<ExitCode> RunPull(const PullArguments& arguments, Session& session) {
  RETURN_IF_ERROR(CheckReviewFormat(arguments.answer, session));
  std::optional<v1::Subject> subject = ParseSubject(arguments.subject);
  if (!subject.has_value()) {
    return UsageError(absl::StrCat("expected FORGE:OWNER/REPO#N, got '", arguments.subject, "'"));
  }
  subject->set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  ASSIGN_OR_RETURN(const v1::Review review, AskServer(arguments, *subject, session));
  ReviewReport report = ReadChangeReview(review);
  if (!arguments.all) OnlyNew(report);
  PrintReview(
      arguments.answer, {}, report, [](const std::string&) { return nullptr; }, session);
  session.output.Note(
      absl::StrCat("review ", review.id(), " of ", review.head().substr(0, 12), ", read from ", review.source()));
  if (!report.complete) session.output.Note("not everything was seen; 'skipped' says what");
  return JudgeReview(arguments.answer, report);
}

}  // namespace

void AddReviewPullVerb(Verb& review) {
  Verb& pull = review.Add("pr", "Review a pull request as it stands now, by the server",
                          {"yard review pr github:octo/framework#12", "yard review pr gitcode:o/r#7 --publish",
                           "yard review pr github:octo/framework#12 --last --json"});
  PullArguments& arguments = pull.Runs(RunPull);
  pull.Argument("SUBJECT", &arguments.subject, "FORGE:OWNER/REPO#N").Required();
  pull.Value("--pack", &arguments.pack, "PACK", "Pack to review with (default: those of the repository)");
  pull.Flag("--publish", &arguments.publish, "Publish it as an event would have done");
  pull.Flag("--last", &arguments.last, "The latest review that is kept, without a new one");
  pull.Flag("--all", &arguments.all, "Findings that were there before, and those that are fixed, too");
  AddReviewAnswerOptions(pull, arguments.answer);
}

}  // namespace yardmaster::cli
