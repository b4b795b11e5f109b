// GitHub's webhooks. Only members that the contract promises are needed; everything else is used where it is there.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "services/core/limits.h"
#include "services/core/repository_name.h"
#include "services/intake/payload.h"
#include "services/intake/reasons.h"
#include "services/intake/router.h"
#include "services/intake/webhook_forge.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using payload::Member;

struct ActionKind {
  std::string_view action;
  v1::Event::Kind kind;
};

constexpr ActionKind kIssueActions[] = {
    {"opened", v1::Event::KIND_OPENED},
    {"reopened", v1::Event::KIND_REOPENED},
    {"edited", v1::Event::KIND_EDITED},
    {"labeled", v1::Event::KIND_LABELS_CHANGED},
    {"unlabeled", v1::Event::KIND_LABELS_CHANGED},
    {"closed", v1::Event::KIND_CLOSED},
};
constexpr ActionKind kPullRequestActions[] = {
    {"opened", v1::Event::KIND_OPENED},
    {"reopened", v1::Event::KIND_REOPENED},
    {"edited", v1::Event::KIND_EDITED},
    {"labeled", v1::Event::KIND_LABELS_CHANGED},
    {"unlabeled", v1::Event::KIND_LABELS_CHANGED},
    {"closed", v1::Event::KIND_CLOSED},
    {"synchronize", v1::Event::KIND_PUSHED},
    {"ready_for_review", v1::Event::KIND_REQUESTED},
};
constexpr ActionKind kCommentActions[] = {{"created", v1::Event::KIND_COMMENTED},
                                          {"edited", v1::Event::KIND_COMMENT_EDITED}};
constexpr ActionKind kCheckActions[] = {{"rerequested", v1::Event::KIND_REQUESTED}};

template <size_t N>
v1::Event::Kind KindOf(const ActionKind (&table)[N], std::string_view action) {
  for (const ActionKind& entry : table) {
    if (entry.action == action) return entry.kind;
  }
  return v1::Event::KIND_UNSPECIFIED;
}

// Title, body, labels and state of an issue or a pull request.
SubjectFacts FactsOf(const json& subject) {
  SubjectFacts facts;
  facts.title = payload::Text(Member(subject, "title"), kMaxTitleBytes);
  // The member is there but null where nobody wrote anything.
  if (subject.contains("body")) facts.body = payload::Text(Member(subject, "body"), kMaxBodyBytes).value_or("");
  facts.labels = payload::LabelNames(Member(subject, "labels"), {"name"});
  if (const std::string state = payload::Name(Member(subject, "state")); !state.empty()) facts.open = state == "open";
  facts.author = payload::Name(Member(subject, {"user", "login"}));
  return facts;
}

// One delivery on its way to an event.
class Route {
 public:
  Route(const RouteContext& context, const json& body) : context_(context), body_(body) {}

  RouteResult Run();

 private:
  RouteResult Ignored(std::string_view word, std::string_view detail = {}) {
    result_.reason = reasons::WithDetail(word, detail);
    result_.routed.reset();
    return std::move(result_);
  }
  // An event about the issue or pull request in `member`.
  RouteResult AboutSubject(std::string_view member, v1::SubjectKind kind, v1::Event::Kind what);
  // An event about a repository, perhaps about one of its pull requests.
  RouteResult AboutRepository(v1::Event::Kind what, std::optional<int64_t> pull_request);
  RouteResult Finish(v1::Event::Kind what, SubjectFacts facts);
  // What was written, and by whom: a comment, an issue or a pull request.
  void Written(const json& text);

  const RouteContext& context_;
  const json& body_;
  RouteResult result_;
  RoutedEvent routed_;
};

RouteResult Route::Run() {
  result_.action = payload::Name(Member(body_, "action"));
  const std::string repository = payload::Name(Member(body_, {"repository", "full_name"}));
  if (IsRepositoryName(repository)) {
    result_.subject.set_forge(std::string(context_.forge));
    result_.subject.set_repository(repository);
  }
  if (context_.event == "ping") return Ignored(reasons::kPing);
  if (repository.empty()) return Ignored(reasons::kNoRepository);
  if (result_.subject.repository().empty()) return Ignored(reasons::kMalformed, "repository.full_name");
  if (!context_.repository.empty() && context_.repository != repository) return Ignored(reasons::kRepositoryMismatch);

  routed_.event.set_actor(payload::Name(Member(body_, {"sender", "login"})));
  const std::string type = payload::Name(Member(body_, {"sender", "type"}));
  routed_.event.set_actor_is_bot(type == "Bot" || absl::EndsWith(routed_.event.actor(), "[bot]"));

  const std::string_view event = context_.event;
  if (event == "push") return AboutRepository(v1::Event::KIND_PUSHED, std::nullopt);

  const bool is_comment = event == "issue_comment";
  const bool is_check = event == "check_run" || event == "check_suite";
  v1::Event::Kind what = v1::Event::KIND_UNSPECIFIED;
  if (event == "issues") {
    what = KindOf(kIssueActions, result_.action);
  } else if (event == "pull_request") {
    what = KindOf(kPullRequestActions, result_.action);
  } else if (is_comment) {
    what = KindOf(kCommentActions, result_.action);
  } else if (is_check) {
    what = KindOf(kCheckActions, result_.action);
  } else {
    return Ignored(reasons::kUnknownEvent, event);
  }

  if (is_check) {
    if (what == v1::Event::KIND_UNSPECIFIED) return Ignored(reasons::kUnusedAction, result_.action);
    // Checks of commits that belong to no open pull request have an empty list.
    const json* pulls = Member(body_, {event, "pull_requests"});
    std::optional<int64_t> number;
    if (pulls != nullptr && pulls->is_array() && !pulls->empty()) {
      number = payload::PositiveInteger(Member(pulls->front(), "number"));
    }
    return AboutRepository(what, number);
  }
  if (event == "pull_request") return AboutSubject("pull_request", v1::SUBJECT_KIND_PULL_REQUEST, what);
  const json* issue = Member(body_, "issue");
  // Comments on pull requests come as comments on issues that have this member.
  const bool is_pull = issue != nullptr && Member(*issue, "pull_request") != nullptr;
  if (is_comment) {
    routed_.comment_id = payload::PositiveInteger(Member(body_, {"comment", "id"})).value_or(0);
    const json* comment = Member(body_, "comment");
    if (comment != nullptr) Written(*comment);
  }
  return AboutSubject("issue", is_pull ? v1::SUBJECT_KIND_PULL_REQUEST : v1::SUBJECT_KIND_ISSUE, what);
}

RouteResult Route::AboutSubject(std::string_view member, v1::SubjectKind kind, v1::Event::Kind what) {
  const json* subject = Member(body_, member);
  if (subject == nullptr || !subject->is_object()) return Ignored(reasons::kMalformed, member);
  const std::optional<int64_t> number = payload::PositiveInteger(Member(*subject, "number"));
  if (!number.has_value()) return Ignored(reasons::kMalformed, std::string(member) + ".number");
  result_.subject.set_kind(kind);
  result_.subject.set_number(*number);
  if (what == v1::Event::KIND_UNSPECIFIED) return Ignored(reasons::kUnusedAction, result_.action);
  if (what == v1::Event::KIND_LABELS_CHANGED) {
    const std::string label = payload::Name(Member(body_, {"label", "name"}));
    (result_.action == "labeled" ? routed_.label_added : routed_.label_removed) = label;
  }
  if (what == v1::Event::KIND_OPENED || what == v1::Event::KIND_EDITED) Written(*subject);
  return Finish(what, FactsOf(*subject));
}

void Route::Written(const json& text) {
  v1::Event& event = routed_.event;
  event.set_text(payload::Text(Member(text, "body"), kMaxBodyBytes).value_or(""));
  event.set_text_author(payload::Name(Member(text, {"user", "login"})));
  event.set_text_author_is_bot(payload::Name(Member(text, {"user", "type"})) == "Bot" ||
                               absl::EndsWith(event.text_author(), "[bot]"));
}

RouteResult Route::AboutRepository(v1::Event::Kind what, std::optional<int64_t> pull_request) {
  result_.subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  result_.subject.set_number(pull_request.value_or(0));
  return Finish(what, {});
}

RouteResult Route::Finish(v1::Event::Kind what, SubjectFacts facts) {
  // What we did ourselves needs no answer; without this, two bots could talk for ever.
  if (SameLogin(routed_.event.actor(), context_.bot_login)) return Ignored(reasons::kOwnAction);
  routed_.event.set_id(std::string(context_.delivery_id));
  routed_.event.set_origin(v1::Event::ORIGIN_WEBHOOK);
  routed_.event.set_kind(what);
  if (routed_.comment_id > 0) routed_.event.set_comment(std::to_string(routed_.comment_id));
  *routed_.event.mutable_subject() = result_.subject;
  routed_.facts = std::move(facts);
  result_.routed = std::move(routed_);
  return std::move(result_);
}

}  // namespace

RouteResult RouteGitHub(const RouteContext& context, std::string_view body) {
  RouteResult failed;
  const std::optional<json> parsed = payload::Parse(body, failed.reason);
  if (!parsed.has_value()) return failed;
  return Route(context, *parsed).Run();
}

const WebhookForge& GitHubWebhooks() {
  static const WebhookForge* const entry = new WebhookForge{
      .name = "github",
      .event_headers = {"X-GitHub-Event"},
      .delivery_headers = {"X-GitHub-Delivery"},
      .signature_header = "X-Hub-Signature-256",
      .token_header = {},
      .repository = {"repository", "full_name"},
      .events = {"issues", "issue_comment", "pull_request", "push", "check_run", "check_suite"},
      .ping_event = "ping",
      .route = &RouteGitHub,
  };
  return *entry;
}

}  // namespace yardmaster
