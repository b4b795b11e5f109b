// GitCode's types are not stable: numbers of issues and ids of users are texts, flags are 0 and 1.
#include <algorithm>
#include <array>

#include "tests/support/fakeforge/dialect.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;

std::string GitCodeDefaultBranch(const Repository& repository) {
  return repository.default_branch.empty() ? "master" : repository.default_branch;
}

class GitCodeDialect final : public Dialect {
 public:
  std::string_view name() const override { return "gitcode"; }
  bool shared_numbers() const override { return false; }
  size_t default_page() const override { return 20; }
  size_t min_label() const override { return 2; }
  size_t max_label() const override { return 20; }
  bool github_headers() const override { return false; }

  std::string Token(const Request& request) const override {
    if (const std::string_view token = request.Header("PRIVATE-TOKEN"); !token.empty()) return std::string(token);
    const std::string_view value = request.Header("Authorization");
    constexpr std::string_view prefix = "Bearer ";
    return value.substr(0, prefix.size()) == prefix ? std::string(value.substr(prefix.size())) : std::string();
  }

  std::optional<std::vector<std::string>> AddedLabels(const json& body) const override {
    const json* list = &body;
    if (body.is_object() && body.contains("labels")) list = &body["labels"];
    if (!list->is_array()) return std::nullopt;
    std::vector<std::string> names;
    for (const json& name : *list) {
      if (!name.is_string()) return std::nullopt;
      names.push_back(name.get<std::string>());
    }
    return names;
  }

  json User(const std::string& login) const override {
    return {{"id", "u-" + login}, {"login", login}, {"name", login}, {"type", "User"}};
  }
  json Label(const std::string& name) const override {
    return {{"id", 7}, {"name", name}, {"title", name}, {"color", "#ededed"}, {"textColor", "#000000"}};
  }
  json Render(const Repository& repository) const override {
    const std::string& full = repository.full_name;
    return {{"id", 4711},
            {"full_name", full},
            {"path_with_namespace", full},
            {"private", repository.is_private ? 1 : 0},
            {"default_branch", GitCodeDefaultBranch(repository)},
            {"html_url", "https://gitcode.com/" + full}};
  }
  json Render(const Repository& repository, const Subject& subject, bool as_pull) const override {
    json labels = json::array();
    for (const std::string& name : subject.labels) labels.push_back(Label(name));
    const std::string number = std::to_string(subject.number);
    json out = {
        {"id", 900'000 + subject.number},
        {"title", subject.title},
        {"body", subject.body},
        {"state", subject.merged ? "merged"
                  : subject.open ? "open"
                                 : "closed"},
        {"labels", std::move(labels)},
        {"user", User(subject.user)},
        {"comments", subject.comments.size()},
        {"created_at", FormatTime(subject.created)},
        {"updated_at", FormatTime(subject.updated)},
        {"html_url", "https://gitcode.com/" + repository.full_name + (subject.pull ? "/pull/" : "/issues/") + number}};
    if (as_pull) {
      out["number"] = subject.number;
      const std::string& full = repository.full_name;
      const std::string& head = subject.head_repository;
      json head_repository;  // null: it is gone
      if (head != "-") head_repository = {{"full_name", head.empty() ? full : head}};
      out["draft"] = subject.draft ? 1 : 0;
      out["approval_reviewers"] = json::array();
      for (const std::string& login : subject.reviewers) out["approval_reviewers"].push_back(User(login));
      out["head"] = {{"ref", subject.head_ref}, {"sha", subject.head_sha}, {"repo", std::move(head_repository)}};
      out["base"] = {{"ref", subject.base_ref.empty() ? GitCodeDefaultBranch(repository) : subject.base_ref},
                     {"sha", subject.base_sha},
                     {"repo", {{"full_name", full}}}};
      out["merged"] = nullptr;
    } else {
      out["number"] = number;
    }
    return out;
  }
  json Render(const Comment& comment) const override {
    return {{"id", comment.id},
            {"body", comment.body},
            {"user", User(comment.user)},
            {"created_at", FormatTime(comment.created)},
            {"updated_at", FormatTime(std::max(comment.created, comment.updated))}};
  }
  json Permission(const std::string& login, const std::string& word) const override {
    return {{"id", "u-" + login}, {"login", login}, {"permission", word}};
  }
  json Render(const Subject&, const ReviewComment& comment, bool alone) const override {
    const int64_t first = comment.in_reply_to != 0 ? comment.in_reply_to : comment.id;
    json out = {{"id", comment.id},
                {"comment_type", "diff_comment"},
                {"body", comment.body},
                {"discussion_id", "discussion-" + std::to_string(first)},
                {"resolved", false},
                {"user", User(comment.user)},
                {"created_at", FormatTime(comment.created)},
                {"updated_at", FormatTime(comment.created)}};
    if (alone) {
      out["position"] = {{"new_path", comment.path}, {"new_line", comment.line}};
    } else if (comment.id % 2 == 0) {
      out["diff_file"] = comment.path;
      out["diff_position"] = {{"start_new_line", comment.line}, {"end_new_line", comment.line}};
    } else {
      // Lists are known to leave the place out.
      out["diff_file"] = nullptr;
    }
    return out;
  }
  Answer Error(int status, const std::string& message) const override {
    return {.status = status,
            .body = json{{"error_code", status},
                         {"error_code_name", "UN_KNOW"},
                         {"error_message", message},
                         {"trace_id", "fake"}}
                        .dump()};
  }

  Payload Webhook(const ForgeChange& what) const override {
    const Subject& subject = what.subject;
    const bool comment = what.AboutComment();
    json object = {{"id", 900'000 + subject.number},
                   {"iid", subject.number},
                   {"title", subject.title},
                   {"description", subject.body},
                   {"state", subject.merged ? "merged"
                             : subject.open ? "opened"
                                            : "closed"},
                   {"author", {{"username", subject.user}}}};
    json user = {{"id", "u-" + what.actor}, {"username", what.actor}, {"name", what.actor}};
    const std::string& full = what.repository.full_name;
    Payload payload;
    payload.body = {{"user", std::move(user)},
                    {"project", {{"path_with_namespace", full}, {"web_url", "https://gitcode.com/" + full}}},
                    {"repository", {{"name", full.substr(full.find('/') + 1)}}}};
    if (comment) {
      payload.event = "Note Hook";
      payload.action = what.action == Action::kCommentEdited ? "update" : "create";
      payload.body["object_kind"] = "note";
      payload.body["object_attributes"] = {{"id", what.comment->id},
                                           {"note", what.comment->body},
                                           {"noteable_type", subject.pull ? "MergeRequest" : "Issue"},
                                           {"system", false}};
      if (what.action == Action::kCommentEdited) payload.body["object_attributes"]["action"] = payload.action;
      payload.body[subject.pull ? "merge_request" : "issue"] = std::move(object);
      return payload;
    }
    static constexpr std::array<const char*, 11> kActions = {"open", "reopen", "update", "close",  "update", "update",
                                                             "",     "",       "update", "update", "update"};
    payload.event = subject.pull ? "Merge Request Hook" : "Issue Hook";
    payload.action = kActions[static_cast<size_t>(what.action)];
    object["action"] = payload.action;
    if (subject.pull) {
      object["work_in_progress"] = subject.draft ? 1 : 0;
      object["source_branch"] = subject.head_ref;
      object["target_branch"] = subject.base_ref.empty() ? GitCodeDefaultBranch(what.repository) : subject.base_ref;
      object["last_commit"] = {{"id", subject.head_sha}};
      object["target_branch_commit"] = {{"id", subject.base_sha}};
    }
    if (what.action == Action::kPushed) {
      object["oldrev"] = what.before;
      object["update_reason"] = "source update";
    }
    if (what.action == Action::kReady || what.action == Action::kDrafted) {
      const int now = what.action == Action::kDrafted ? 1 : 0;
      payload.body["changes"] = {{"draft", {{"previous", 1 - now}, {"current", now}}}};
    }
    json labels = json::array();
    for (const std::string& name : subject.labels) labels.push_back({{"title", name}});
    if (!what.label.empty()) payload.body["changes"] = {{"labels", {{"current", labels}}}};
    payload.body["object_kind"] = subject.pull ? "merge_request" : "issue";
    payload.body["labels"] = std::move(labels);
    payload.body["object_attributes"] = std::move(object);
    return payload;
  }
  Payload PushWebhook(const Repository& repository, const std::string& actor, const std::string& commit,
                      const std::vector<std::string>& paths) const override {
    const std::string& full = repository.full_name;
    Payload payload;
    payload.event = "Push Hook";
    payload.body = {
        {"object_kind", "push"},
        {"ref", "refs/heads/" + GitCodeDefaultBranch(repository)},
        {"user_username", actor},
        {"project", {{"path_with_namespace", full}, {"web_url", "https://gitcode.com/" + full}}},
        {"after", commit},
        {"commits", {{{"id", commit}, {"modified", paths}, {"added", json::array()}, {"removed", json::array()}}}}};
    return payload;
  }
  Headers WebhookHeaders(const std::string& event, const std::string& guid,
                         const std::string& signature) const override {
    Headers headers = {{"Content-Type", "application/json"},
                       {"User-Agent", "git-gitcode-hook"},
                       {"X-GitCode-Event", event},
                       {"X-GitCode-Delivery", guid}};
    if (!signature.empty()) headers.emplace_back("X-GitCode-Signature-256", signature);
    return headers;
  }
};

}  // namespace

std::unique_ptr<Dialect> MakeGitCodeDialect() { return std::make_unique<GitCodeDialect>(); }

}  // namespace yardmaster::fakeforge
