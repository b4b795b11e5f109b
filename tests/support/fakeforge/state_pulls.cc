// What the forge answers to calls that open pull requests, list them and describe them anew.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fakeforge/state.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;

Answer PullAnswer(int status, const json& body) {
  return {.status = status, .body = body.dump(-1, ' ', false, json::error_handler_t::replace)};
}

std::string Member(const json& object, const char* key) {
  const auto it = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// "owner:branch" or "owner/name:branch" → the fork and its branch. The fork of an owner has the repository's name
// unless `fork` says otherwise.
std::pair<std::string, std::string> HeadOf(const std::string& head, const std::string& repository,
                                           const std::string& fork) {
  const size_t colon = head.find(':');
  if (colon == std::string::npos) return {repository, head};
  const std::string owner = head.substr(0, colon);
  const std::string branch = head.substr(colon + 1);
  if (!fork.empty()) return {fork, branch};
  if (owner.find('/') != std::string::npos) return {owner, branch};
  return {owner + repository.substr(repository.find('/')), branch};
}

}  // namespace

Answer State::ListPulls(Side& side, Repository& repository, const Request& request) {
  const std::string state = request.Parameter("state");
  const std::string head = request.Parameter("head");
  std::vector<json> items;
  for (auto& [key, subject] : repository.subjects) {
    if (!subject.pull || (state != "all" && subject.open != (state != "closed"))) continue;
    Refresh(side, repository, subject);
    const std::string from = subject.head_repository.empty() ? repository.full_name : subject.head_repository;
    if (!head.empty() && head != from.substr(0, from.find('/')) + ":" + subject.head_ref) continue;
    items.push_back(side.dialect->Render(repository, subject, true));
  }
  return Page(side, request, items);
}

Answer State::CreatePull(Side& side, Repository& repository, const Request& request, Time now) {
  const Dialect& dialect = *side.dialect;
  const json body = json::parse(request.body, nullptr, false);
  const int invalid = dialect.github_headers() ? 422 : 400;
  Subject subject;
  subject.pull = true;
  subject.title = Member(body, "title");
  subject.body = Member(body, "body");
  subject.base_ref = Member(body, "base");
  subject.user = options_.bot_login;
  subject.draft = body.is_object() && body.value("draft", false);
  const std::string fork = dialect.github_headers() ? "" : Member(body, "fork_path");
  const std::string head_repo = dialect.github_headers() ? Member(body, "head_repo") : "";
  auto [from, branch] = HeadOf(Member(body, "head"), repository.full_name, fork);
  if (!head_repo.empty()) from = from.substr(0, from.find('/') + 1) + head_repo;
  if (subject.title.empty() || branch.empty() || subject.base_ref.empty()) {
    return dialect.Error(invalid, "Validation Failed: title, head and base");
  }
  for (const auto& [key, other] : repository.subjects) {
    const std::string& theirs = other.head_repository.empty() ? repository.full_name : other.head_repository;
    if (other.pull && other.open && other.head_ref == branch && theirs == from && other.base_ref == subject.base_ref) {
      return dialect.Error(dialect.github_headers() ? 422 : 409,
                           "A pull request already exists for " + from + ":" + branch + ".");
    }
  }
  subject.follows_branch = git_.has_value();
  subject.head_ref = branch;
  subject.head_repository = from == repository.full_name ? "" : from;
  subject.number = NextNumber(dialect.name(), repository.full_name, /*pull=*/true);
  std::string error;
  if (git_.has_value() && !ReadFromGit(dialect.name(), repository.full_name, subject, error)) {
    return dialect.Error(dialect.github_headers() ? 422 : 404, "Validation Failed: " + error);
  }
  const Subject* const opened = Open(dialect.name(), repository.full_name, std::move(subject), false, now);
  if (opened == nullptr) return dialect.Error(500, "the number is taken");
  return PullAnswer(201, dialect.Render(repository, *opened, true));
}

Answer State::EditPull(Side& side, const Repository& repository, Subject& subject, const json& body, Time now) {
  const auto text = [&body](const char* key) -> std::optional<std::string> {
    if (!body.is_object() || !body.contains(key) || !body[key].is_string()) return std::nullopt;
    return body[key].get<std::string>();
  };
  Edit(side.dialect->name(), repository.full_name, subject, options_.bot_login, text("title"), text("body"), now);
  json rendered = side.dialect->Render(repository, subject, true);
  // One of the forges answers with little.
  if (!side.dialect->github_headers()) rendered = {{"title", subject.title}, {"body", subject.body}, {"state", "open"}};
  return PullAnswer(200, rendered);
}

Answer State::AskForReview(const Side& side, Subject& subject, const json& body) {
  std::vector<std::string> logins;
  if (side.dialect->github_headers() && body.is_object() && body.contains("reviewers") &&
      body["reviewers"].is_array()) {
    for (const json& login : body["reviewers"]) logins.push_back(login.is_string() ? login.get<std::string>() : "");
  } else {
    std::string list = Member(body, "reviewers");
    for (size_t comma = list.find(','); !list.empty(); comma = list.find(',')) {
      logins.push_back(list.substr(0, comma));
      list = comma == std::string::npos ? "" : list.substr(comma + 1);
    }
  }
  for (const std::string& login : logins) {
    // The author is no reviewer; the forges say so for all at once.
    if (login.empty() || login == subject.user) return side.dialect->Error(422, "Validation Failed: reviewers");
  }
  for (std::string& login : logins) {
    if (std::find(subject.reviewers.begin(), subject.reviewers.end(), login) == subject.reviewers.end()) {
      subject.reviewers.push_back(std::move(login));
    }
  }
  return PullAnswer(201, json::object());
}

void State::Refresh(const Side& side, const Repository& repository, Subject& subject) {
  if (!subject.follows_branch || !subject.open) return;
  std::string ignored;
  // A branch that is gone leaves the pull request as it was.
  ReadFromGit(side.dialect->name(), repository.full_name, subject, ignored);
}

}  // namespace yardmaster::fakeforge
