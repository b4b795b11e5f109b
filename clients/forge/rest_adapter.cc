#include "clients/forge/rest_adapter.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "clients/forge/answer_json.h"
#include "clients/forge/limits.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

// Longest timeout of a call that is taken at its word; adding a larger one to a clock could overflow.
constexpr std::chrono::hours kLongestCall{24};

}  // namespace

ForgeAddress RepositoryAddress(std::string_view repository) {
  return {absl::StrCat("/repos/", Abs(repository)), "/repos/{repo}"};
}

ForgeAddress PullAddress(const ForgeSubject& subject) {
  return RepositoryAddress(subject.repository).Below(absl::StrCat("/pulls/", subject.number), "/pulls/{n}");
}

absl::Status BadForgeAnswer(std::string_view problem) {
  return MakeForgeStatus({ForgeReason::kBadAnswer, ForgeOutcome::kUnknown, 0, std::nullopt}, problem);
}

absl::Status ReadForgeAnswer(std::string_view body, const std::function<void(const AnswerReader&)>& read) {
  std::string error;
  const std::optional<nlohmann::json> value = ParseForgeJson(body, error);
  if (!value.has_value()) return BadForgeAnswer(error);
  AnswerProblem problem;
  read(AnswerReader(&*value, "", problem));
  return problem.ok() ? absl::OkStatus() : BadForgeAnswer(problem.text());
}

ForgeState ReadForgeState(const AnswerReader& state) {
  const std::string text = state.Hint();
  for (const std::string_view open : {"open", "opened", "reopened", "progressing"}) {
    if (EqualsIgnoreCase(text, open)) return ForgeState::kOpen;
  }
  for (const std::string_view closed : {"closed", "close", "rejected", "locked"}) {
    if (EqualsIgnoreCase(text, closed)) return ForgeState::kClosed;
  }
  return EqualsIgnoreCase(text, "merged") ? ForgeState::kMerged : ForgeState::kUnknown;
}

std::optional<ForgePermission> ReadPermissionFlags(const AnswerReader& flags) {
  if (!flags.is_object()) return std::nullopt;
  constexpr std::pair<std::string_view, ForgePermission> kFlags[] = {{"admin", ForgePermission::kAdmin},
                                                                     {"maintain", ForgePermission::kMaintain},
                                                                     {"push", ForgePermission::kWrite},
                                                                     {"triage", ForgePermission::kTriage},
                                                                     {"pull", ForgePermission::kRead}};
  for (const auto& [name, permission] : kFlags) {
    const AnswerReader flag = flags.At(name);
    if (!flag.empty() && flag.Flag()) return permission;
  }
  return ForgePermission::kNone;
}

std::vector<std::string> ReadLabelNames(const AnswerReader& labels) {
  std::vector<std::string> names;
  if (labels.is_text()) {
    const std::string text = labels.Text();
    size_t begin = 0;
    while (begin <= text.size()) {
      const size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) names.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return names;
  }
  labels.ExpectArray();
  for (size_t i = 0; i < labels.size(); ++i) {
    const AnswerReader label = labels.Element(i);
    // A label without a name can't be referred to.
    std::string name = label.is_object() ? label.FirstOf({"name", "title"}).Hint() : label.Hint();
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> ReadLogins(const AnswerReader& people) {
  std::vector<std::string> logins;
  for (size_t i = 0; i < people.size(); ++i) {
    std::string login = people.Element(i).FirstOf({"login", "username"}).Hint();
    if (!login.empty()) logins.push_back(std::move(login));
  }
  return logins;
}

RestAdapter::Run RestAdapter::Begin(const ForgeCall& call) const {
  const auto timeout = std::min<std::chrono::milliseconds>(call.timeout, kLongestCall);
  return Run{call.priority, clock_.Monotonic() + timeout};
}

ForgeAnswer RestAdapter::Get(const Run& run, const ForgeAddress& address) { return Send(run, "GET", address, ""); }

ForgeAnswer RestAdapter::Post(const Run& run, const ForgeAddress& address, std::string body) {
  return Send(run, "POST", address, std::move(body));
}

ForgeAnswer RestAdapter::Patch(const Run& run, const ForgeAddress& address, std::string body) {
  return Send(run, "PATCH", address, std::move(body));
}

ForgeAnswer RestAdapter::Delete(const Run& run, const ForgeAddress& address) {
  return Send(run, "DELETE", address, "");
}

ForgeAnswer RestAdapter::Send(const Run& run, std::string method, const ForgeAddress& address, std::string body) {
  ForgeRequest request;
  request.method = std::move(method);
  request.route = address.route;
  request.target = address.target;
  request.api_version = address.api_version;
  request.body = std::move(body);
  request.priority = run.priority;
  request.deadline = run.deadline;
  return pipeline_.outermost().Send(request);
}

absl::Status RestAdapter::WithContext(const ForgeAnswer& answer, std::string_view target, const absl::Status& problem) {
  ForgeError error = ForgeErrorOf(problem).value_or(ForgeError{});
  error.http_status = answer.status;
  return MakeForgeStatus(
      error, absl::StrCat("GET ", Abs(target.substr(0, target.find('?'))), ": unexpected answer: ", problem.message()));
}

absl::StatusOr<RestAdapter::IssueCursor> RestAdapter::ParseIssueCursor(std::string_view cursor) {
  IssueCursor out;
  if (cursor.empty()) return out;
  if (const size_t query = cursor.find('?'); query != std::string_view::npos) {
    out.query = std::string(cursor.substr(query + 1));
    cursor = cursor.substr(0, query);
  }
  const size_t dot = cursor.find('.');
  const std::string_view page = cursor.substr(0, dot);
  if (dot != std::string_view::npos) out.first_before = std::string(cursor.substr(dot + 1));
  if (!absl::SimpleAtoi(Abs(page), &out.page) || out.page < 1) {
    return InvalidForgeInput(absl::StrCat("not a cursor of this client: ", Quoted(cursor)));
  }
  return out;
}

std::string RestAdapter::NextIssueCursor(const IssueCursor& cursor, const ForgePageInfo& page) {
  if (IsLastPage(page, cursor.first_before) || cursor.page == INT32_MAX) return {};
  return absl::StrCat(cursor.page + 1, ".", page.first, page.next.empty() ? "" : "?", page.next);
}

}  // namespace yardmaster
