// GitHub's webhooks. Only members that every payload has are needed; everything else is used where it is there.
#include "clients/forge/github/github_webhook.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/github/github_checks.h"
#include "clients/forge/payload.h"
#include "clients/forge/webhook_reader.h"
#include "services/core/absl_view.h"
#include "services/core/limits.h"
#include "services/core/reasons.h"
#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using payload::Member;
using Kind = ForgeEventKind;

struct ActionKind {
  std::string_view event;
  std::string_view action;
  Kind kind;
};

constexpr ActionKind kActions[] = {
    {"issues", "opened", Kind::kOpened},
    {"issues", "reopened", Kind::kReopened},
    {"issues", "edited", Kind::kEdited},
    {"issues", "labeled", Kind::kLabelsChanged},
    {"issues", "unlabeled", Kind::kLabelsChanged},
    {"issues", "closed", Kind::kClosed},
    {"pull_request", "opened", Kind::kOpened},
    {"pull_request", "reopened", Kind::kReopened},
    {"pull_request", "edited", Kind::kEdited},
    {"pull_request", "labeled", Kind::kLabelsChanged},
    {"pull_request", "unlabeled", Kind::kLabelsChanged},
    {"pull_request", "closed", Kind::kClosed},
    {"pull_request", "synchronize", Kind::kPushed},
    {"pull_request", "ready_for_review", Kind::kReady},
    {"issue_comment", "created", Kind::kCommented},
    {"issue_comment", "edited", Kind::kCommentEdited},
    {"check_run", "rerequested", Kind::kRequested},
    {"check_run", "requested_action", Kind::kRequested},
    {"check_suite", "rerequested", Kind::kRequested},
};

bool IsBot(std::string_view login, std::string_view type) { return type == "Bot" || login.ends_with("[bot]"); }

// Title, body, labels and state of an issue or a pull request.
SubjectFacts FactsOf(const json& subject) {
  SubjectFacts facts;
  facts.title = payload::Text(Member(subject, "title"), kMaxTitleBytes);
  // The member is there but null where nobody wrote anything.
  if (subject.contains("body")) facts.body = payload::Text(Member(subject, "body"), kMaxBodyBytes).value_or("");
  facts.labels = payload::LabelNames(Member(subject, "labels"), {"name"});
  if (const std::string state = payload::Name(Member(subject, "state")); !state.empty()) facts.open = state == "open";
  facts.author = payload::Name(Member(subject, {"user", "login"}));
  facts.draft = payload::Flag(Member(subject, "draft"));
  return facts;
}

class Reader final : public WebhookReader {
 public:
  Reader(const WebhookDelivery& delivery, const json& body) : WebhookReader(delivery, body) {}

  WebhookReading Read();

 private:
  // An event about the issue or pull request in `member`; `kind` is unset for actions that nothing here uses.
  WebhookReading AboutSubject(std::string_view member, bool pull_request, std::optional<Kind> kind);
  // New commits on a branch of the repository.
  WebhookReading AboutPush();
  // Somebody wants a check run or a suite of them again.
  WebhookReading AboutCheck(std::optional<Kind> kind);
  bool IsOurs(const json& check) const;
  // What was written, and by whom: a comment, an issue or a pull request.
  void NoteText(const json& text);
};

WebhookReading Reader::Read() {
  reading_.action = payload::Name(Member(body_, "action"));
  const std::string repository = payload::Name(Member(body_, {"repository", "full_name"}));
  if (IsRepositoryName(repository)) reading_.subject.repository = repository;
  const std::string_view name = delivery_.event;
  if (name == "ping") return Ignored(reasons::kPing);
  if (repository.empty()) return Ignored(reasons::kNoRepository);
  if (reading_.subject.repository.empty()) return Ignored(reasons::kMalformed, "repository.full_name");
  if (!delivery_.repository.empty() && delivery_.repository != repository) {
    return Ignored(reasons::kRepositoryMismatch);
  }
  event_.actor = payload::Name(Member(body_, {"sender", "login"}));
  event_.actor_is_bot = IsBot(event_.actor, payload::Name(Member(body_, {"sender", "type"})));

  if (name == "push") return AboutPush();
  std::optional<Kind> kind;
  for (const ActionKind& known : kActions) {
    if (known.event == name && known.action == reading_.action) kind = known.kind;
  }
  if (name == "check_run" || name == "check_suite") return AboutCheck(kind);
  if (name == "pull_request") return AboutSubject("pull_request", /*pull_request=*/true, kind);
  if (name != "issues" && name != "issue_comment") return Ignored(reasons::kUnknownEvent, name);
  if (name == "issue_comment") {
    event_.comment = payload::PositiveInteger(Member(body_, {"comment", "id"})).value_or(0);
    if (const json* comment = Member(body_, "comment"); comment != nullptr) NoteText(*comment);
  }
  // Comments on pull requests come as comments on issues that have this member.
  return AboutSubject("issue", Member(body_, {"issue", "pull_request"}) != nullptr, kind);
}

WebhookReading Reader::AboutPush() {
  reading_.subject.pull_request = true;
  event_.head = payload::Commit(Member(body_, "after"));
  return Finish(Kind::kPushed);
}

WebhookReading Reader::AboutCheck(std::optional<Kind> kind) {
  if (!kind.has_value()) return Ignored(reasons::kUnusedAction, reading_.action);
  const json* check = Member(body_, delivery_.event);
  if (check == nullptr || !check->is_object()) return Ignored(reasons::kMalformed, delivery_.event);
  if (!IsOurs(*check)) return Ignored(reasons::kUnusedAction, "a check of another app");
  if (reading_.action == "requested_action" &&
      payload::Name(Member(body_, {"requested_action", "identifier"})) != github::kRerunAction) {
    return Ignored(reasons::kUnusedAction, reading_.action);
  }
  // Empty for pull requests of forks: then only the head is known.
  const json* pulls = Member(*check, "pull_requests");
  const bool has_pull = pulls != nullptr && pulls->is_array() && !pulls->empty();
  reading_.subject.pull_request = true;
  reading_.subject.number = has_pull ? payload::PositiveInteger(Member(pulls->front(), "number")).value_or(0) : 0;
  event_.head = payload::Commit(Member(*check, "head_sha"));
  event_.check = payload::Name(Member(*check, "name"));
  if (reading_.subject.number == 0 && event_.head.empty()) {
    return Ignored(reasons::kMalformed, absl::StrCat(Abs(delivery_.event), ".head_sha"));
  }
  // GitHub may name the app itself as the sender.
  return FinishRequest(*kind);
}

bool Reader::IsOurs(const json& check) const {
  const std::string name = payload::Name(Member(check, "name"));
  const std::string app = payload::Name(Member(check, {"app", "slug"}));
  // GitHub asks only the app whose check it is.
  if (name == kReviewCheckName || app.empty()) return true;
  // A suite has no name, and until GitHub was asked our login is unknown.
  if (name.empty() && delivery_.bot_login.empty()) return true;
  return SameLogin(absl::StrCat(app, "[bot]"), delivery_.bot_login);
}

WebhookReading Reader::AboutSubject(std::string_view member, bool pull_request, std::optional<Kind> kind) {
  const json* subject = Member(body_, member);
  if (subject == nullptr || !subject->is_object()) return Ignored(reasons::kMalformed, member);
  const std::optional<int64_t> number = payload::PositiveInteger(Member(*subject, "number"));
  if (!number.has_value()) return Ignored(reasons::kMalformed, absl::StrCat(Abs(member), ".number"));
  reading_.subject.pull_request = pull_request;
  reading_.subject.number = *number;
  if (!kind.has_value()) return Ignored(reasons::kUnusedAction, reading_.action);
  if (*kind == Kind::kLabelsChanged) {
    (reading_.action == "labeled" ? event_.label_added : event_.label_removed) =
        payload::Name(Member(body_, {"label", "name"}));
  }
  if (*kind == Kind::kOpened || *kind == Kind::kEdited) NoteText(*subject);
  event_.facts = FactsOf(*subject);
  event_.head = payload::Commit(Member(*subject, {"head", "sha"}));
  return Finish(*kind);
}

void Reader::NoteText(const json& text) {
  event_.text = payload::Text(Member(text, "body"), kMaxBodyBytes).value_or("");
  event_.text_author = payload::Name(Member(text, {"user", "login"}));
  event_.text_author_is_bot = IsBot(event_.text_author, payload::Name(Member(text, {"user", "type"})));
}

}  // namespace

WebhookReading ReadGitHubWebhook(const WebhookDelivery& delivery, std::string_view body) {
  return ReadWebhookBy<Reader>(delivery, body);
}

}  // namespace yardmaster
