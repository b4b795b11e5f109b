#include "clients/git/git_push.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// Of the list of refs: some hundred thousand.
constexpr size_t kMaxGreetingBytes = 32 * 1024 * 1024;
constexpr size_t kMaxReportBytes = 1024 * 1024;
constexpr std::string_view kReceiveAdvertisement = "application/x-git-receive-pack-advertisement";
constexpr std::string_view kReceiveRequest = "application/x-git-receive-pack-request";
constexpr std::string_view kReceiveResult = "application/x-git-receive-pack-result";

absl::StatusOr<ReceivePackGreeting> Greet(const GitHttp& http) {
  absl::StatusOr<std::string> body = http.Send({"GET", "/info/refs?service=git-receive-pack", /*content_type=*/"",
                                                kReceiveAdvertisement, /*protocol=*/"", kMaxGreetingBytes},
                                               "");
  if (absl::IsResourceExhausted(body.status())) {
    return errors::GitServerUnusable(http.repository(), "its list of refs is too long");
  }
  RETURN_IF_ERROR(body.status());
  std::string error;
  std::optional<ReceivePackGreeting> greeting = ParseReceiveGreeting(*body, error);
  if (!greeting.has_value()) return errors::GitServerUnusable(http.repository(), error);
  return *std::move(greeting);
}

}  // namespace

std::string PlaceOf(const std::vector<GitRef>& refs, const std::string& ref) {
  const auto found = absl::c_find_if(refs, [&](const GitRef& one) { return one.name == ref; });
  return found == refs.end() ? std::string() : found->object;
}

absl::StatusOr<std::vector<GitRef>> HttpGitPusher::Refs(const std::string& repository) {
  ASSIGN_OR_RETURN(const GitHttp http, GitHttp::Begin(env_, repository, nullptr));
  ASSIGN_OR_RETURN(ReceivePackGreeting greeting, Greet(http));
  return std::move(greeting.refs);
}

absl::StatusOr<PushOutcome> HttpGitPusher::Push(const std::string& repository, const RefMove& move,
                                                std::string_view pack, bool& maybe_done) {
  using State = PushOutcome::State;
  maybe_done = false;
  ASSIGN_OR_RETURN(const GitHttp http, GitHttp::Begin(env_, repository, nullptr));
  absl::StatusOr<ReceivePackGreeting> greeting = Greet(http);
  // Who may read a repository and not write it is told so here.
  if (absl::IsFailedPrecondition(greeting.status())) {
    return PushOutcome{State::kRefused, std::string(greeting.status().message())};
  }
  RETURN_IF_ERROR(greeting.status());
  const std::string place = PlaceOf(greeting->refs, move.ref);
  if (place == move.new_id) return PushOutcome{State::kDone, {}};
  if (place != move.old_id) return PushOutcome{State::kMoved, place};
  if (!greeting->reports) return errors::GitServerUnusable(repository, "it would not tell what became of a push");
  absl::StatusOr<std::string> body =
      http.Send({"POST", "/git-receive-pack", kReceiveRequest, kReceiveResult, /*protocol=*/"", kMaxReportBytes},
                PushRequest(move, pack, GitHttp::Agent()), &maybe_done);
  if (absl::IsResourceExhausted(body.status())) {
    return errors::GitServerUnusable(repository, "its answer to a push is too long");
  }
  if (absl::IsFailedPrecondition(body.status())) {
    return PushOutcome{State::kRefused, std::string(body.status().message())};
  }
  RETURN_IF_ERROR(body.status());
  std::string error;
  const std::optional<PushReport> report = ParsePushReport(*body, move.ref, error);
  if (!report.has_value()) return errors::GitServerUnusable(repository, error);
  maybe_done = false;
  return report->done ? PushOutcome{State::kDone, {}} : PushOutcome{State::kRefused, report->refusal};
}

}  // namespace yardmaster
