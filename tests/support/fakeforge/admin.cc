#include "tests/support/fakeforge/admin.h"

#include <set>
#include <utility>

#include "tests/support/fakeforge/state.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;

std::string Text(const json& body, const char* key, const char* otherwise = "") {
  const auto it = body.find(key);
  return it != body.end() && it->is_string() ? it->get<std::string>() : otherwise;
}
int64_t Number(const json& body, const char* key) {
  const auto it = body.find(key);
  return it != body.end() && it->is_number_integer() ? it->get<int64_t>() : 0;
}
bool Flag(const json& body, const char* key) {
  const auto it = body.find(key);
  return it != body.end() && it->is_boolean() && it->get<bool>();
}
std::vector<std::string> Names(const json& body, const char* key) {
  std::vector<std::string> names;
  const auto it = body.find(key);
  if (it == body.end() || !it->is_array()) return names;
  for (const json& name : *it) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

bool IsForge(const std::string& name) { return name == "github" || name == "gitcode"; }

Answer Json(const json& body) { return {.body = body.dump(-1, ' ', false, json::error_handler_t::replace)}; }
Answer Wrong(const std::string& error) { return {.status = 400, .body = json{{"error", error}}.dump()}; }

json DescribeCall(const Call& call) {
  return {{"forge", call.forge},   {"method", call.method}, {"target", call.target},    {"body", call.body},
          {"status", call.status}, {"fault", call.fault},   {"expected", call.expected}};
}

json Keys(const std::map<std::string, int64_t>& map) {
  json keys = json::array();
  for (const auto& entry : map) keys.push_back(entry.first);
  return keys;
}

json DescribeSubject(const Subject& subject) {
  json comments = json::array();
  for (const Comment& comment : subject.comments) {
    comments.push_back({{"id", comment.id},
                        {"user", comment.user},
                        {"body", comment.body},
                        {"edits", comment.edits},
                        {"reactions", Keys(comment.reactions)}});
  }
  json at_lines = json::array();
  for (const ReviewComment& comment : subject.review_comments) {
    at_lines.push_back({{"id", comment.id},
                        {"user", comment.user},
                        {"body", comment.body},
                        {"path", comment.path},
                        {"line", comment.line},
                        {"commit", comment.commit},
                        {"in_reply_to", comment.in_reply_to}});
  }
  return {{"head_sha", subject.head_sha},
          {"base_sha", subject.base_sha},
          {"draft", subject.draft},
          {"reviewers", subject.reviewers},
          {"base_ref", subject.base_ref},
          {"head_ref", subject.head_ref},
          {"head_repository", subject.head_repository},
          {"reviews", subject.reviews},
          {"review_comments", at_lines},
          {"number", subject.number},
          {"pull", subject.pull},
          {"title", subject.title},
          {"body", subject.body},
          {"open", subject.open},
          {"user", subject.user},
          {"labels", subject.labels},
          {"added", subject.additions},
          {"removed", subject.removals},
          {"reactions", Keys(subject.reactions)},
          {"comments", std::move(comments)}};
}

json DescribeChecks(const Repository& repository) {
  json out = json::array();
  for (const CheckRun& check : repository.checks) {
    out.push_back({{"id", check.id},
                   {"name", check.name},
                   {"head", check.head},
                   {"external_id", check.external_id},
                   {"status", check.status},
                   {"conclusion", check.conclusion},
                   {"title", check.title},
                   {"summary", check.summary},
                   {"annotations", check.annotations},
                   {"updates", check.updates}});
  }
  return out;
}

json DescribeStatuses(const Repository& repository) {
  json out = json::array();
  for (const CommitStatus& status : repository.statuses) {
    out.push_back({{"head", status.head},
                   {"context", status.context},
                   {"state", status.state},
                   {"description", status.description}});
  }
  return out;
}

Answer Read(State& state, const std::string& what) {
  json out = json::array();
  if (what == "calls" || what == "unexpected") {
    for (const Call& call : state.calls()) {
      if (what == "calls" || !call.expected) out.push_back(DescribeCall(call));
    }
    return Json(out);
  }
  if (what == "deliveries") {
    for (const Delivery& delivery : state.deliveries()) {
      out.push_back({{"id", delivery.id},
                     {"guid", delivery.guid},
                     {"forge", delivery.forge},
                     {"repository", delivery.repository},
                     {"event", delivery.event},
                     {"action", delivery.action},
                     {"settled", delivery.settled},
                     {"status", delivery.status},
                     {"redelivery", delivery.redelivery}});
    }
    return Json(out);
  }
  if (what == "state") {
    out = json::object();
    for (const std::string_view forge : State::kForges) {
      json& side = out[std::string(forge)] = json::object();
      for (const auto& [name, repository] : state.repositories(forge)) {
        json subjects = json::array();
        for (const auto& [key, subject] : repository.subjects) subjects.push_back(DescribeSubject(subject));
        side[name] = {{"labels", repository.labels.value_or(std::vector<std::string>())},
                      {"labels_made", repository.made},
                      {"checks", DescribeChecks(repository)},
                      {"statuses", DescribeStatuses(repository)},
                      {"subjects", std::move(subjects)}};
      }
    }
    return Json(out);
  }
  if (what == "pending") return Json({{"pending", state.Pending()}});
  return {.status = 404, .body = R"({"error": "there is no such call"})"};
}

Answer SetFaults(State& state, const json& body) {
  FaultRates rates = state.faults();
  for (const auto& [name, value] : body.items()) {
    if (name == "seed" && value.is_number_unsigned()) continue;
    if (name == "slow_ms" && value.is_number_unsigned()) {
      rates.slow_ms = value.get<int>();
      continue;
    }
    if (!value.is_number_integer() || !SetFaultRate(rates, name, value.get<int64_t>())) {
      return Wrong("\"" + name + "\" is no fault, or not from 0 to 100");
    }
  }
  state.faults() = rates;
  if (body.contains("seed")) state.random().Seed(body["seed"].get<uint64_t>());
  return Json(FaultRatesByName(rates));
}

Answer RedeliverFailed(State& state, const json& body, Time now) {
  const std::string forge = Text(body, "forge");
  std::set<std::string> arrived;
  for (const Delivery& delivery : state.deliveries()) {
    if (!delivery.settled || (delivery.status >= 200 && delivery.status < 300)) arrived.insert(delivery.guid);
  }
  std::vector<int64_t> missing;
  for (const Delivery& delivery : state.deliveries()) {
    if (!forge.empty() && delivery.forge != forge) continue;
    if (arrived.insert(delivery.guid).second) missing.push_back(delivery.id);
  }
  for (const int64_t id : missing) state.Redeliver(id, now);
  return Json({{"redelivered", missing.size()}});
}

// What is about a repository or one of its subjects.
Answer Change(State& state, const std::string& what, const json& body, Time now) {
  const std::string forge = Text(body, "forge");
  const std::string name = Text(body, "repository");
  if (!IsForge(forge)) return Wrong("\"forge\" must be github or gitcode");
  if (what == "limits") {
    state.settings(forge).limits = {Number(body, "requests_per_minute"), Number(body, "writes_per_minute")};
    return Json(json::object());
  }
  if (what == "account") {
    ForgeSettings& settings = state.settings(forge);
    if (body.contains("scopes")) settings.scopes = Text(body, "scopes");
    if (body.contains("clock_ahead")) settings.clock_ahead = std::chrono::seconds(Number(body, "clock_ahead"));
    return Json(json::object());
  }
  if (what == "teams") {
    auto& members = state.TeamOf(forge, Text(body, "organisation") + "/" + Text(body, "team"));
    for (const std::string& login : Names(body, "members")) members[login] = "active";
    for (const std::string& login : Names(body, "invited")) members[login] = "pending";
    for (const std::string& login : Names(body, "remove")) members.erase(login);
    return Json(json::object());
  }
  if (name.find('/') == std::string::npos) return Wrong("\"repository\" must be OWNER/NAME");
  if (what == "repository") {
    Repository& repository = state.RepositoryOf(forge, name);
    if (body.contains("default_branch")) repository.default_branch = Text(body, "default_branch");
    if (body.contains("comments_editable")) repository.comments_editable = Flag(body, "comments_editable");
    if (body.contains("contents_readable")) repository.contents_readable = Flag(body, "contents_readable");
    if (body.contains("private")) repository.is_private = Flag(body, "private");
    if (body.contains("hooks")) repository.hooks = body["hooks"];
    if (body.contains("required_checks")) repository.required_checks = Names(body, "required_checks");
    std::map<std::string, std::string> contents;
    for (const char* key : {"contents", "permissions"}) {
      if (!body.contains(key) || !body[key].is_object()) continue;
      for (const auto& [entry, value] : body[key].items()) {
        if (!value.is_string()) return Wrong(std::string(key) + " must be texts");
        (key[0] == 'c' ? contents : repository.permissions)[entry] = value.get<std::string>();
      }
    }
    if (!contents.empty()) state.SetContents(forge, name, contents, Text(body, "pushed_by"), now);
    return Json(json::object());
  }
  if (what == "labels" && body.contains("declare")) {
    state.RepositoryOf(forge, name).labels = Names(body, "declare");
    return Json(json::object());
  }
  if (what == "run") {
    state.RepositoryOf(forge, name).runs.push_back(body["run"]);
    return Json(json::object());
  }
  if (what == "pipeline") {
    std::vector<json>& runs = state.RepositoryOf(forge, name).pipelines[body.value("number", int64_t{0})];
    runs.insert(runs.begin(), body["run"]);
    return Json(json::object());
  }
  if (what == "check_suites") {
    state.RepositoryOf(forge, name).suites = body["suites"];
    return Json(json::object());
  }
  if (what == "check_run") {
    CheckRun run;
    run.id = 900'000 + static_cast<int64_t>(state.RepositoryOf(forge, name).checks.size());
    run.name = Text(body, "name");
    run.head = Text(body, "head");
    run.status = Text(body, "status", "completed");
    run.conclusion = Text(body, "conclusion");
    state.RepositoryOf(forge, name).checks.push_back(std::move(run));
    return Json(json::object());
  }
  if (what == "check") {
    const CheckRequest wanted = {.check = Number(body, "check"),
                                 .head = Text(body, "head"),
                                 .name = Text(body, "name"),
                                 .identifier = Text(body, "identifier"),
                                 .suite = Flag(body, "suite"),
                                 .actor = Text(body, "user", "alice")};
    return state.RequestCheck(name, wanted, now) ? Json(json::object()) : Wrong("there is no such check");
  }
  Subject* const subject = state.Find(forge, name, Flag(body, "pull"), Number(body, "number"));
  if (subject == nullptr) return Wrong("there is no such issue or pull request");
  const std::string user = Text(body, "user", "alice");
  if (what == "comments") {
    const Comment& comment =
        state.AddComment(forge, name, *subject, user, Text(body, "body"), Flag(body, "quiet"), now);
    return Json({{"id", comment.id}});
  }
  if (what == "labels") {
    for (const std::string& label : Names(body, "add")) state.AddLabel(forge, name, *subject, user, label, now);
    for (const std::string& label : Names(body, "remove")) state.RemoveLabel(forge, name, *subject, user, label, now);
    return Json({{"labels", subject->labels}});
  }
  if (what == "edit" && body.contains("comment")) {
    if (Flag(body, "delete")) {
      return state.DeleteComment(*subject, Number(body, "comment")) ? Json(json::object())
                                                                    : Wrong("there is no such comment");
    }
    const bool edited =
        state.EditComment(forge, name, *subject, Number(body, "comment"), user, Text(body, "body"), now);
    return edited ? Json(json::object()) : Wrong("there is no such comment");
  }
  if (what == "push" && state.git() != nullptr) {
    const std::string before = subject->head_sha;
    Subject read = *subject;
    read.head_ref = Text(body, "head_ref", subject->head_ref.c_str());
    std::string error;
    if (!state.ReadFromGit(forge, name, read, error)) return Wrong(error);
    const std::string head = std::exchange(read.head_sha, before);
    *subject = std::move(read);
    state.Push(forge, name, *subject, user, now, head);
    return Json({{"head_sha", head}, {"base_sha", subject->base_sha}});
  }
  if (what == "push") {
    if (body.contains("files") && body["files"].is_array()) subject->files = body["files"];
    subject->base_sha = Text(body, "base_sha", subject->base_sha.c_str());
    state.Push(forge, name, *subject, user, now, Text(body, "head_sha"));
    if (const int64_t age = Number(body, "age_seconds"); age > 0) subject->head_at = now - std::chrono::seconds(age);
    return Json(json::object());
  }
  if (what == "edit") {
    std::optional<std::string> title;
    std::optional<std::string> text;
    if (body.contains("title")) title = Text(body, "title");
    if (body.contains("body")) text = Text(body, "body");
    if (title.has_value() || text.has_value()) state.Edit(forge, name, *subject, user, title, text, now);
    if (body.contains("draft")) state.SetDraft(forge, name, *subject, user, Flag(body, "draft"), now);
    if (body.contains("queued")) subject->queue_changes.emplace_back(Flag(body, "queued"), now);
    if (Flag(body, "merged")) {
      subject->merged = true;
      subject->base_sha = Text(body, "base_sha", subject->base_sha.c_str());
      state.SetOpen(forge, name, *subject, user, false, now);
    }
    if (body.contains("state")) state.SetOpen(forge, name, *subject, user, Text(body, "state") == "open", now);
    return Json(json::object());
  }
  return {.status = 404, .body = R"({"error": "there is no such call"})"};
}

}  // namespace

bool OpenFromJson(State& state, const json& issue, Time now, json& answer, std::string& error) {
  const std::string forge = issue.is_object() ? Text(issue, "forge", "github") : "";
  const std::string repository = issue.is_object() ? Text(issue, "repository") : "";
  if (!IsForge(forge) || repository.find('/') == std::string::npos || !issue.contains("title")) {
    error = "an issue needs \"forge\", \"repository\" and \"title\"";
    return false;
  }
  Subject subject;
  subject.number = Number(issue, "number");
  subject.pull = Flag(issue, "pull");
  subject.title = Text(issue, "title");
  subject.body = Text(issue, "body");
  subject.user = Text(issue, "user", "alice");
  subject.labels = Names(issue, issue.contains("labels") ? "labels" : "labels_before");
  if (issue.contains("files") && issue["files"].is_array()) subject.files = issue["files"];
  subject.draft = Flag(issue, "draft");
  subject.maintainers_may_edit = Flag(issue, "maintainers_may_edit");
  subject.follows_branch = state.git() != nullptr && Flag(issue, "follow");
  subject.base_ref = Text(issue, "base_ref");
  subject.base_sha = Text(issue, "base_sha", subject.base_sha.c_str());
  subject.head_ref = Text(issue, "head_ref", subject.head_ref.c_str());
  subject.head_sha = Text(issue, "head_sha", subject.head_sha.c_str());
  subject.head_repository = Text(issue, "head_repository");
  if (subject.pull && state.git() != nullptr) {
    if (subject.number == 0) subject.number = state.NextNumber(forge, repository, /*pull=*/true);
    if (!state.ReadFromGit(forge, repository, subject, error)) return false;
  }
  const Subject* const opened = state.Open(forge, repository, std::move(subject), Flag(issue, "quiet"), now);
  if (opened == nullptr) {
    error = "there is one of that number";
    return false;
  }
  answer = {{"number", opened->number}};
  if (opened->pull) answer.update({{"head_sha", opened->head_sha}, {"base_sha", opened->base_sha}});
  return true;
}

Answer HandleAdmin(State& state, const Request& request, const std::vector<std::string>& parts, Time now) {
  const std::string what = parts.size() == 2 ? parts[1] : "";
  if (request.method == "GET") return Read(state, what);
  if (request.method != "POST") return {.status = 405, .body = R"({"error": "GET or POST"})"};
  json body = request.body.empty() ? json::object() : json::parse(request.body, nullptr, false);
  if (!body.is_object()) return Wrong("the body is no JSON object");
  if (what == "builds") {
    const std::string job = Text(body, "job");
    body.erase("job");
    state.jenkins().Put(job, std::move(body));
    return Json(json::object());
  }
  if (what == "jenkins") {
    state.jenkins().Fail(Number(body, "fail"), static_cast<int>(Number(body, "status")));
    return Json(json::object());
  }
  if (what == "pulls") body["pull"] = true;
  if (what == "issues" || what == "pulls") {
    json answer;
    std::string error;
    return OpenFromJson(state, body, now, answer, error) ? Json(answer) : Wrong(error);
  }
  if (what == "faults") return SetFaults(state, body);
  if (what == "redeliver") return RedeliverFailed(state, body, now);
  return Change(state, what, body, now);
}

}  // namespace yardmaster::fakeforge
