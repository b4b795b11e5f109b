#include <algorithm>
#include <array>
#include <ctime>

#include "tests/support/fakeforge/dialect.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;

json TextOrNull(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

std::string Format(Time time, const char* pattern) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const size_t size = std::strftime(text.data(), text.size(), pattern, &parts);
  return {text.data(), size};
}

// The same account has the same number everywhere.
int64_t UserId(const std::string& login) {
  uint32_t hash = 2166136261U;
  for (const char c : login) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return 1'000 + static_cast<int64_t>(hash % 1'000'000'000U);
}

std::string GitHubDefaultBranch(const Repository& repository) {
  return repository.default_branch.empty() ? "main" : repository.default_branch;
}

class GitHubDialect final : public Dialect {
 public:
  std::string_view name() const override { return "github"; }
  bool shared_numbers() const override { return true; }
  size_t default_page() const override { return 30; }
  size_t min_label() const override { return 1; }
  size_t max_label() const override { return 50; }
  bool github_headers() const override { return true; }

  std::string Token(const Request& request) const override {
    const std::string_view value = request.Header("Authorization");
    for (const std::string_view prefix : {"Bearer ", "token "}) {
      if (value.substr(0, prefix.size()) == prefix) return std::string(value.substr(prefix.size()));
    }
    return {};
  }

  std::optional<std::vector<std::string>> AddedLabels(const json& body) const override {
    const json* list = &body;
    if (body.is_object()) {
      const auto it = body.find("labels");
      if (it == body.end()) return std::nullopt;
      list = &*it;
    }
    if (!list->is_array()) return std::nullopt;
    std::vector<std::string> names;
    for (const json& name : *list) {
      if (!name.is_string()) return std::nullopt;
      names.push_back(name.get<std::string>());
    }
    return names;
  }

  json User(const std::string& login) const override {
    return {{"login", login}, {"id", UserId(login)}, {"type", login.ends_with("[bot]") ? "Bot" : "User"}};
  }
  json Label(const std::string& name) const override {
    return {{"id", UserId(name)}, {"name", name}, {"color", "ededed"}, {"default", false}, {"description", nullptr}};
  }
  json Render(const Repository& repository) const override {
    const std::string& full = repository.full_name;
    return {{"id", UserId(full)},
            {"name", full.substr(full.find('/') + 1)},
            {"full_name", full},
            {"private", repository.is_private},
            {"archived", false},
            {"default_branch", GitHubDefaultBranch(repository)},
            {"owner", User(full.substr(0, full.find('/')))},
            {"html_url", "https://github.com/" + full}};
  }
  json Render(const Repository& repository, const Subject& subject, bool as_pull) const override {
    json labels = json::array();
    for (const std::string& name : subject.labels) labels.push_back(Label(name));
    const std::string number = std::to_string(subject.number);
    json out = {
        {"id", UserId(repository.full_name) + subject.number},
        {"number", subject.number},
        {"title", subject.title},
        {"body", TextOrNull(subject.body)},
        {"state", subject.open ? "open" : "closed"},
        {"labels", std::move(labels)},
        {"user", User(subject.user)},
        {"comments", subject.comments.size()},
        {"locked", false},
        {"created_at", FormatTime(subject.created)},
        {"updated_at", FormatTime(subject.updated)},
        {"html_url", "https://github.com/" + repository.full_name + (subject.pull ? "/pull/" : "/issues/") + number}};
    const json merged_at = subject.merged ? json(FormatTime(subject.updated)) : json(nullptr);
    if (as_pull) {
      const std::string& head = subject.head_repository;
      out["merged"] = subject.merged;
      out["merged_at"] = merged_at;
      out["draft"] = subject.draft;
      out["maintainer_can_modify"] = subject.maintainers_may_edit;
      out["changed_files"] = subject.files.size();
      out["requested_reviewers"] = json::array();
      for (const std::string& login : subject.reviewers) out["requested_reviewers"].push_back(User(login));
      json head_repository;  // null: it is gone
      if (head.empty()) {
        head_repository = Render(repository);
      } else if (head != "-") {
        head_repository = {{"full_name", head}, {"default_branch", "main"}};
      }
      out["head"] = {{"ref", subject.head_ref}, {"sha", subject.head_sha}, {"repo", std::move(head_repository)}};
      out["base"] = {{"ref", subject.base_ref.empty() ? GitHubDefaultBranch(repository) : subject.base_ref},
                     {"sha", subject.base_sha},
                     {"repo", Render(repository)}};
    } else if (subject.pull) {
      out["pull_request"] = {{"merged_at", merged_at}};
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
    // Roles between are told by the word below them.
    const std::string coarse = word == "maintain" ? "write" : word == "triage" ? "read" : word;
    return {{"permission", coarse}, {"role_name", word}, {"user", User(login)}};
  }
  json Render(const Subject& subject, const ReviewComment& comment, bool) const override {
    json out = {{"id", comment.id},
                {"path", comment.path},
                {"body", comment.body},
                {"user", User(comment.user)},
                {"commit_id", subject.head_sha},
                {"original_commit_id", comment.commit},
                {"subject_type", comment.line > 0 ? "line" : "file"},
                {"side", "RIGHT"},
                {"line", nullptr},
                {"original_line", comment.line},
                {"created_at", FormatTime(comment.created)},
                {"updated_at", FormatTime(comment.created)}};
    // Outdated comments have none.
    if (comment.line > 0 && IsInDiff(subject, comment.path, comment.line)) out["line"] = comment.line;
    if (comment.in_reply_to != 0) out["in_reply_to_id"] = comment.in_reply_to;
    return out;
  }
  Answer Error(int status, const std::string& message) const override {
    return {.status = status,
            .body = json{{"message", message}, {"documentation_url", "https://docs.github.com"}}.dump()};
  }

  Payload Webhook(const ForgeChange& what) const override {
    static constexpr std::array<const char*, 11> kActions = {
        "opened",  "reopened", "edited",      "closed",           "labeled",           "unlabeled",
        "created", "edited",   "synchronize", "ready_for_review", "converted_to_draft"};
    const bool comment = what.AboutComment();
    const bool pull = what.subject.pull && !comment;
    Payload payload;
    payload.event = comment ? "issue_comment" : pull ? "pull_request" : "issues";
    payload.action = kActions[static_cast<size_t>(what.action)];
    payload.body = {{"action", payload.action},
                    {"repository", Render(what.repository)},
                    {"sender", User(what.actor)},
                    {pull ? "pull_request" : "issue", Render(what.repository, what.subject, pull)}};
    if (pull) payload.body["number"] = what.subject.number;
    if (comment) payload.body["comment"] = Render(*what.comment);
    if (!what.label.empty()) payload.body["label"] = Label(what.label);
    if (what.action == Action::kEdited || what.action == Action::kCommentEdited) {
      payload.body["changes"] = {{"body", {{"from", what.before}}}};
    }
    if (what.action == Action::kPushed) {
      payload.body["before"] = what.before;
      payload.body["after"] = what.subject.head_sha;
    }
    return payload;
  }
  Payload PushWebhook(const Repository& repository, const std::string& actor, const std::string& commit,
                      const std::vector<std::string>& paths) const override {
    Payload payload;
    payload.event = "push";
    payload.body = {
        {"ref", "refs/heads/" + (repository.default_branch.empty() ? "main" : repository.default_branch)},
        {"repository", Render(repository)},
        {"sender", User(actor)},
        {"after", commit},
        {"commits", {{{"id", commit}, {"modified", paths}, {"added", json::array()}, {"removed", json::array()}}}}};
    return payload;
  }
  Headers WebhookHeaders(const std::string& event, const std::string& guid,
                         const std::string& signature) const override {
    Headers headers = {{"Content-Type", "application/json"},
                       {"User-Agent", "GitHub-Hookshot/fake"},
                       {"X-GitHub-Event", event},
                       {"X-GitHub-Delivery", guid},
                       {"X-GitHub-Hook-ID", "1"}};
    if (!signature.empty()) headers.emplace_back("X-Hub-Signature-256", signature);
    return headers;
  }
};

}  // namespace

std::unique_ptr<Dialect> MakeGitHubDialect() { return std::make_unique<GitHubDialect>(); }

std::string FormatTime(Time time) { return Format(time, "%Y-%m-%dT%H:%M:%SZ"); }
std::string FormatHttpDate(Time time) { return Format(time, "%a, %d %b %Y %H:%M:%S GMT"); }

size_t CountCharacters(std::string_view utf8) {
  size_t count = 0;
  for (const char c : utf8) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++count;
  }
  return count;
}

}  // namespace yardmaster::fakeforge
