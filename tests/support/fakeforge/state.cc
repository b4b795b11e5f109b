#include "tests/support/fakeforge/state.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>

#include "tests/support/fakeforge/admin.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;

constexpr size_t kMaxPage = 100;
constexpr size_t kMaxCommentCharacters = 65'536;
constexpr size_t kMaxLabelsOfSubject = 100;
constexpr size_t kRecordedBody = 4'096;
constexpr size_t kMaxContents = 1'048'576;
constexpr std::chrono::seconds kMinute{60};

size_t NumberParameter(const Request& request, std::string_view name, size_t otherwise) {
  const std::string text = request.Parameter(name);
  size_t value = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && rest == text.data() + text.size() && value > 0 ? value : otherwise;
}

// The header that leads to the next page: the request's own query with `name` set to `value`.
std::string NextLink(const Request& request, std::string_view name, const std::string& value) {
  std::string query;
  std::istringstream parts{std::string(request.query())};
  for (std::string part; std::getline(parts, part, '&');) {
    if (part.substr(0, part.find('=')) != name) query += part + "&";
  }
  return "<http://fake" + std::string(request.path()) + "?" + query + std::string(name) + "=" + value +
         ">; rel=\"next\"";
}

std::string Dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// Every number becomes a text and every flag a number, all the way down.
void ChangeTypes(json& value) {
  if (value.is_number()) {
    value = value.dump();
  } else if (value.is_boolean()) {
    value = value.get<bool>() ? 1 : 0;
  } else if (value.is_structured()) {
    for (json& member : value) ChangeTypes(member);
  }
}

bool Has(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string ETagOf(const std::string& body) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : body) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return "\"" + std::to_string(hash) + "\"";
}

// Not git's: 40 characters that differ where the texts do.
std::string BlobOf(const std::string& text) {
  std::string digits = std::to_string(std::hash<std::string>()(text));
  digits.insert(0, 40 - std::min<size_t>(40, digits.size()), '0');
  return digits;
}

int64_t IdOf(const std::string& text) {
  int64_t id = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), id);
  return code == std::errc() && rest == text.data() + text.size() ? id : 0;
}

Answer Json(int status, const json& body) { return {.status = status, .body = Dump(body)}; }

Answer GatewayError(uint64_t which) {
  static constexpr int kStatus[] = {500, 502, 503, 504};
  return {.status = kStatus[which % 4], .content_type = "text/html", .body = "<html><h1>Unavailable</h1></html>"};
}

}  // namespace

std::string SignBody(const std::string& secret, const std::string& body) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest.data(), &size);
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "sha256=";
  for (unsigned int i = 0; i < size; ++i) {
    out += kHex[digest[i] >> 4U];
    out += kHex[digest[i] & 15U];
  }
  return out;
}

State::State(StateOptions options) : options_(std::move(options)), random_(options_.seed) {
  sides_[0].dialect = MakeGitHubDialect();
  sides_[0].settings = options_.github;
  sides_[1].dialect = MakeGitCodeDialect();
  sides_[1].settings = options_.gitcode;
  if (!options_.git_root.empty()) git_.emplace(options_.git_root);
}

const std::map<std::string, Repository>& State::repositories(std::string_view forge) const {
  return sides_[forge == "gitcode" ? 1 : 0].repositories;
}

// --- Calls ---

// "/api/v8/repos/o/r/actions/…"
bool IsOfV8(const std::vector<std::string>& parts) { return parts.size() >= 6 && parts[5] == "actions"; }

Answer State::Handle(const Request& request, Time now) {
  Land(now);
  std::vector<std::string> parts = request.Parts();
  if (!parts.empty() && parts[0] == "_fake") return HandleAdmin(*this, request, parts, now);
  if (!parts.empty() && parts[0] == "jenkins") return jenkins_.Handle(parts);
  const bool gitcode =
      parts.size() >= 2 && parts[0] == "api" && (parts[1] == "v5" || (parts[1] == "v8" && IsOfV8(parts)));
  if (gitcode) parts.erase(parts.begin(), parts.begin() + 2);
  Side& side = sides_[gitcode ? 1 : 0];

  Call call;
  call.forge = side.dialect->name();
  call.method = request.method;
  call.target = request.target;
  call.body = request.body.substr(0, kRecordedBody);
  const std::optional<Operation> operation = FindOperation(request.method, parts, !gitcode);
  Answer answer = HandleCall(side, request, operation, call, now);
  answer.headers.emplace_back("Date", FormatHttpDate(now + side.settings.clock_ahead));
  call.status = answer.transport == Answer::Transport::kReset ? 0 : answer.status;
  calls_.push_back(std::move(call));
  if (calls_.size() > kMaxCalls) calls_.pop_front();
  return answer;
}

Answer State::HandleCall(Side& side, const Request& request, const std::optional<Operation>& operation, Call& call,
                         Time now) {
  // Who and what.
  if (!operation.has_value()) {
    // Who looks for a git server may learn that there is none.
    call.expected = request.target.find(".git/info/refs?") != std::string::npos;
    return side.dialect->Error(404, "Not Found");
  }
  const bool as_app = operation->kind == Kind::kApp || operation->kind == Kind::kInstallation ||
                      operation->kind == Kind::kInstallationToken;
  const std::string token = side.dialect->Token(request);
  if (!as_app && !side.settings.token.empty() && token != side.settings.token && !app_tokens_.contains(token)) {
    return side.dialect->Error(401, "401 Unauthorized");
  }
  const bool write = request.method != "GET";
  if (std::optional<Answer> refused = OverLimit(side, write, now); refused.has_value()) {
    call.fault = "over the limit";
    return *std::move(refused);
  }

  // What goes wrong before anything is done.
  const FaultRates& rates = options_.faults;
  Answer lost;
  lost.transport = Answer::Transport::kReset;
  if (random_.Happens(rates.limited)) {
    call.fault = "limited";
    return LimitedAnswer(side, now);
  }
  if (random_.Happens(rates.error_before)) {
    call.fault = "error_before";
    return GatewayError(random_.Draw(4));
  }
  if (random_.Happens(rates.reset_before)) {
    call.fault = "reset_before";
    return lost;
  }
  // What was written to the same place before is there by then: a newer text is not replaced by an older one.
  if (request.method == "PATCH" || request.method == "PUT") {
    Land(now, [&](const LateWrite& one) { return one.due <= now || one.request.path() == request.path(); });
  }
  if (write && random_.Happens(rates.late)) {
    call.fault = "late";
    const std::chrono::milliseconds delay(200 + random_.Draw(4'800));
    late_.push_back({now + delay, &side == sides_.data() ? size_t{0} : size_t{1}, *operation, request});
    return lost;
  }

  // The work, and what goes wrong afterwards.
  Answer answer = Execute(side, *operation, request, now);
  if (random_.Happens(rates.error_after)) {
    call.fault = "error_after";
    return GatewayError(random_.Draw(4));
  }
  if (random_.Happens(rates.reset_after)) {
    call.fault = "reset_after";
    return lost;
  }
  if (answer.status < 300 && !answer.body.empty() && random_.Happens(rates.wrong_types)) {
    call.fault = "wrong_types";
    json value = json::parse(answer.body, nullptr, false);
    if (!value.is_discarded()) {
      ChangeTypes(value);
      answer.body = Dump(value);
    }
  }
  if (random_.Happens(rates.slow)) {
    call.fault = "slow";
    answer.transport = Answer::Transport::kSlow;
  }
  if (side.dialect->github_headers() && !write && answer.status == 200) {
    const std::string etag = ETagOf(answer.body);
    answer.headers.emplace_back("ETag", etag);
    if (request.Header("If-None-Match") == etag) {
      answer.status = 304;
      answer.body.clear();
    }
  }
  return answer;
}

std::optional<Answer> State::OverLimit(Side& side, bool write, Time now) {
  const CallLimits& limits = side.settings.limits;
  while (!side.recent.empty() && side.recent.front().first + kMinute <= now) side.recent.pop_front();
  const auto requests = static_cast<int64_t>(side.recent.size());
  const auto writes = static_cast<int64_t>(
      std::count_if(side.recent.begin(), side.recent.end(), [](const auto& entry) { return entry.second; }));
  const bool over = (limits.requests_per_minute > 0 && requests >= limits.requests_per_minute) ||
                    (write && limits.writes_per_minute > 0 && writes >= limits.writes_per_minute);
  if (over) return LimitedAnswer(side, now);
  if (limits.requests_per_minute > 0 || limits.writes_per_minute > 0) side.recent.emplace_back(now, write);
  return std::nullopt;
}

Answer State::LimitedAnswer(const Side& side, Time now) {
  const bool github = side.dialect->github_headers();
  Answer answer = side.dialect->Error(github && random_.Draw(2) == 0 ? 403 : 429,
                                      github ? "You have exceeded a secondary rate limit" : "Too Many Requests");
  if (random_.Draw(2) == 0) {
    answer.headers.emplace_back("Retry-After", "1");
  } else if (github && random_.Draw(2) == 0) {
    answer.headers.emplace_back("X-RateLimit-Limit", "5000");
    answer.headers.emplace_back("X-RateLimit-Remaining", "0");
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    answer.headers.emplace_back("X-RateLimit-Reset", std::to_string(seconds + 1));
  }
  return answer;
}

Answer State::Execute(Side& side, const Operation& operation, const Request& request, Time now) {
  const Dialect& dialect = *side.dialect;
  if (operation.kind == Kind::kUser) {
    Answer answer = Json(200, dialect.User(options_.bot_login));
    if (side.settings.scopes.has_value()) answer.headers.emplace_back("X-OAuth-Scopes", *side.settings.scopes);
    return answer;
  }
  if (operation.kind == Kind::kRateLimit) {
    const json core = {{"limit", 5000}, {"remaining", 4999}, {"reset", 4'000'000'000}, {"used", 1}};
    return Json(200, {{"resources", {{"core", core}}}, {"rate", core}});
  }
  if (operation.kind == Kind::kMembership) return Membership(side, operation);
  if (operation.kind == Kind::kApp || operation.kind == Kind::kInstallation ||
      operation.kind == Kind::kInstallationToken) {
    return AnswerApp(side, operation, request, now);
  }

  const auto found = side.repositories.find(operation.repository);
  if (found == side.repositories.end()) return dialect.Error(404, "Not Found");
  Repository& repository = found->second;
  switch (operation.kind) {
    case Kind::kRepository: {
      json rendered = dialect.Render(repository);
      if (const auto own = repository.permissions.find(options_.bot_login); own != repository.permissions.end()) {
        const bool write = own->second == "write" || own->second == "admin";
        rendered["permissions"] = {{"pull", true}, {"push", write}, {"admin", own->second == "admin"}};
      }
      return Json(200, rendered);
    }
    case Kind::kHooks:
      if (!repository.hooks.has_value()) return dialect.Error(404, "Not Found");
      return Page(side, request, std::vector<json>(repository.hooks->begin(), repository.hooks->end()));
    case Kind::kRepositoryLabels: {
      if (!repository.labels.has_value()) return dialect.Error(404, "Not Found");
      std::vector<json> labels;
      for (const std::string& name : *repository.labels) labels.push_back(dialect.Label(name));
      return Page(side, request, labels);
    }
    case Kind::kPulls:
      return ListPulls(side, repository, request);
    case Kind::kCreatePull:
      return CreatePull(side, repository, request, now);
    case Kind::kIssues:
      return ListIssues(side, repository, request);
    case Kind::kContents:
      return Contents(side, repository, operation, request);
    case Kind::kBranchRules: {
      json checks = json::array();
      for (const std::string& check : repository.required_checks) checks.push_back({{"context", check}});
      if (checks.empty()) return Json(200, json::array());
      return Json(200, {{{"type", "required_status_checks"}, {"parameters", {{"required_status_checks", checks}}}}});
    }
    case Kind::kBranch:
      return Json(200, {{"name", operation.argument}, {"protected", false}, {"protection", {{"enabled", false}}}});
    case Kind::kPermission: {
      const auto permission = repository.permissions.find(operation.argument);
      const std::string others = repository.is_private ? "none" : "read";
      const std::string word = permission == repository.permissions.end() ? others : permission->second;
      return Json(200, dialect.Permission(operation.argument, word));
    }
    case Kind::kPullRuns: {
      std::vector<json> runs;
      for (json run : repository.runs) {
        if (run.value("pull_request_id", "") != request.Parameter("pull_request_id")) continue;
        run.erase("stages");
        runs.push_back(std::move(run));
      }
      Answer page = Page(side, request, runs);
      page.body = json{{"total_count", runs.size()}, {"workflow_runs", json::parse(page.body)}}.dump();
      return page;
    }
    case Kind::kPullRun:
      for (const json& run : repository.runs) {
        if (run.value("workflow_run_id", "") == operation.argument) return Json(200, run);
      }
      return dialect.Error(404, "Not Found");
    case Kind::kPullPipelines: {
      const auto of_pull = repository.pipelines.find(operation.number);
      if (of_pull == repository.pipelines.end()) return dialect.Error(404, "Not Found");
      Answer page = Page(side, request, of_pull->second);
      page.body = json{{"total", of_pull->second.size()}, {"content", json::parse(page.body)}}.dump();
      return page;
    }
    case Kind::kDeliveries:
      return ListDeliveries(side, operation, request);
    case Kind::kRedeliver: {
      int64_t id = 0;
      const std::string& text = operation.argument;
      std::from_chars(text.data(), text.data() + text.size(), id);
      return Redeliver(id, now) == 0 ? dialect.Error(404, "Not Found") : Json(202, json::object());
    }
    case Kind::kCreateCheck:
    case Kind::kUpdateCheck:
    case Kind::kChecks:
    case Kind::kCheckSuites:
    case Kind::kSetStatus:
    case Kind::kStatuses:
      return ExecuteOnCommit(side, repository, operation, request);
    case Kind::kReviewComment:
      return ShowReviewComment(side, repository, operation);
    case Kind::kEditComment:
      return EditByCall(side, repository, operation, request, now);
    case Kind::kReact:
      return ReactByCall(side, repository, operation, request);
    default:
      return ExecuteOnSubject(side, repository, operation, request, now);
  }
}

Answer State::ExecuteOnSubject(Side& side, Repository& repository, const Operation& operation, const Request& request,
                               Time now) {
  const Dialect& dialect = *side.dialect;
  Subject* const subject = Find(dialect.name(), repository.full_name, operation.pull, operation.number);
  // A pull request's address is no issue's; with one row of numbers an issue's address fits both.
  if (subject == nullptr || (operation.pull && !subject->pull)) return dialect.Error(404, "Not Found");
  const std::string& name = repository.full_name;
  Refresh(side, repository, *subject);
  switch (operation.kind) {
    case Kind::kSubject:
      return Json(200, dialect.Render(repository, *subject, operation.pull));
    case Kind::kFiles:
      // One of the forges knows no pages here.
      if (!dialect.github_headers()) return Json(200, subject->files);
      return Page(side, request, std::vector<json>(subject->files.begin(), subject->files.end()));
    case Kind::kCommits: {
      if (subject->follows_branch) {
        return Page(side, request, git_->CommitsBetween(name, subject->base_sha, subject->head_sha));
      }
      const json made = {{"date", FormatTime(subject->head_at)}};
      return Page(
          side, request,
          {{{"sha", subject->head_sha}, {"commit", {{"message", "x"}, {"author", made}, {"committer", made}}}}});
    }
    case Kind::kHistory: {
      std::vector<json> entries;
      if (dialect.github_headers()) {
        for (const LabelChange& change : subject->label_changes) {
          entries.push_back({{"event", change.added ? "labeled" : "unlabeled"},
                             {"label", {{"name", change.label}}},
                             {"created_at", FormatTime(change.at)},
                             {"actor", dialect.User(change.user)}});
        }
        for (const auto& [added, at] : subject->queue_changes) {
          entries.push_back({{"event", added ? "added_to_merge_queue" : "removed_from_merge_queue"},
                             {"created_at", FormatTime(at)},
                             {"actor", dialect.User(subject->user)}});
        }
        return Page(side, request, entries);
      }
      for (const LabelChange& change : subject->label_changes) {
        entries.push_back({{"action", change.added ? "add label" : "remove label"},
                           {"content", (change.added ? "add label " : "remove label ") + change.label},
                           {"created_at", FormatTime(change.at)},
                           {"user", dialect.User(change.user)}});
      }
      return Page(side, request, entries);
    }
    case Kind::kReviewComments:
      return ListReviewComments(side, *subject, request);
    case Kind::kComments: {
      if (operation.pull) return ListReviewComments(side, *subject, request);
      std::vector<json> comments;
      for (const Comment& comment : subject->comments) comments.push_back(dialect.Render(comment));
      return Page(side, request, comments);
    }
    case Kind::kSubjectLabels: {
      std::vector<json> labels;
      for (const std::string& label : subject->labels) labels.push_back(dialect.Label(label));
      return Page(side, request, labels);
    }
    case Kind::kRemoveLabel: {
      // Several names may be joined by commas on one of the forges.
      bool removed = false;
      for (const std::string& label : Split(operation.argument, dialect.github_headers() ? '\0' : ',')) {
        removed |= RemoveLabel(dialect.name(), name, *subject, options_.bot_login, label, now);
      }
      if (!removed) return dialect.Error(404, "Label does not exist");
      json labels = json::array();
      for (const std::string& label : subject->labels) labels.push_back(dialect.Label(label));
      return Json(200, labels);
    }
    default:
      break;
  }

  const json body = json::parse(request.body, nullptr, false);
  if (body.is_discarded()) return dialect.Error(400, "Problems parsing JSON");
  const int invalid = dialect.github_headers() ? 422 : 400;
  if (operation.kind == Kind::kEditPull) return EditPull(side, repository, *subject, body, now);
  if (operation.kind == Kind::kAskForReview) return AskForReview(side, *subject, body);
  if (operation.kind == Kind::kCreateReview) return CreateReview(side, *subject, body, now);
  if (operation.kind == Kind::kReply) return ReplyByCall(side, *subject, operation, body, now);
  if (operation.kind == Kind::kAddComment) {
    if (!body.is_object() || !body.contains("body") || !body["body"].is_string()) {
      return dialect.Error(invalid, "Validation Failed: body");
    }
    const std::string text = body["body"].get<std::string>();
    const size_t characters = CountCharacters(text);
    if (characters == 0 || characters > kMaxCommentCharacters) {
      return dialect.Error(invalid, "Validation Failed: body is empty or too long");
    }
    if (operation.pull) {
      if (std::optional<Answer> made = CommentAtLine(*subject, body, now); made.has_value()) return *made;
    }
    const Comment& comment = AddComment(dialect.name(), name, *subject, options_.bot_login, text, false, now);
    json rendered = dialect.Render(comment);
    if (!dialect.github_headers() && subject->pull) {
      // The answer to a new comment names the discussion, not the comment, as "id".
      rendered = {{"id", "discussion-" + std::to_string(comment.id)}, {"note_id", comment.id}, {"body", text}};
    }
    return Json(201, rendered);
  }

  const std::optional<std::vector<std::string>> labels = dialect.AddedLabels(body);
  if (!labels.has_value()) return dialect.Error(invalid, "Validation Failed: labels");
  for (const std::string& label : *labels) {
    const size_t characters = CountCharacters(label);
    if (characters < dialect.min_label() || characters > dialect.max_label()) {
      return dialect.Error(invalid, "Validation Failed: the name of a label is too short or too long");
    }
  }
  if (subject->labels.size() + labels->size() > kMaxLabelsOfSubject) {
    return dialect.Error(invalid, "Validation Failed: too many labels");
  }
  for (const std::string& label : *labels) {
    // As the real forges do: a label that does not exist is made.
    if (repository.labels.has_value() && !Has(*repository.labels, label)) {
      repository.labels->push_back(label);
      repository.made.push_back(label);
    }
    AddLabel(dialect.name(), name, *subject, options_.bot_login, label, now);
  }
  json all = json::array();
  for (const std::string& label : subject->labels) all.push_back(dialect.Label(label));
  return Json(dialect.github_headers() ? 200 : 201, all);
}

Answer State::Membership(const Side& side, const Operation& operation) {
  const size_t slash = operation.argument.rfind('/');
  const auto team = side.teams.find(operation.argument.substr(0, slash));
  if (team == side.teams.end()) return side.dialect->Error(404, "Not Found");
  const auto member = team->second.find(operation.argument.substr(slash + 1));
  if (member == team->second.end()) return side.dialect->Error(404, "Not Found");
  return Json(200, {{"state", member->second}, {"role", "member"}});
}

Answer State::Contents(const Side& side, const Repository& repository, const Operation& operation,
                       const Request& request) {
  if (!repository.contents_readable) return side.dialect->Error(403, "Resource not accessible by integration");
  const auto& files = repository.contents;
  auto file = files.find(operation.argument + "@" + request.Parameter("ref"));
  if (file == files.end()) file = files.find(operation.argument);
  if (file == files.end()) {
    // A folder is a list of what is in it.
    json list = json::array();
    for (const auto& entry : files) {
      if (entry.first.starts_with(operation.argument + "/")) list.push_back({{"type", "file"}, {"path", entry.first}});
    }
    return list.empty() ? side.dialect->Error(404, "Not Found") : Json(200, list);
  }
  const std::string& text = file->second;
  json out = {{"type", "file"}, {"path", operation.argument}, {"size", text.size()}, {"sha", BlobOf(text)}};
  if (text.size() > kMaxContents) {
    out["encoding"] = "none";
    out["content"] = "";
    return Json(200, out);
  }
  std::string encoded(4 * ((text.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  encoded.resize(static_cast<size_t>(size));
  // In lines, as GitHub sends it.
  constexpr size_t kLine = 60;
  std::string lines;
  for (size_t i = 0; i < encoded.size(); i += kLine) lines += encoded.substr(i, kLine) + "\n";
  out["encoding"] = "base64";
  out["content"] = std::move(lines);
  return Json(200, out);
}

Answer State::EditByCall(Side& side, Repository& repository, const Operation& operation, const Request& request,
                         Time now) {
  const Dialect& dialect = *side.dialect;
  const json body = json::parse(request.body, nullptr, false);
  if (!body.is_object() || !body.contains("body") || !body["body"].is_string()) {
    return dialect.Error(400, "Problems parsing JSON");
  }
  if (!repository.comments_editable) return dialect.Error(405, "Method Not Allowed");
  Subject* subject = nullptr;
  Comment* const comment = FindComment(dialect.name(), repository.full_name, IdOf(operation.argument), subject);
  // With two rows of numbers the comments of both have addresses of their own, too.
  if (comment == nullptr || (!dialect.shared_numbers() && operation.pull != subject->pull)) {
    return dialect.Error(404, "Not Found");
  }
  if (comment->user != options_.bot_login) return dialect.Error(403, "Must have admin rights to Repository.");
  const std::string text = body["body"].get<std::string>();
  const size_t characters = CountCharacters(text);
  if (characters == 0 || characters > kMaxCommentCharacters) {
    return dialect.Error(dialect.github_headers() ? 422 : 400, "Validation Failed: body is empty or too long");
  }
  EditComment(dialect.name(), repository.full_name, *subject, comment->id, options_.bot_login, text, now);
  return Json(200, dialect.Render(*comment));
}

Answer State::ReactByCall(Side& side, Repository& repository, const Operation& operation, const Request& request) {
  const Dialect& dialect = *side.dialect;
  static constexpr std::string_view kContents[] = {"+1",    "-1",     "laugh",  "confused",
                                                   "heart", "hooray", "rocket", "eyes"};
  const json body = json::parse(request.body, nullptr, false);
  const bool has_content = body.is_object() && body.contains("content") && body["content"].is_string();
  const std::string content = has_content ? body["content"].get<std::string>() : std::string();
  if (std::find(std::begin(kContents), std::end(kContents), content) == std::end(kContents)) {
    return dialect.Error(422, "Validation Failed: content");
  }
  Subject* subject = nullptr;
  std::map<std::string, int64_t>* reactions = nullptr;
  if (operation.argument.empty()) {
    subject = Find(dialect.name(), repository.full_name, operation.pull, operation.number);
    if (subject != nullptr) reactions = &subject->reactions;
  } else {
    Comment* const comment = FindComment(dialect.name(), repository.full_name, IdOf(operation.argument), subject);
    if (comment != nullptr) reactions = &comment->reactions;
  }
  if (reactions == nullptr) return dialect.Error(404, "Not Found");
  // The same account has the same reaction once: 200 says that it was there.
  const auto [it, added] = reactions->try_emplace(options_.bot_login + " " + content, reactions_ + 1);
  if (added) ++reactions_;
  return Json(added ? 201 : 200,
              {{"id", it->second}, {"content", content}, {"user", dialect.User(options_.bot_login)}});
}

Answer State::ListIssues(const Side& side, const Repository& repository, const Request& request) const {
  const std::vector<std::string> labels = Split(request.Parameter("labels"), ',');
  const std::string state = request.Parameter("state");
  std::vector<const Subject*> found;
  for (const auto& entry : repository.subjects) {
    const Subject& subject = entry.second;
    if (subject.pull && !side.dialect->shared_numbers()) continue;
    if (state != "all" && subject.open != (state != "closed")) continue;
    const bool all =
        std::all_of(labels.begin(), labels.end(), [&](const std::string& label) { return Has(subject.labels, label); });
    if (all) found.push_back(&subject);
  }
  std::sort(found.begin(), found.end(), [](const Subject* a, const Subject* b) { return a->number < b->number; });
  if (request.Parameter("direction") != "asc") std::reverse(found.begin(), found.end());
  std::vector<json> items;
  items.reserve(found.size());
  for (const Subject* subject : found) items.push_back(side.dialect->Render(repository, *subject, false));
  return Page(side, request, items);
}

Answer State::ListDeliveries(const Side& side, const Operation& operation, const Request& request) const {
  const size_t size = std::min(NumberParameter(request, "per_page", side.dialect->default_page()), kMaxPage);
  // The cursor is the last id of the page before.
  const size_t before = NumberParameter(request, "cursor", deliveries_.size() + 1);
  json list = json::array();
  std::string next;
  for (auto it = deliveries_.rbegin(); it != deliveries_.rend(); ++it) {
    const Delivery& delivery = *it;
    if (static_cast<size_t>(delivery.id) >= before || !delivery.settled || delivery.forge != side.dialect->name() ||
        delivery.repository != operation.repository) {
      continue;
    }
    if (list.size() == size) {
      next = std::to_string(list.back()["id"].get<int64_t>());
      break;
    }
    list.push_back({{"id", delivery.id},
                    {"guid", delivery.guid},
                    {"event", delivery.event},
                    {"action", delivery.action},
                    {"delivered_at", FormatTime(delivery.delivered)},
                    {"redelivery", delivery.redelivery},
                    {"status", delivery.status >= 200 && delivery.status < 300 ? "OK" : "failed"},
                    {"status_code", delivery.status}});
  }
  Answer answer = Json(200, list);
  if (!next.empty()) answer.headers.emplace_back("Link", NextLink(request, "cursor", next));
  return answer;
}

Answer State::Page(const Side& side, const Request& request, const std::vector<json>& items) const {
  const size_t size = std::min(NumberParameter(request, "per_page", side.dialect->default_page()), kMaxPage);
  const size_t page = NumberParameter(request, "page", 1);
  const size_t pages = std::max<size_t>(1, (items.size() + size - 1) / size);
  json list = json::array();
  for (size_t i = (page - 1) * size; i < items.size() && i < page * size; ++i) list.push_back(items[i]);
  Answer answer = Json(200, list);
  if (!side.dialect->github_headers()) {
    answer.headers.emplace_back("total_count", std::to_string(items.size()));
    answer.headers.emplace_back("total_page", std::to_string(pages));
  } else if (page < pages) {
    answer.headers.emplace_back("Link", NextLink(request, "page", std::to_string(page + 1)));
  }
  return answer;
}

void State::Land(Time now) {
  Land(now, [now](const LateWrite& one) { return one.due <= now; });
}

void State::Land(Time now, const std::function<bool(const LateWrite&)>& lands) {
  for (size_t i = 0; i < late_.size();) {
    if (!lands(late_[i])) {
      ++i;
      continue;
    }
    const LateWrite write = std::move(late_[i]);
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
    Execute(sides_[write.side], write.operation, write.request, now);
  }
}

// --- What happens on the forge ---

Repository& State::RepositoryOf(std::string_view forge, const std::string& name) {
  Repository& repository = SideOf(forge).repositories[name];
  repository.full_name = name;
  return repository;
}

Subject* State::Find(std::string_view forge, const std::string& repository, bool pull, int64_t number) {
  Side& side = SideOf(forge);
  const auto found = side.repositories.find(repository);
  if (found == side.repositories.end()) return nullptr;
  auto& subjects = found->second.subjects;
  auto it = subjects.find({pull, number});
  if (it == subjects.end() && side.dialect->shared_numbers()) it = subjects.find({!pull, number});
  return it == subjects.end() ? nullptr : &it->second;
}

int64_t State::NextNumber(std::string_view forge, const std::string& repository, bool pull) {
  int64_t last = 0;
  for (const auto& [key, other] : RepositoryOf(forge, repository).subjects) {
    if (SideOf(forge).dialect->shared_numbers() || key.first == pull) last = std::max(last, other.number);
  }
  return last + 1;
}

Subject* State::Open(std::string_view forge, const std::string& repository, Subject subject, bool quiet, Time now) {
  Side& side = SideOf(forge);
  Repository& owner = RepositoryOf(forge, repository);
  if (subject.number == 0) subject.number = NextNumber(forge, repository, subject.pull);
  if (Find(forge, repository, subject.pull, subject.number) != nullptr) return nullptr;
  subject.created = subject.updated = subject.head_at = now;
  const std::pair<bool, int64_t> key{subject.pull, subject.number};
  Subject& kept = owner.subjects[key] = std::move(subject);
  if (!quiet) Tell(side, {.action = Action::kOpened, .repository = owner, .subject = kept, .actor = kept.user}, now);
  return &kept;
}

void State::Edit(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
                 std::optional<std::string> title, std::optional<std::string> body, Time now) {
  std::string before = subject.body;
  if (title.has_value()) subject.title = *std::move(title);
  if (body.has_value()) subject.body = *std::move(body);
  subject.updated = now;
  Tell(SideOf(forge),
       {.action = Action::kEdited,
        .repository = RepositoryOf(forge, repository),
        .subject = subject,
        .actor = actor,
        .before = std::move(before)},
       now);
}

void State::SetOpen(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
                    bool open, Time now) {
  if (subject.open == open) return;
  subject.open = open;
  subject.updated = now;
  Tell(SideOf(forge),
       {.action = open ? Action::kReopened : Action::kClosed,
        .repository = RepositoryOf(forge, repository),
        .subject = subject,
        .actor = actor},
       now);
}

void State::AddLabel(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
                     const std::string& label, Time now) {
  if (Has(subject.labels, label)) return;
  subject.labels.push_back(label);
  ++subject.additions[label];
  subject.label_changes.push_back({label, true, actor, now});
  subject.updated = now;
  Tell(SideOf(forge),
       {.action = Action::kLabeled,
        .repository = RepositoryOf(forge, repository),
        .subject = subject,
        .actor = actor,
        .label = label},
       now);
}

bool State::RemoveLabel(std::string_view forge, const std::string& repository, Subject& subject,
                        const std::string& actor, const std::string& label, Time now) {
  const auto it = std::find(subject.labels.begin(), subject.labels.end(), label);
  if (it == subject.labels.end()) return false;
  subject.labels.erase(it);
  ++subject.removals[label];
  subject.label_changes.push_back({label, false, actor, now});
  subject.updated = now;
  Tell(SideOf(forge),
       {.action = Action::kUnlabeled,
        .repository = RepositoryOf(forge, repository),
        .subject = subject,
        .actor = actor,
        .label = label},
       now);
  return true;
}

const Comment& State::AddComment(std::string_view forge, const std::string& repository, Subject& subject,
                                 const std::string& actor, const std::string& body, bool quiet, Time now) {
  subject.comments.push_back({.id = ++comments_, .user = actor, .body = body, .created = now});
  subject.updated = now;
  const Comment& comment = subject.comments.back();
  if (!quiet) {
    Tell(SideOf(forge),
         {.action = Action::kCommented,
          .repository = RepositoryOf(forge, repository),
          .subject = subject,
          .actor = actor,
          .comment = &comment},
         now);
  }
  return comment;
}

bool State::EditComment(std::string_view forge, const std::string& repository, Subject& subject, int64_t id,
                        const std::string& actor, const std::string& body, Time now) {
  for (Comment& comment : subject.comments) {
    if (comment.id != id) continue;
    std::string before = std::exchange(comment.body, body);
    ++comment.edits;
    comment.updated = subject.updated = now;
    Tell(SideOf(forge),
         {.action = Action::kCommentEdited,
          .repository = RepositoryOf(forge, repository),
          .subject = subject,
          .actor = actor,
          .comment = &comment,
          .before = std::move(before)},
         now);
    return true;
  }
  return false;
}

Comment* State::FindComment(std::string_view forge, const std::string& repository, int64_t id, Subject*& subject) {
  Side& side = SideOf(forge);
  const auto found = side.repositories.find(repository);
  if (found == side.repositories.end()) return nullptr;
  for (auto& [key, candidate] : found->second.subjects) {
    for (Comment& comment : candidate.comments) {
      if (comment.id != id) continue;
      subject = &candidate;
      return &comment;
    }
  }
  return nullptr;
}

bool State::DeleteComment(Subject& subject, int64_t comment) {
  return std::erase_if(subject.comments, [comment](const Comment& one) { return one.id == comment; }) > 0;
}

void State::Push(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
                 Time now, const std::string& head) {
  std::string before = std::exchange(subject.head_sha, head.empty() ? BlobOf(subject.head_sha) : head);
  subject.head_at = now;
  subject.updated = now;
  Tell(SideOf(forge),
       {.action = Action::kPushed,
        .repository = RepositoryOf(forge, repository),
        .subject = subject,
        .actor = actor,
        .before = std::move(before)},
       now);
}

void State::SetContents(std::string_view forge, const std::string& repository,
                        const std::map<std::string, std::string>& files, const std::string& actor, Time now) {
  Repository& changed = RepositoryOf(forge, repository);
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) {
    changed.contents[path] = text;
    paths.push_back(path);
  }
  if (actor.empty()) return;
  Side& side = SideOf(forge);
  // No two commits are the same, nor are the bodies that tell of them.
  Tell(side, repository, side.dialect->PushWebhook(changed, actor, BlobOf(NewGuid()), paths), now);
}

std::map<std::string, std::string>& State::TeamOf(std::string_view forge, const std::string& team) {
  return SideOf(forge).teams[team];
}

// --- Webhooks ---

void State::Tell(Side& side, const ForgeChange& happening, Time now) {
  Tell(side, happening.repository.full_name, side.dialect->Webhook(happening), now);
}

void State::Tell(Side& side, const std::string& repository, Dialect::Payload payload, Time now) {
  if (!side.settings.webhooks) return;
  const FaultRates& rates = options_.faults;
  // One of the forges is known for types that change.
  if (!side.dialect->github_headers() && random_.Happens(rates.wrong_types)) ChangeTypes(payload.body);
  Delivery delivery;
  delivery.guid = NewGuid();
  delivery.forge = side.dialect->name();
  delivery.repository = repository;
  delivery.event = std::move(payload.event);
  delivery.action = std::move(payload.action);
  delivery.body = Dump(payload.body);
  if (random_.Happens(rates.webhook_drop)) {
    delivery.id = static_cast<int64_t>(deliveries_.size()) + 1;
    delivery.taken = delivery.settled = true;
    delivery.delivered = now;
    deliveries_.push_back(std::move(delivery));
    return;
  }
  Time due = now;
  if (random_.Happens(rates.webhook_reorder)) due += std::chrono::milliseconds(200 + random_.Draw(2'000));
  const bool twice = random_.Happens(rates.webhook_duplicate);
  if (twice) Enqueue(delivery, due + std::chrono::milliseconds(random_.Draw(1'000)));
  Enqueue(std::move(delivery), due);
}

void State::Enqueue(Delivery delivery, Time due) {
  delivery.id = static_cast<int64_t>(deliveries_.size()) + 1;
  delivery.due = due;
  waiting_.emplace(due, delivery.id);
  ++unsettled_;
  deliveries_.push_back(std::move(delivery));
}

int64_t State::Redeliver(int64_t delivery, Time now) {
  if (delivery < 1 || static_cast<size_t>(delivery) > deliveries_.size()) return 0;
  Delivery again = deliveries_[static_cast<size_t>(delivery) - 1];
  again.taken = again.settled = false;
  again.status = 0;
  again.redelivery = true;
  Enqueue(std::move(again), now);
  return static_cast<int64_t>(deliveries_.size());
}

std::vector<Outgoing> State::TakeDue(Time now, size_t limit) {
  Land(now);
  std::vector<Outgoing> out;
  while (out.size() < limit && !waiting_.empty() && waiting_.begin()->first <= now) {
    Delivery& delivery = deliveries_[static_cast<size_t>(waiting_.begin()->second) - 1];
    waiting_.erase(waiting_.begin());
    delivery.taken = true;
    const Side& side = SideOf(delivery.forge);
    const std::string& secret = side.settings.secret;
    const std::string signature = secret.empty() ? "" : SignBody(secret, delivery.body);
    out.push_back({.id = delivery.id,
                   .forge = delivery.forge,
                   .headers = side.dialect->WebhookHeaders(delivery.event, delivery.guid, signature),
                   .body = delivery.body});
  }
  return out;
}

void State::Settle(int64_t delivery, int status, Time now) {
  if (delivery < 1 || static_cast<size_t>(delivery) > deliveries_.size()) return;
  Delivery& settled = deliveries_[static_cast<size_t>(delivery) - 1];
  if (!settled.taken || settled.settled) return;
  settled.settled = true;
  settled.status = status;
  settled.delivered = now;
  --unsettled_;
}

std::optional<Time> State::NextDue() const {
  std::optional<Time> next;
  if (!waiting_.empty()) next = waiting_.begin()->first;
  for (const LateWrite& write : late_) {
    if (!next.has_value() || write.due < *next) next = write.due;
  }
  return next;
}

std::string State::NewGuid() {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string guid;
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) guid += '-';
    guid += kHex[random_.Draw(16)];
  }
  return guid;
}

}  // namespace yardmaster::fakeforge
