#include "clients/forge/github/github_answers.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/time/time.h"
#include "clients/forge/answer_reader.h"
#include "clients/forge/http.h"
#include "clients/forge/rest_adapter.h"

namespace yardmaster::github {

ForgeUser ReadUser(const AnswerReader& user) {
  ForgeUser out;
  // Null: the account was deleted.
  if (user.empty()) return out;
  user.ExpectObject();
  out.login = user.At("login").OptionalText();
  out.id = user.At("id").Hint();
  out.bot = EqualsIgnoreCase(user.At("type").Hint(), "Bot") || std::string_view(out.login).ends_with("[bot]");
  return out;
}

ForgeComment ReadComment(const AnswerReader& comment) {
  ForgeComment out;
  comment.ExpectObject();
  out.id = comment.At("id").Text();
  out.body = comment.At("body").OptionalText();
  out.author = ReadUser(comment.At("user"));
  out.created_at = comment.At("created_at").Hint();
  out.updated_at = comment.At("updated_at").Hint();
  return out;
}

namespace {

ForgeUser ReadNamedUser(const AnswerReader& user) {
  ForgeUser out = ReadUser(user);
  if (out.login.empty()) user.problem().Add("login", "a text", nullptr);
  return out;
}

ForgeRepository ReadRepository(const AnswerReader& repository) {
  ForgeRepository out;
  out.full_name = repository.At("full_name").Text();
  out.default_branch = repository.At("default_branch").OptionalText();
  out.is_private = repository.At("private").Flag();
  out.archived = repository.At("archived").Flag();
  out.url = repository.At("html_url").Hint();
  out.own = ReadPermissionFlags(repository.At("permissions"));
  return out;
}

ForgeWebhook ReadWebhook(const AnswerReader& hook) {
  ForgeWebhook out;
  hook.ExpectObject();
  out.id = hook.At("id").Text();
  const AnswerReader config = hook.At("config");
  out.url = config.At("url").Hint();
  out.content_type = config.At("content_type").Hint();
  // Shown as asterisks.
  out.has_secret = !config.At("secret").empty();
  out.active = hook.At("active").Flag();
  out.verifies_tls = config.At("insecure_ssl").Hint() != "1";
  const AnswerReader events = hook.At("events");
  for (size_t i = 0; i < events.size(); ++i) out.events.push_back(events.Element(i).Hint());
  return out;
}

ForgePermissions ReadInstallation(const AnswerReader& installation) {
  ForgePermissions out;
  if (!installation.At("suspended_at").empty()) return out;
  for (const std::string& name : installation.At("permissions").Names()) {
    out[name] = installation.At("permissions").At(name).Hint();
  }
  return out;
}

ForgeLabel ReadLabel(const AnswerReader& label) {
  ForgeLabel out;
  out.name = label.is_object() ? label.At("name").Text() : label.Text();
  out.description = label.At("description").Hint();
  out.color = label.At("color").Hint();
  return out;
}

ForgeIssue ReadIssue(const AnswerReader& issue) {
  ForgeIssue out;
  issue.ExpectObject();
  out.number = issue.At("number").Number();
  const AnswerReader pull_request = issue.At("pull_request");
  out.pull_request = !pull_request.empty();
  out.title = issue.At("title").OptionalText();
  out.body = issue.At("body").OptionalText();
  out.state = ReadForgeState(issue.At("state"));
  if (out.state == ForgeState::kClosed && !pull_request.At("merged_at").empty()) out.state = ForgeState::kMerged;
  out.labels = ReadLabelNames(issue.At("labels"));
  out.author = ReadUser(issue.At("user"));
  out.comments = issue.At("comments").NumberHint(-1);
  out.created_at = issue.At("created_at").Hint();
  out.updated_at = issue.At("updated_at").Hint();
  out.url = issue.At("html_url").Hint();
  return out;
}

ForgeHookDelivery ReadDelivery(const AnswerReader& delivery) {
  ForgeHookDelivery out;
  delivery.ExpectObject();
  out.id = delivery.At("id").Text();
  out.guid = delivery.At("guid").Text();
  out.event = delivery.At("event").OptionalText();
  out.action = delivery.At("action").OptionalText();
  out.delivered_at = delivery.At("delivered_at").Hint();
  out.status_code = delivery.At("status_code").OptionalNumber(0);
  out.redelivery = delivery.At("redelivery").Flag();
  return out;
}

ForgeUser ReadApp(const AnswerReader& app) {
  ForgeUser out;
  out.login = app.At("slug").Text() + "[bot]";
  out.bot = true;
  return out;
}

InstallationToken ReadInstallationToken(const AnswerReader& answer) {
  InstallationToken out;
  out.token = Secret(answer.At("token").Text());
  const AnswerReader expires = answer.At("expires_at");
  const std::string text = expires.Text();
  absl::Time time;
  if (absl::ParseTime(absl::RFC3339_full, text, &time, nullptr)) {
    out.expires_at = absl::ToChronoTime(time);
  } else {
    const nlohmann::json got(text);
    expires.problem().Add(expires.path(), "a time", &got);
  }
  if (out.token.empty()) answer.problem().Add("token", "a token", nullptr);
  return out;
}

ForgeAccess ReadAccess(const AnswerReader& access) {
  ForgeAccess out;
  // "permission" has one of four words, "role_name" says more exactly which; a role of the organisation's own making is
  // known by the former alone.
  const std::string word = access.At("permission").Text();
  const std::string role = access.At("role_name").Hint();
  out.permission = std::max(ReadForgePermission(word), ReadForgePermission(role));
  out.word = role.empty() ? word : role;
  return out;
}

ForgePull ReadPull(const AnswerReader& pull) {
  ForgePull out;
  out.number = pull.At("number").Number();
  out.title = pull.At("title").OptionalText();
  out.body = pull.At("body").OptionalText();
  out.state = ReadForgeState(pull.At("state"));
  if (out.state == ForgeState::kClosed && (pull.At("merged").Flag() || !pull.At("merged_at").empty())) {
    out.state = ForgeState::kMerged;
  }
  out.draft = pull.At("draft").Flag();
  out.labels = ReadLabelNames(pull.At("labels"));
  out.author = ReadUser(pull.At("user"));
  const AnswerReader base = pull.At("base");
  out.base_ref = base.At("ref").Text();
  out.base_sha = base.At("sha").OptionalText();
  out.default_branch = base.At("repo").At("default_branch").Hint();
  const AnswerReader head = pull.At("head");
  out.head_ref = head.At("ref").OptionalText();
  out.head_sha = head.At("sha").Text();
  // Null: the fork was deleted.
  out.head_repository = head.At("repo").At("full_name").Hint();
  if (const AnswerReader may = pull.At("maintainer_can_modify"); !may.empty()) out.maintainers_may_edit = may.Flag();
  out.reviewers = ReadLogins(pull.At("requested_reviewers"));
  out.created_at = pull.At("created_at").Hint();
  out.updated_at = pull.At("updated_at").Hint();
  out.changed_files = pull.At("changed_files").NumberHint(-1);
  out.url = pull.At("html_url").Hint();
  return out;
}

ForgePullFile ReadPullFile(const AnswerReader& file) {
  ForgePullFile out;
  file.ExpectObject();
  out.path = file.At("filename").Text();
  out.previous_path = file.At("previous_filename").Hint();
  out.status = ReadForgeFileStatus(file.At("status").Hint());
  out.sha = file.At("sha").Hint();
  out.additions = file.At("additions").NumberHint(-1);
  out.deletions = file.At("deletions").NumberHint(-1);
  if (const AnswerReader patch = file.At("patch"); !patch.empty()) out.patch = patch.Text();
  return out;
}

bool ReadMembership(const AnswerReader& membership) {
  return EqualsIgnoreCase(membership.At("state").Text(), "active");
}

std::string ReadId(const AnswerReader& made) { return made.At("id").Text(); }

// The URL whose rel has "next"; empty if none.
std::string_view NextUrl(std::string_view link) {
  while (true) {
    const size_t begin = link.find('<');
    if (begin == std::string_view::npos) return {};
    const size_t end = link.find('>', begin);
    if (end == std::string_view::npos) return {};
    const std::string_view url = link.substr(begin + 1, end - begin - 1);
    link.remove_prefix(end + 1);
    // Parameters up to the next comma outside of quotes.
    size_t stop = 0;
    bool quoted = false;
    while (stop < link.size() && (quoted || link[stop] != ',')) {
      if (link[stop] == '"') quoted = !quoted;
      ++stop;
    }
    const std::string_view parameters = link.substr(0, stop);
    if (parameters.find("rel=\"next\"") != std::string_view::npos ||
        parameters.find("rel=next") != std::string_view::npos) {
      return url;
    }
    link.remove_prefix(stop);
  }
}

// Names of checks: texts, or objects with a "context".
void AddContexts(const AnswerReader& list, std::vector<std::string>& names) {
  for (size_t i = 0; i < list.size(); ++i) {
    const AnswerReader one = list.Element(i);
    std::string name = one.is_text() ? one.Hint() : one.At("context").Hint();
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
}

}  // namespace

absl::StatusOr<ForgeUser> ParseUser(std::string_view body) { return ReadForgeObject(body, ReadNamedUser); }
absl::StatusOr<ForgeRepository> ParseRepository(std::string_view body) { return ReadForgeObject(body, ReadRepository); }
absl::StatusOr<std::vector<ForgeRepository>> ParseRepositories(std::string_view body) {
  return ReadForgeList(body, ReadRepository);
}
absl::StatusOr<std::vector<ForgeLabel>> ParseLabels(std::string_view body) { return ReadForgeList(body, ReadLabel); }
absl::StatusOr<ForgeIssue> ParseIssue(std::string_view body) { return ReadForgeObject(body, ReadIssue); }
absl::StatusOr<std::vector<ForgeIssue>> ParseIssues(std::string_view body) { return ReadForgeList(body, ReadIssue); }
absl::StatusOr<ForgeComment> ParseComment(std::string_view body) { return ReadForgeObject(body, ReadComment); }
absl::StatusOr<std::vector<ForgeComment>> ParseComments(std::string_view body) {
  return ReadForgeList(body, ReadComment);
}
absl::StatusOr<std::vector<ForgeHookDelivery>> ParseDeliveries(std::string_view body) {
  return ReadForgeList(body, ReadDelivery);
}
absl::StatusOr<std::vector<ForgeWebhook>> ParseWebhooks(std::string_view body) {
  return ReadForgeList(body, ReadWebhook);
}
absl::StatusOr<ForgeAccess> ParseAccess(std::string_view body) { return ReadForgeObject(body, ReadAccess); }
absl::StatusOr<std::vector<ForgePull>> ParsePulls(std::string_view body) { return ReadForgeList(body, ReadPull); }
absl::StatusOr<ForgePull> ParsePull(std::string_view body) { return ReadForgeObject(body, ReadPull); }
absl::StatusOr<std::vector<ForgePullFile>> ParsePullFiles(std::string_view body) {
  return ReadForgeList(body, ReadPullFile);
}
absl::StatusOr<std::vector<ForgeHistoryEntry>> ParseIssueEvents(std::string_view body) {
  return ReadForgeList<ForgeHistoryEntry>(body, [](const AnswerReader& event) {
    using Kind = ForgeHistoryEntry::Kind;
    ForgeHistoryEntry out;
    event.ExpectObject();
    const std::string what = event.At("event").Hint();
    if (what == "labeled") out.kind = Kind::kLabelsAdded;
    if (what == "unlabeled") out.kind = Kind::kLabelsRemoved;
    if (what == "added_to_merge_queue") out.kind = Kind::kQueued;
    if (what == "removed_from_merge_queue") out.kind = Kind::kUnqueued;
    out.content = event.At("label").At("name").Hint();
    out.at = event.At("created_at").Hint();
    // An account that is gone has none.
    out.author.login = event.At("actor").At("login").Hint();
    return out;
  });
}

absl::StatusOr<std::vector<std::string>> ParseBranchRules(std::string_view body) {
  std::vector<std::string> required;
  absl::Status status = ReadForgeAnswer(body, [&required](const AnswerReader& rules) {
    rules.ExpectArray();
    for (size_t i = 0; i < rules.size(); ++i) {
      const AnswerReader rule = rules.Element(i);
      if (rule.At("type").Hint() != "required_status_checks") continue;
      AddContexts(rule.At("parameters").At("required_status_checks"), required);
    }
  });
  if (!status.ok()) return status;
  return required;
}

absl::StatusOr<std::vector<std::string>> ParseBranchProtection(std::string_view body) {
  std::vector<std::string> required;
  absl::Status status = ReadForgeAnswer(body, [&required](const AnswerReader& branch) {
    branch.ExpectObject();
    const AnswerReader checks = branch.At("protection").At("required_status_checks");
    AddContexts(checks.At("contexts"), required);
    AddContexts(checks.At("checks"), required);
  });
  if (!status.ok()) return status;
  return required;
}

absl::StatusOr<bool> ParseMembership(std::string_view body) { return ReadForgeObject(body, ReadMembership); }
absl::StatusOr<std::string> ParseId(std::string_view body) { return ReadForgeObject(body, ReadId); }
absl::StatusOr<ForgeUser> ParseApp(std::string_view body) { return ReadForgeObject(body, ReadApp); }
absl::StatusOr<ForgePermissions> ParseInstallation(std::string_view body) {
  return ReadForgeObject(body, ReadInstallation);
}
absl::StatusOr<InstallationToken> ParseInstallationToken(std::string_view body) {
  return ReadForgeObject(body, ReadInstallationToken);
}

std::optional<bool> HasNextLink(std::string_view link) {
  if (link.empty()) return std::nullopt;
  return !NextUrl(link).empty();
}

std::string NextLinkQuery(std::string_view link) {
  const std::string_view url = NextUrl(link);
  const size_t query = url.find('?');
  if (query == std::string_view::npos) return {};
  const std::string_view text = url.substr(query + 1);
  const bool clean = absl::c_all_of(text, [](char c) {
    return absl::ascii_isalnum(c) || std::string_view("-_.~%=&+,:").find(c) != std::string_view::npos;
  });
  return clean ? std::string(text) : std::string();
}

std::string NextLinkParameter(std::string_view link, std::string_view parameter) {
  const std::string query = NextLinkQuery(link);
  std::string_view rest = query;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    if (pair.size() > parameter.size() && pair.starts_with(parameter) && pair[parameter.size()] == '=') {
      return std::string(pair.substr(parameter.size() + 1));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace yardmaster::github
