// `yard review pr|import|list`: reviews of pull requests by the server, which reads them from their forge and keeps
// them.
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/connection.h"
#include "clients/cli/files.h"
#include "clients/cli/review_answer.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "services/core/repository_name.h"
#include "services/core/short_commit.h"
#include "services/core/status_macros.h"
#include "services/review/import/finding_import.h"
#include "services/review/review_messages.h"
#include "yardmaster/v1/review.grpc.pb.h"

namespace yardmaster::cli {
namespace {

// Reading a large repository for the first time takes minutes.
constexpr std::chrono::minutes kPullReviewTimeout{10};
// Reviews of one call.
constexpr int64_t kReviewsPage = 200;

struct PullArguments {
  std::string subject;
  std::string pack;
  ReviewAnswerOptions answer;
  bool publish = false;
  bool last = false;
  bool all = false;
};

absl::StatusOr<v1::Subject> PullArgument(const std::string& text) {
  std::optional<v1::Subject> subject = ParseSubject(text);
  if (!subject.has_value()) return UsageError(absl::StrCat("expected FORGE:OWNER/REPO#N, got '", text, "'"));
  subject->set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  return *std::move(subject);
}

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
  ASSIGN_OR_RETURN(const v1::Subject subject, PullArgument(arguments.subject));
  ASSIGN_OR_RETURN(const v1::Review review, AskServer(arguments, subject, session));
  ReviewReport report = ReadChangeReview(review);
  if (!arguments.all) OnlyNew(report);
  PrintReview(
      arguments.answer, {}, report, [](const std::string&) { return nullptr; }, session);
  session.output.Note(
      absl::StrCat("review ", review.id(), " of ", ShortCommit(review.head()), ", read from ", review.source()));
  if (!report.complete) session.output.Note("not everything was seen; 'skipped' says what");
  return JudgeReview(arguments.answer, report);
}

struct ImportArguments {
  std::string subject;
  std::string head;
  std::string file;
  std::string tool;
  std::string format;
  std::string root;
  ReviewAnswerOptions answer;
  bool errors_block = false;
  bool publish = false;
};

absl::StatusOr<ExitCode> RunImport(const ImportArguments& arguments, Session& session) {
  RETURN_IF_ERROR(CheckReviewFormat(arguments.answer, session));
  v1::ImportFindingsRequest request;
  ASSIGN_OR_RETURN(*request.mutable_subject(), PullArgument(arguments.subject));
  ASSIGN_OR_RETURN(*request.mutable_content(), ReadInputFile(arguments.file, session.env, kMaxImportBytes));
  request.set_head(arguments.head);
  request.set_tool(arguments.tool);
  request.set_format(arguments.format);
  request.set_root(arguments.root);
  request.set_errors_block(arguments.errors_block);
  request.set_publish(arguments.publish);
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  ASSIGN_OR_RETURN(const v1::ImportFindingsResponse response,
                   server.Call(&v1::ReviewService::Stub::ImportFindings, request, kPullReviewTimeout));
  session.output.Note(absl::StrCat(arguments.file, ": ", response.read(), " findings"));
  for (const v1::SkippedReviewCheck& one : response.left_out()) {
    session.output.Note(absl::StrCat(one.reason(), ", as ", one.path()));
  }
  if (!response.has_review()) {
    session.output.Note(
        absl::StrCat("kept for ", ShortCommit(arguments.head), "; the pull request has another head now"));
    return ExitCode::kDone;
  }
  if (arguments.publish) session.output.Note(absl::StrCat("published: ", response.published()));
  ReviewReport report = ReadChangeReview(response.review());
  OnlyNew(report);
  PrintReview(
      arguments.answer, {}, report, [](const std::string&) { return nullptr; }, session);
  return JudgeReview(arguments.answer, report);
}

struct ListArguments {
  std::string repository;
  int64_t limit = 50;
};

using google::protobuf::util::TimeUtil;

nlohmann::ordered_json ReviewOutlineJson(const v1::Review& review) {
  nlohmann::ordered_json fresh = nlohmann::ordered_json::object();
  for (int i = 0; i < review.new_counts_size(); ++i) {
    fresh[rules::SeverityName(static_cast<rules::Severity>(i))] = review.new_counts(i);
  }
  return {{"id", review.id()},
          {"repository", review.repository()},
          {"number", review.has_subject() ? nlohmann::ordered_json(review.subject().number()) : nullptr},
          {"base", review.base()},
          {"head", review.head()},
          {"packs", review.packs()},
          {"complete", review.complete()},
          {"new", fresh},
          {"still", review.still()},
          {"fixed", review.fixed()},
          {"created_at", TimeUtil::ToString(review.created_at())}};
}

std::string ReviewTable(const google::protobuf::RepeatedPtrField<v1::Review>& reviews, const Output& output) {
  Table table;
  table.AlignRight({3, 4, 5});
  table.Header({"ID", "WHAT", "HEAD", "NEW", "STILL", "FIXED", "AT"});
  for (const v1::Review& review : reviews) {
    const std::string number = review.has_subject() ? absl::StrCat("#", review.subject().number()) : std::string();
    table.Row({Printable(review.id()), Printable(absl::StrCat(review.repository(), number)),
               Printable(ShortCommit(review.head())), absl::StrCat(absl::c_accumulate(review.new_counts(), 0U)),
               absl::StrCat(review.still()), absl::StrCat(review.fixed()), TimeUtil::ToString(review.created_at())});
  }
  return table.Render(0, output.columns(), output.color());
}

absl::StatusOr<ExitCode> RunList(const ListArguments& arguments, Session& session) {
  v1::ListReviewsRequest request;
  if (!arguments.repository.empty()) {
    if (const std::optional<v1::Subject> pull = ParseSubject(arguments.repository); pull.has_value()) {
      request.set_repository(QualifiedName(pull->forge(), pull->repository()));
      request.set_number(pull->number());
    } else {
      RETURN_IF_ERROR(ParseRepository(arguments.repository).status());
      request.set_repository(arguments.repository);
    }
  }
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  google::protobuf::RepeatedPtrField<v1::Review> reviews;
  do {
    const int64_t left = arguments.limit == 0 ? kReviewsPage : arguments.limit - reviews.size();
    request.set_page_size(static_cast<uint32_t>(std::min<int64_t>(left, kReviewsPage)));
    ASSIGN_OR_RETURN(const v1::ListReviewsResponse response,
                     server.Call(&v1::ReviewService::Stub::ListReviews, request));
    reviews.MergeFrom(response.reviews());
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty() && (arguments.limit == 0 || reviews.size() < arguments.limit));
  PrintRows("reviews", reviews, ReviewOutlineJson, ReviewTable, session);
  return ExitCode::kDone;
}

}  // namespace

void AddReviewImportVerb(Verb& review) {
  Verb& import =
      review.Add("import", "Take what another tool found into the report of a pull request, from CI",
                 {"ruff check . --output-format sarif > ruff.sarif; yard review import github:octo/framework#12 "
                  "--head $(git rev-parse HEAD) --tool ruff --publish ruff.sarif",
                  "yard review import gitcode:o/r#7 --head SHA --tool gcc --root /src -"});
  ImportArguments& arguments = import.Runs(RunImport);
  import.Argument("SUBJECT", &arguments.subject, "FORGE:OWNER/REPO#N").Required();
  import.Argument("FILE", &arguments.file, "What the tool wrote; \"-\": standard input").Required();
  import.Value("--head", &arguments.head, "COMMIT", "The commit at which it ran, in full").Required();
  import.Value("--tool", &arguments.tool, "NAME", "The tool; what it found there before is replaced").Required();
  import.Value("--input", &arguments.format, "FORMAT", "sarif, checkstyle, github or lines (default: by the text)");
  import.Value("--root", &arguments.root, "DIR", "Where the repository lay: absolute paths below it become relative");
  import.Flag("--errors-block", &arguments.errors_block, "The tool's errors block (default: they are major)");
  import.Flag("--publish", &arguments.publish, "Publish the review as an event would have done");
  AddReviewAnswerOptions(import, arguments.answer);
}

void AddReviewListVerb(Verb& review) {
  Verb& list = review.Add("list", "List the reviews that the server keeps, newest first",
                          {"yard review list", "yard review list github:octo/framework",
                           "yard review list github:octo/framework#12 --json"});
  ListArguments& arguments = list.Runs(RunList);
  list.Argument("WHAT", &arguments.repository, "FORGE:OWNER/REPO or FORGE:OWNER/REPO#N");
  list.Value("--limit", &arguments.limit, "N", "At most so many; 0: all");
}

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
