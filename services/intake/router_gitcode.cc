// GitCode's webhooks: shaped like GitLab's, with types that change from one payload to the next. Identity comes from
// `project`, since `repository` is sparse; numbers may be strings; the event's name comes from the header, since the
// body's own name is not the same everywhere.
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

// Titles of labels at the root, or inside the object itself.
std::optional<std::vector<std::string>> LabelsOf(const json& body, const json& attributes) {
  for (const json* list : {Member(body, "labels"), Member(attributes, "labels")}) {
    if (auto names = payload::LabelNames(list, {"title", "name"}); names.has_value()) return names;
  }
  return std::nullopt;
}

std::optional<bool> OpenOf(const json& attributes) {
  const std::string state = payload::Name(Member(attributes, "state"));
  if (state.empty()) return std::nullopt;
  return state == "opened" || state == "open" || state == "reopened";
}

std::string LoginOf(const json* user) {
  if (user == nullptr) return {};
  for (const std::string_view key : {"username", "login"}) {
    if (std::string name = payload::Name(Member(*user, key)); !name.empty()) return name;
  }
  return {};
}

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
  RouteResult IssueOrMergeRequest(bool is_pull);
  RouteResult Note();
  // False, with the reason set, if `object` has no number.
  bool SetSubject(const json* object, std::string_view name, v1::SubjectKind kind);
  v1::Event::Kind KindOfChange(const json& attributes, bool is_pull);
  RouteResult Finish(v1::Event::Kind what);
  void Written(const json* text, const std::string& author);

  const RouteContext& context_;
  const json& body_;
  RouteResult result_;
  RoutedEvent routed_;
};

RouteResult Route::Run() {
  const json* attributes = Member(body_, "object_attributes");
  if (attributes != nullptr) result_.action = payload::Name(Member(*attributes, "action"));
  const std::string repository = payload::Name(Member(body_, {"project", "path_with_namespace"}));
  if (repository.empty()) return Ignored(reasons::kNoRepository);
  if (!IsRepositoryName(repository)) return Ignored(reasons::kMalformed, "project.path_with_namespace");
  result_.subject.set_forge(std::string(context_.forge));
  result_.subject.set_repository(repository);
  if (!context_.repository.empty() && context_.repository != repository) return Ignored(reasons::kRepositoryMismatch);

  std::string actor = LoginOf(Member(body_, "user"));
  if (actor.empty()) actor = payload::Name(Member(body_, "user_username"));
  routed_.event.set_actor(actor);
  // There is no kind of account on this forge: only names tell.
  routed_.event.set_actor_is_bot(absl::EndsWithIgnoreCase(actor, "[bot]"));

  const std::string_view event = context_.event;
  if (event == "Issue Hook") return IssueOrMergeRequest(false);
  if (event == "Merge Request Hook") return IssueOrMergeRequest(true);
  if (event == "Note Hook") return Note();
  if (event == "Push Hook" || event == "Tag Push Hook") {
    // A push hook for a tag is a tag event under another name; nothing here uses tags.
    const std::string ref = payload::Name(Member(body_, "ref"));
    if (event == "Tag Push Hook" || absl::StartsWith(ref, "refs/tags/")) {
      return Ignored(reasons::kUnknownEvent, "Tag Push Hook");
    }
    result_.subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    return Finish(v1::Event::KIND_PUSHED);
  }
  return Ignored(reasons::kUnknownEvent, event);
}

bool Route::SetSubject(const json* object, std::string_view name, v1::SubjectKind kind) {
  std::optional<int64_t> number;
  if (object != nullptr) {
    number = payload::PositiveInteger(Member(*object, "iid"));
    // The v5 API's name for it; `id` is another number and never meant.
    if (!number.has_value()) number = payload::PositiveInteger(Member(*object, "number"));
  }
  if (!number.has_value()) {
    result_.reason = reasons::WithDetail(reasons::kMalformed, std::string(name) + ".iid");
    return false;
  }
  result_.subject.set_kind(kind);
  result_.subject.set_number(*number);
  return true;
}

v1::Event::Kind Route::KindOfChange(const json& attributes, bool is_pull) {
  const std::string& action = result_.action;
  // A merge may come as an update of something that is merged: the state is what counts.
  if (payload::Name(Member(attributes, "state")) == "merged") return v1::Event::KIND_CLOSED;
  if (action == "open") return v1::Event::KIND_OPENED;
  if (action == "reopen") return v1::Event::KIND_REOPENED;
  if (action == "close" || action == "merge") return v1::Event::KIND_CLOSED;
  if (action != "update") return v1::Event::KIND_UNSPECIFIED;
  if (is_pull) {
    const std::string before = payload::Name(Member(attributes, "oldrev"));
    if (!before.empty() || payload::Name(Member(attributes, "update_reason")) == "source update") {
      return v1::Event::KIND_PUSHED;
    }
  }
  if (Member(body_, {"changes", "labels"}) != nullptr) return v1::Event::KIND_LABELS_CHANGED;
  return v1::Event::KIND_EDITED;
}

RouteResult Route::IssueOrMergeRequest(bool is_pull) {
  const json* attributes = Member(body_, "object_attributes");
  // Merge requests repeat the object under its own name.
  if (attributes == nullptr && is_pull) attributes = Member(body_, "merge_request");
  if (attributes == nullptr || !attributes->is_object()) return Ignored(reasons::kMalformed, "object_attributes");
  if (result_.action.empty()) result_.action = payload::Name(Member(*attributes, "action"));
  if (!SetSubject(attributes, "object_attributes", is_pull ? v1::SUBJECT_KIND_PULL_REQUEST : v1::SUBJECT_KIND_ISSUE)) {
    return std::move(result_);
  }
  const v1::Event::Kind what = KindOfChange(*attributes, is_pull);
  if (what == v1::Event::KIND_UNSPECIFIED) return Ignored(reasons::kUnusedAction, result_.action);

  SubjectFacts& facts = routed_.facts;
  facts.title = payload::Text(Member(*attributes, "title"), kMaxTitleBytes);
  if (attributes->contains("description")) {
    facts.body = payload::Text(Member(*attributes, "description"), kMaxBodyBytes).value_or("");
  }
  facts.labels = LabelsOf(body_, *attributes);
  facts.open = OpenOf(*attributes);
  facts.author = LoginOf(Member(*attributes, "author"));
  // Whoever opens it is its author.
  if (facts.author.empty() && what == v1::Event::KIND_OPENED) facts.author = routed_.event.actor();
  if (what == v1::Event::KIND_OPENED || what == v1::Event::KIND_EDITED) {
    Written(Member(*attributes, "description"), facts.author);
  }
  return Finish(what);
}

RouteResult Route::Note() {
  const json* attributes = Member(body_, "object_attributes");
  if (attributes == nullptr || !attributes->is_object()) return Ignored(reasons::kMalformed, "object_attributes");
  const std::string on = payload::Name(Member(*attributes, "noteable_type"));
  const json* issue = Member(body_, "issue");
  const json* merge_request = Member(body_, "merge_request");
  if (on == "Commit") return Ignored(reasons::kUnusedAction, "note on a commit");
  const bool is_pull = on == "MergeRequest" || (on.empty() && merge_request != nullptr);
  const json* object = is_pull ? merge_request : issue;
  if (!SetSubject(object, is_pull ? "merge_request" : "issue",
                  is_pull ? v1::SUBJECT_KIND_PULL_REQUEST : v1::SUBJECT_KIND_ISSUE)) {
    return std::move(result_);
  }
  if (payload::Flag(Member(*attributes, "system")).value_or(false)) return Ignored(reasons::kSystemNote);
  // Hooks of this kind come for new notes; some senders name the action, and tell of changed ones, too.
  const bool edited = result_.action == "update" || result_.action == "edit";
  if (!result_.action.empty() && result_.action != "create" && result_.action != "comment" && !edited) {
    return Ignored(reasons::kUnusedAction, result_.action);
  }
  const json* text = Member(*attributes, "note");
  if (text == nullptr) text = Member(*attributes, "description");
  const json* author = Member(*attributes, "author");
  // New notes are their sender's.
  Written(text, author != nullptr ? LoginOf(author) : edited ? std::string() : routed_.event.actor());
  routed_.comment_id = payload::PositiveInteger(Member(*attributes, "id")).value_or(0);
  SubjectFacts& facts = routed_.facts;
  facts.title = payload::Text(Member(*object, "title"), kMaxTitleBytes);
  facts.open = OpenOf(*object);
  facts.author = LoginOf(Member(*object, "author"));
  return Finish(edited ? v1::Event::KIND_COMMENT_EDITED : v1::Event::KIND_COMMENTED);
}

void Route::Written(const json* text, const std::string& author) {
  v1::Event& event = routed_.event;
  event.set_text(payload::Text(text, kMaxBodyBytes).value_or(""));
  event.set_text_author(author);
  event.set_text_author_is_bot(absl::EndsWithIgnoreCase(author, "[bot]"));
}

RouteResult Route::Finish(v1::Event::Kind what) {
  if (SameLogin(routed_.event.actor(), context_.bot_login)) return Ignored(reasons::kOwnAction);
  routed_.event.set_id(std::string(context_.delivery_id));
  routed_.event.set_origin(v1::Event::ORIGIN_WEBHOOK);
  routed_.event.set_kind(what);
  if (routed_.comment_id > 0) routed_.event.set_comment(std::to_string(routed_.comment_id));
  *routed_.event.mutable_subject() = result_.subject;
  result_.routed = std::move(routed_);
  return std::move(result_);
}

}  // namespace

RouteResult RouteGitCode(const RouteContext& context, std::string_view body) {
  RouteResult failed;
  const std::optional<json> parsed = payload::Parse(body, failed.reason);
  if (!parsed.has_value()) return failed;
  return Route(context, *parsed).Run();
}

const WebhookForge& GitCodeWebhooks() {
  // Later names come from older or renamed senders of the same forge.
  static const WebhookForge* const entry = new WebhookForge{
      .name = "gitcode",
      .event_headers = {"X-GitCode-Event", "X-AtomGit-Event"},
      .delivery_headers = {"X-GitCode-Delivery", "X-AtomGit-Delivery", "X-GitCode-Webhook-Delivery",
                           "X-GitCode-Event-UUID"},
      .signature_header = "X-GitCode-Signature-256",
      .token_header = "X-GitCode-Token",
      .repository = {"project", "path_with_namespace"},
      .events = {"Issue Hook", "Note Hook", "Merge Request Hook", "Push Hook", "Tag Push Hook"},
      .ping_event = {},
      .route = &RouteGitCode,
  };
  return *entry;
}

}  // namespace yardmaster
