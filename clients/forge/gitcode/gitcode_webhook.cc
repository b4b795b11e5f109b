// GitCode's webhooks: shaped like GitLab's, with types that change from one payload to the next. Identity comes from
// `project`, since `repository` is sparse; numbers may be strings; the event's name comes from the header, since the
// body's own name is not the same everywhere.
#include "clients/forge/gitcode/gitcode_webhook.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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
  const std::string name = payload::Name(Member(*user, "username"));
  return name.empty() ? payload::Name(Member(*user, "login")) : name;
}

// There is no kind of account on this forge: only names tell.
bool IsBot(std::string_view login) { return absl::EndsWithIgnoreCase(Abs(login), "[bot]"); }

// The commit that a merge request stands at. Either member may be an empty text.
std::string HeadOf(const json& body, const json& attributes) {
  std::string head = payload::Commit(Member(attributes, {"last_commit", "id"}));
  return head.empty() ? payload::Commit(Member(body, "git_commit_no")) : head;
}

bool HasNewCommits(const json& attributes) {
  if (payload::Name(Member(attributes, "update_reason")) == "source update") return true;
  const std::string before = payload::Name(Member(attributes, "oldrev"));
  return !before.empty() && before != payload::Name(Member(attributes, {"last_commit", "id"}));
}

std::optional<bool> DraftOf(const json& attributes) {
  const std::optional<bool> draft = payload::Flag(Member(attributes, "draft"));
  return draft.has_value() ? draft : payload::Flag(Member(attributes, "work_in_progress"));
}

// It was a draft until this change.
bool IsReadyNow(const json& body) {
  return absl::c_any_of(std::initializer_list<std::string_view>{"draft", "work_in_progress"},
                        [&](std::string_view name) {
                          return payload::Flag(Member(body, {"changes", name, "current"})) == false;
                        });
}

class Reader final : public WebhookReader {
 public:
  Reader(const WebhookDelivery& delivery, const json& body) : WebhookReader(delivery, body) {}

  WebhookReading Read();

 private:
  WebhookReading IssueOrMergeRequest(bool pull_request);
  WebhookReading Note();
  // False, with the reason set, if `object` has no number.
  bool SetSubject(const json* object, std::string_view name, bool pull_request);
  std::optional<Kind> KindOfChange(const json& attributes, bool pull_request) const;
  void NoteText(const json* text, const std::string& author);
};

WebhookReading Reader::Read() {
  const json* attributes = Member(body_, "object_attributes");
  if (attributes != nullptr) reading_.action = payload::Name(Member(*attributes, "action"));
  const std::string repository = payload::Name(Member(body_, {"project", "path_with_namespace"}));
  if (repository.empty()) return Ignored(reasons::kNoRepository);
  if (!IsRepositoryName(repository)) return Ignored(reasons::kMalformed, "project.path_with_namespace");
  reading_.subject.repository = repository;
  if (!delivery_.repository.empty() && delivery_.repository != repository) {
    return Ignored(reasons::kRepositoryMismatch);
  }

  event_.actor = LoginOf(Member(body_, "user"));
  if (event_.actor.empty()) event_.actor = payload::Name(Member(body_, "user_username"));
  event_.actor_is_bot = IsBot(event_.actor);

  const std::string_view name = delivery_.event;
  if (name == "Issue Hook") return IssueOrMergeRequest(/*pull_request=*/false);
  if (name == "Merge Request Hook") return IssueOrMergeRequest(/*pull_request=*/true);
  if (name == "Note Hook") return Note();
  if (name != "Push Hook" && name != "Tag Push Hook") return Ignored(reasons::kUnknownEvent, name);
  // A push hook for a tag is a tag event under another name; nothing here uses tags.
  if (name == "Tag Push Hook" || payload::Name(Member(body_, "ref")).starts_with("refs/tags/")) {
    return Ignored(reasons::kUnknownEvent, "Tag Push Hook");
  }
  reading_.subject.pull_request = true;
  event_.head = payload::Commit(Member(body_, "after"));
  return Finish(Kind::kPushed);
}

bool Reader::SetSubject(const json* object, std::string_view name, bool pull_request) {
  std::optional<int64_t> number;
  if (object != nullptr) {
    number = payload::PositiveInteger(Member(*object, "iid"));
    // The v5 API's name for it; `id` is another number and never meant.
    if (!number.has_value()) number = payload::PositiveInteger(Member(*object, "number"));
  }
  if (!number.has_value()) {
    reading_.reason = reasons::WithDetail(reasons::kMalformed, absl::StrCat(Abs(name), ".iid"));
    return false;
  }
  reading_.subject.pull_request = pull_request;
  reading_.subject.number = *number;
  return true;
}

std::optional<Kind> Reader::KindOfChange(const json& attributes, bool pull_request) const {
  const std::string& action = reading_.action;
  // A merge may come as an update of something that is merged: the state is what counts.
  if (payload::Name(Member(attributes, "state")) == "merged") return Kind::kClosed;
  if (action == "open") return Kind::kOpened;
  if (action == "reopen") return Kind::kReopened;
  if (action == "close" || action == "merge") return Kind::kClosed;
  if (action != "update") return std::nullopt;
  if (pull_request && HasNewCommits(attributes)) return Kind::kPushed;
  if (pull_request && IsReadyNow(body_)) return Kind::kReady;
  return Member(body_, {"changes", "labels"}) != nullptr ? Kind::kLabelsChanged : Kind::kEdited;
}

WebhookReading Reader::IssueOrMergeRequest(bool pull_request) {
  const json* attributes = Member(body_, "object_attributes");
  // Merge requests repeat the object under its own name.
  if (attributes == nullptr && pull_request) attributes = Member(body_, "merge_request");
  if (attributes == nullptr || !attributes->is_object()) return Ignored(reasons::kMalformed, "object_attributes");
  if (reading_.action.empty()) reading_.action = payload::Name(Member(*attributes, "action"));
  if (!SetSubject(attributes, "object_attributes", pull_request)) return std::move(reading_);
  const std::optional<Kind> kind = KindOfChange(*attributes, pull_request);
  if (!kind.has_value()) return Ignored(reasons::kUnusedAction, reading_.action);

  SubjectFacts& facts = event_.facts;
  facts.title = payload::Text(Member(*attributes, "title"), kMaxTitleBytes);
  if (attributes->contains("description")) {
    facts.body = payload::Text(Member(*attributes, "description"), kMaxBodyBytes).value_or("");
  }
  facts.labels = LabelsOf(body_, *attributes);
  facts.open = OpenOf(*attributes);
  facts.author = LoginOf(Member(*attributes, "author"));
  if (pull_request) {
    facts.draft = DraftOf(*attributes);
    event_.head = HeadOf(body_, *attributes);
  }
  // Whoever opens it is its author.
  if (facts.author.empty() && *kind == Kind::kOpened) facts.author = event_.actor;
  if (*kind == Kind::kOpened || *kind == Kind::kEdited) NoteText(Member(*attributes, "description"), facts.author);
  return Finish(*kind);
}

WebhookReading Reader::Note() {
  const json* attributes = Member(body_, "object_attributes");
  if (attributes == nullptr || !attributes->is_object()) return Ignored(reasons::kMalformed, "object_attributes");
  const std::string on = payload::Name(Member(*attributes, "noteable_type"));
  const json* merge_request = Member(body_, "merge_request");
  if (on == "Commit") return Ignored(reasons::kUnusedAction, "note on a commit");
  const bool pull_request = on == "MergeRequest" || (on.empty() && merge_request != nullptr);
  const json* object = pull_request ? merge_request : Member(body_, "issue");
  if (!SetSubject(object, pull_request ? "merge_request" : "issue", pull_request)) return std::move(reading_);
  if (payload::Flag(Member(*attributes, "system")).value_or(false)) return Ignored(reasons::kSystemNote);
  // Hooks of this kind come for new notes; some senders name the action, and tell of changed ones, too.
  const bool edited = reading_.action == "update" || reading_.action == "edit";
  if (!reading_.action.empty() && reading_.action != "create" && reading_.action != "comment" && !edited) {
    return Ignored(reasons::kUnusedAction, reading_.action);
  }
  const json* text = Member(*attributes, "note");
  if (text == nullptr) text = Member(*attributes, "description");
  const json* author = Member(*attributes, "author");
  // New notes are their sender's.
  NoteText(text, author != nullptr ? LoginOf(author) : edited ? std::string() : event_.actor);
  event_.comment = payload::PositiveInteger(Member(*attributes, "id")).value_or(0);
  event_.facts.title = payload::Text(Member(*object, "title"), kMaxTitleBytes);
  event_.facts.open = OpenOf(*object);
  event_.facts.author = LoginOf(Member(*object, "author"));
  return Finish(edited ? Kind::kCommentEdited : Kind::kCommented);
}

void Reader::NoteText(const json* text, const std::string& author) {
  event_.text = payload::Text(text, kMaxBodyBytes).value_or("");
  event_.text_author = author;
  event_.text_author_is_bot = IsBot(author);
}

}  // namespace

WebhookReading ReadGitCodeWebhook(const WebhookDelivery& delivery, std::string_view body) {
  return ReadWebhookBy<Reader>(delivery, body);
}

}  // namespace yardmaster
