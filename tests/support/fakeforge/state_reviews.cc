// What the forge answers to calls about checks of commits, comments at lines, and an App's credentials.
#include <algorithm>
#include <array>
#include <charconv>

#include "tests/support/fakeforge/state.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;

constexpr size_t kMaxAnnotations = 50;
constexpr size_t kMaxOutputBytes = 65'535;
constexpr size_t kMaxAnnotationBytes = 64 * 1024;
constexpr size_t kMaxAnnotationTitle = 255;
constexpr size_t kMaxStatusDescription = 140;
constexpr size_t kMaxCommentLength = 65'536;

Answer Reply(int status, const json& body) {
  return {.status = status, .body = body.dump(-1, ' ', false, json::error_handler_t::replace)};
}

std::string TextOf(const json& object, const char* key) {
  const auto it = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

int64_t NumberOf(const json& object, const char* key) {
  const auto it = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && it != object.end() && it->is_number_integer() ? it->get<int64_t>() : 0;
}

bool IsOneOf(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool IsCommitName(const std::string& text) {
  return text.size() == 40 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Why the forge would refuse an annotation; empty: it would not.
std::string WrongInAnnotation(const json& annotation) {
  const int64_t first = NumberOf(annotation, "start_line");
  const int64_t last = NumberOf(annotation, "end_line");
  const std::string message = TextOf(annotation, "message");
  if (TextOf(annotation, "path").empty()) return "path";
  if (first < 1 || last < first) return "start_line, end_line";
  if (!IsOneOf(TextOf(annotation, "annotation_level"), {"notice", "warning", "failure"})) return "annotation_level";
  if (message.empty() || message.size() > kMaxAnnotationBytes) return "message";
  if (CountCharacters(TextOf(annotation, "title")) > kMaxAnnotationTitle) return "title";
  if (first != last && annotation.contains("start_column")) return "start_column";
  return {};
}

std::string WrongInOutput(const json& output) {
  const std::string summary = TextOf(output, "summary");
  if (TextOf(output, "title").empty()) return "output.title";
  if (!output.contains("summary") || summary.size() > kMaxOutputBytes) return "output.summary";
  if (!output.contains("annotations")) return {};
  if (!output["annotations"].is_array() || output["annotations"].size() > kMaxAnnotations) return "output.annotations";
  for (const json& annotation : output["annotations"]) {
    if (std::string wrong = WrongInAnnotation(annotation); !wrong.empty()) return "output.annotations." + wrong;
  }
  return {};
}

std::string WrongInCheck(const json& body, bool is_new) {
  if (!body.is_object()) return "the body";
  if (is_new && TextOf(body, "name").empty()) return "name";
  if (is_new && !IsCommitName(TextOf(body, "head_sha"))) return "head_sha";
  const std::string status = TextOf(body, "status");
  if (!status.empty() && !IsOneOf(status, {"queued", "in_progress", "completed"})) return "status";
  const bool ends = IsOneOf(TextOf(body, "conclusion"),
                            {"action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"});
  if (status == "completed" ? !ends : body.contains("conclusion") && !ends) return "conclusion";
  for (const json& action : body.value("actions", json::array())) {
    if (TextOf(action, "label").empty() || CountCharacters(TextOf(action, "label")) > 20 ||
        CountCharacters(TextOf(action, "description")) > 40 || TextOf(action, "identifier").size() > 20) {
      return "actions";
    }
  }
  return body.contains("output") ? WrongInOutput(body["output"]) : std::string();
}

void ApplyToCheck(const json& body, CheckRun& check) {
  const auto take = [&body](const char* key, std::string& value) {
    if (body.contains(key)) value = TextOf(body, key);
  };
  take("name", check.name);
  take("head_sha", check.head);
  take("external_id", check.external_id);
  take("status", check.status);
  take("conclusion", check.conclusion);
  if (!check.conclusion.empty()) check.status = "completed";
  if (body.contains("actions")) check.actions = body["actions"];
  if (!body.contains("output")) return;
  const json& output = body["output"];
  check.title = TextOf(output, "title");
  check.summary = TextOf(output, "summary");
  for (const json& annotation : output.value("annotations", json::array())) check.annotations.push_back(annotation);
}

json DescribeStatus(const Dialect& dialect, const CommitStatus& status) {
  return {{"id", status.id},
          {"state", status.state},
          {"context", status.context},
          {"description", status.description},
          {"target_url", status.url.empty() ? json(nullptr) : json(status.url)},
          {"creator", dialect.User(status.user)}};
}

// The page of a list that is told besides its length.
Answer Wrapped(const char* name, Answer page, size_t total) {
  page.body = json{{"total_count", total}, {name, json::parse(page.body)}}.dump();
  return page;
}

}  // namespace

std::string State::AppSlug() const {
  constexpr std::string_view kSuffix = "[bot]";
  const std::string& login = options_.bot_login;
  return login.ends_with(kSuffix) ? login.substr(0, login.size() - kSuffix.size()) : login;
}

json State::DescribeCheck(const Repository& repository, const CheckRun& check) const {
  json pulls = json::array();
  for (const auto& entry : repository.subjects) {
    const Subject& subject = entry.second;
    // Those of forks are left out, as on the real forge.
    if (subject.pull && subject.head_sha == check.head && subject.head_repository.empty()) {
      pulls.push_back({{"number", subject.number}});
    }
  }
  return {
      {"id", check.id},
      {"name", check.name},
      {"head_sha", check.head},
      {"external_id", check.external_id},
      {"status", check.status},
      {"conclusion", check.conclusion.empty() ? json(nullptr) : json(check.conclusion)},
      {"output", {{"title", check.title}, {"summary", check.summary}, {"annotations_count", check.annotations.size()}}},
      {"app", {{"id", 1}, {"slug", AppSlug()}}},
      {"pull_requests", std::move(pulls)}};
}

Answer State::AnswerApp(const Side& side, const Operation& operation, const Request& request, Time now) {
  const std::string token = side.dialect->Token(request);
  if (std::count(token.begin(), token.end(), '.') != 2) return side.dialect->Error(401, "A JSON web token is needed");
  if (operation.kind == Kind::kApp) return Reply(200, {{"id", 1}, {"slug", AppSlug()}, {"name", AppSlug()}});
  if (operation.kind == Kind::kInstallation) {
    json permissions = {{"metadata", "read"}, {"contents", "read"}};
    for (const char* name : {"checks", "issues", "pull_requests", "statuses", "repository_hooks"}) {
      permissions[name] = "write";
    }
    return Reply(200, {{"id", operation.number}, {"permissions", std::move(permissions)}, {"suspended_at", nullptr}});
  }
  const std::string issued = "ghs_" + NewGuid();
  app_tokens_.insert(issued);
  return Reply(201, {{"token", issued}, {"expires_at", FormatTime(now + std::chrono::hours(1))}});
}

Answer State::ExecuteOnCommit(Side& side, Repository& repository, const Operation& operation, const Request& request) {
  const Dialect& dialect = *side.dialect;
  if (operation.kind == Kind::kChecks) {
    std::vector<json> found;
    for (auto check = repository.checks.rbegin(); check != repository.checks.rend(); ++check) {
      const std::string name = request.Parameter("check_name");
      if (check->head != operation.argument || (!name.empty() && check->name != name)) continue;
      // Without filter=all only the newest of each name.
      const bool newer =
          std::any_of(found.begin(), found.end(), [&](const json& other) { return other["name"] == check->name; });
      if (!newer || request.Parameter("filter") == "all") found.push_back(DescribeCheck(repository, *check));
    }
    return Wrapped("check_runs", Page(side, request, found), found.size());
  }
  if (operation.kind == Kind::kCheckSuites) {
    return Wrapped("check_suites", Page(side, request, repository.suites), repository.suites.size());
  }
  if (operation.kind == Kind::kStatuses) {
    std::vector<json> found;
    for (auto status = repository.statuses.rbegin(); status != repository.statuses.rend(); ++status) {
      if (status->head == operation.argument) found.push_back(DescribeStatus(dialect, *status));
    }
    return Page(side, request, found);
  }

  const json body = json::parse(request.body, nullptr, false);
  if (!body.is_object()) return dialect.Error(400, "Problems parsing JSON");
  if (operation.kind == Kind::kSetStatus) {
    const std::string state = TextOf(body, "state");
    if (!IsCommitName(operation.argument)) return dialect.Error(422, "No commit found for SHA");
    if (!IsOneOf(state, {"error", "failure", "pending", "success"}) ||
        CountCharacters(TextOf(body, "description")) > kMaxStatusDescription) {
      return dialect.Error(422, "Validation Failed: state, description");
    }
    const std::string context = TextOf(body, "context");
    repository.statuses.push_back({.id = ++checks_,
                                   .head = operation.argument,
                                   .user = options_.bot_login,
                                   .state = state,
                                   .context = context.empty() ? "default" : context,
                                   .description = TextOf(body, "description"),
                                   .url = TextOf(body, "target_url")});
    return Reply(201, DescribeStatus(dialect, repository.statuses.back()));
  }

  // Check runs are an App's.
  if (!app_tokens_.contains(dialect.Token(request))) {
    return dialect.Error(403, "You must authenticate via a GitHub App.");
  }
  const bool is_new = operation.kind == Kind::kCreateCheck;
  CheckRun* check = nullptr;
  if (!is_new) {
    const auto known = std::find_if(repository.checks.begin(), repository.checks.end(),
                                    [&](const CheckRun& other) { return other.id == operation.number; });
    if (known == repository.checks.end()) return dialect.Error(404, "Not Found");
    check = &*known;
  }
  if (const std::string wrong = WrongInCheck(body, is_new); !wrong.empty()) {
    return dialect.Error(422, "Validation Failed: " + wrong);
  }
  if (is_new) {
    check = &repository.checks.emplace_back();
    check->id = ++checks_;
  } else {
    ++check->updates;
  }
  ApplyToCheck(body, *check);
  return Reply(is_new ? 201 : 200, DescribeCheck(repository, *check));
}

Answer State::ListReviewComments(const Side& side, const Subject& subject, const Request& request) const {
  std::vector<json> items;
  const std::string type = request.Parameter("comment_type");
  const bool nested = !side.dialect->github_headers();
  if (nested && type != "diff_comment") {
    for (const Comment& comment : subject.comments) items.push_back(side.dialect->Render(comment));
  }
  if (nested && type == "pr_comment") return Page(side, request, items);
  for (const ReviewComment& comment : subject.review_comments) {
    json rendered = side.dialect->Render(subject, comment, /*alone=*/false);
    const auto asked = std::find_if(items.begin(), items.end(), [&comment](const json& item) {
      return comment.in_reply_to != 0 && item["id"] == comment.in_reply_to;
    });
    // On one of the forges answers stand within what they answer.
    json* const within = nested && asked != items.end() ? &(*asked)["reply"] : nullptr;
    if (within != nullptr) {
      within->push_back(std::move(rendered));
    } else {
      items.push_back(std::move(rendered));
    }
  }
  return Page(side, request, items);
}

ReviewComment* State::FindReviewComment(Subject& subject, int64_t id) {
  const auto found = std::find_if(subject.review_comments.begin(), subject.review_comments.end(),
                                  [id](const ReviewComment& comment) { return comment.id == id; });
  return found == subject.review_comments.end() ? nullptr : &*found;
}

Answer State::ShowReviewComment(const Side& side, Repository& repository, const Operation& operation) {
  for (auto& [key, subject] : repository.subjects) {
    for (const ReviewComment& comment : subject.review_comments) {
      if (std::to_string(comment.id) != operation.argument) continue;
      return Reply(200, side.dialect->Render(subject, comment, /*alone=*/true));
    }
    for (const Comment& comment : subject.comments) {
      if (key.first && std::to_string(comment.id) == operation.argument) {
        return Reply(200, side.dialect->Render(comment));
      }
    }
  }
  return side.dialect->Error(404, "Not Found");
}

Answer State::CreateReview(const Side& side, Subject& subject, const json& body, Time now) {
  const auto invalid = [&](const std::string& what) {
    return side.dialect->Error(422, "Unprocessable Entity: " + what);
  };
  if (!body.is_object() || TextOf(body, "event") != "COMMENT") return invalid("event");
  const json comments = body.value("comments", json::array());
  if (!comments.is_array() || comments.empty()) return invalid("comments");
  // One that is wrong stops all of them, and nobody is told which.
  for (const json& comment : comments) {
    const int64_t line = NumberOf(comment, "line");
    const bool whole_file = TextOf(comment, "subject_type") == "file";
    const size_t length = CountCharacters(TextOf(comment, "body"));
    if (length == 0 || length > kMaxCommentLength) return invalid("body");
    if ((line < 1 && !whole_file) || !IsInDiff(subject, TextOf(comment, "path"), line)) {
      return invalid("pull_request_review_thread.line must be part of the diff");
    }
  }
  const std::string commit = TextOf(body, "commit_id");
  for (const json& comment : comments) {
    subject.review_comments.push_back({.id = ++comments_,
                                       .user = options_.bot_login,
                                       .body = TextOf(comment, "body"),
                                       .path = TextOf(comment, "path"),
                                       .line = NumberOf(comment, "line"),
                                       .commit = commit.empty() ? subject.head_sha : commit,
                                       .created = now});
  }
  ++subject.reviews;
  return Reply(
      200,
      {{"id", 70'000 + subject.reviews}, {"state", "COMMENTED"}, {"user", side.dialect->User(options_.bot_login)}});
}

Answer State::ReplyByCall(const Side& side, Subject& subject, const Operation& operation, const json& body, Time now) {
  constexpr std::string_view kDiscussion = "discussion-";
  std::string_view id = operation.argument;
  if (id.starts_with(kDiscussion)) id.remove_prefix(kDiscussion.size());
  int64_t number = 0;
  std::from_chars(id.data(), id.data() + id.size(), number);
  const ReviewComment* const asked = FindReviewComment(subject, number);
  if (asked == nullptr) return side.dialect->Error(404, "Not Found");
  const std::string text = TextOf(body, "body");
  if (text.empty()) return side.dialect->Error(side.dialect->github_headers() ? 422 : 400, "Validation Failed: body");
  ReviewComment reply = *asked;
  reply.id = ++comments_;
  reply.user = options_.bot_login;
  reply.body = text;
  reply.in_reply_to = asked->in_reply_to != 0 ? asked->in_reply_to : asked->id;
  reply.created = now;
  subject.review_comments.push_back(reply);
  if (side.dialect->github_headers()) return Reply(201, side.dialect->Render(subject, reply, /*alone=*/false));
  return Reply(201, {{"id", "discussion-" + std::to_string(reply.in_reply_to)}, {"noteId", reply.id}, {"body", text}});
}

std::optional<Answer> State::CommentAtLine(Subject& subject, const json& body, Time now) {
  const std::string path = TextOf(body, "path");
  const bool whole_file = TextOf(body, "position_type") == "binary";
  const int64_t line = whole_file ? 0 : NumberOf(body, "position");
  // Where the place is none of the diff, it becomes a comment of the whole pull request.
  if (path.empty() || (!whole_file && line < 1) || !IsInDiff(subject, path, line)) return std::nullopt;
  subject.review_comments.push_back({.id = ++comments_,
                                     .user = options_.bot_login,
                                     .body = TextOf(body, "body"),
                                     .path = path,
                                     .line = line,
                                     .commit = subject.head_sha,
                                     .created = now});
  const ReviewComment& made = subject.review_comments.back();
  return Reply(201, {{"id", "discussion-" + std::to_string(made.id)}, {"note_id", made.id}, {"body", made.body}});
}

bool State::RequestCheck(const std::string& repository, const CheckRequest& wanted, Time now) {
  Side& side = SideOf("github");
  const auto found = side.repositories.find(repository);
  if (found == side.repositories.end()) return false;
  const auto check = std::find_if(found->second.checks.rbegin(), found->second.checks.rend(), [&](const CheckRun& one) {
    return wanted.check == 0 ? one.head == wanted.head && (wanted.name.empty() || one.name == wanted.name)
                             : one.id == wanted.check;
  });
  if (check == found->second.checks.rend()) return false;
  Dialect::Payload payload;
  payload.event = wanted.suite ? "check_suite" : "check_run";
  payload.action = wanted.identifier.empty() ? "rerequested" : "requested_action";
  json described = DescribeCheck(found->second, *check);
  if (wanted.suite) {
    for (const char* key : {"name", "external_id", "output"}) described.erase(key);
  }
  payload.body = {{"action", payload.action},
                  {payload.event, std::move(described)},
                  {"repository", side.dialect->Render(found->second)},
                  {"sender", side.dialect->User(wanted.actor)}};
  if (!wanted.identifier.empty()) payload.body["requested_action"] = {{"identifier", wanted.identifier}};
  Tell(side, repository, std::move(payload), now);
  return true;
}

bool State::ReadFromGit(std::string_view forge, const std::string& repository, Subject& subject, std::string& error) {
  if (!git_.has_value()) {
    error = "there is no --git-root";
    return false;
  }
  const std::string kind = forge == "gitcode" ? "merge-requests" : "pull";
  const std::string ref = "refs/" + kind + "/" + std::to_string(subject.number) + "/head";
  const std::string& from = subject.head_repository.empty() ? repository : subject.head_repository;
  const std::string head = git_->Publish(repository, ref, from, subject.head_ref);
  const std::string base = git_->Resolve(repository, subject.base_ref.empty() ? "HEAD" : subject.base_ref);
  std::optional<json> files;
  if (!head.empty() && !base.empty()) files = git_->ChangedFiles(repository, base, head);
  if (!files.has_value()) {
    error = "no such branches in " + from + " and " + repository + ": " + subject.head_ref + ", " + subject.base_ref;
    return false;
  }
  subject.head_sha = head;
  // Of one that is merged a forge tells where the base was then.
  if (!subject.merged) subject.base_sha = base;
  subject.files = *std::move(files);
  return true;
}

void State::SetDraft(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
                     bool draft, Time now) {
  if (subject.draft == draft) return;
  subject.draft = draft;
  subject.updated = now;
  Tell(SideOf(forge),
       {.action = draft ? Action::kDrafted : Action::kReady,
        .repository = RepositoryOf(forge, repository),
        .subject = subject,
        .actor = actor},
       now);
}

}  // namespace yardmaster::fakeforge
