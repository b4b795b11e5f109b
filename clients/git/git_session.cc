#include "clients/git/git_session.h"

#include <openssl/evp.h>

#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/core/version.h"

namespace yardmaster {
namespace {

using Kind = HttpFailure::Kind;

// An answer without a pack.
constexpr size_t kShortAnswer = 1024 * 1024;
constexpr std::string_view kNotOurRef = "not our ref ";
constexpr std::string_view kAdvertisement = "application/x-git-upload-pack-advertisement";
constexpr std::string_view kRequest = "application/x-git-upload-pack-request";
constexpr std::string_view kResult = "application/x-git-upload-pack-result";

std::string Base64(const std::string& text) {
  std::string out(4 * ((text.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  out.resize(static_cast<size_t>(length));
  return out;
}

std::string Agent() { return absl::StrCat("git/2 yardmaster/", Abs(kVersion)); }

}  // namespace

GitSession::GitSession(const GitEnvironment& environment, std::string repository, std::function<absl::Status()> alive)
    : env_(&environment),
      repository_(std::move(repository)),
      alive_(std::move(alive)),
      url_(RepositoryUrl(environment.server, repository_)),
      deadline_(std::chrono::steady_clock::now() + environment.timeout) {}

absl::StatusOr<GitSession> GitSession::Begin(const GitEnvironment& environment, std::string repository,
                                             std::function<absl::Status()> alive) {
  GitSession session(environment, std::move(repository), std::move(alive));
  const std::string& name = session.repository_;
  // 1. Who we are.
  if (environment.token) {
    const absl::StatusOr<Secret> token = environment.token(session.deadline_);
    if (!token.ok()) return errors::GitServerUnusable(name, std::string(token.status().message()));
    if (!token->empty()) {
      session.authorization_ = "Basic " + Base64(environment.server.user + ":" + token->Reveal());
    }
  }
  // 2. What the server can.
  const absl::StatusOr<std::string> greeting =
      session.Send("GET", "/info/refs?service=git-upload-pack", kAdvertisement, "", kShortAnswer);
  if (absl::IsResourceExhausted(greeting.status())) {
    return errors::GitServerUnusable(name, "it does not speak version 2 of git's protocol");
  }
  if (!greeting.ok()) return greeting.status();
  std::string error;
  const std::optional<UploadPackAbilities> abilities = ParseAbilities(*greeting, error);
  if (!abilities.has_value()) return errors::GitServerUnusable(name, error);
  session.abilities_ = *abilities;
  return session;
}

absl::StatusOr<std::string> GitSession::Send(std::string_view method, std::string_view path, std::string_view type,
                                             std::string body, size_t max_bytes) const {
  // 1. The request.
  OutgoingRequest request;
  request.method = method;
  request.url = url_ + std::string(path);
  request.body = std::move(body);
  request.headers = {{"Git-Protocol", "version=2"}, {"User-Agent", Agent()}, {"Accept", std::string(type)}};
  if (!request.body.empty()) request.headers.push_back({"Content-Type", std::string(kRequest)});
  if (!authorization_.empty()) request.headers.push_back({"Authorization", authorization_});
  const auto left = deadline_ - std::chrono::steady_clock::now();
  request.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(left);
  request.limits.body_bytes = max_bytes;
  request.cancelled = [this] { return !Alive().ok(); };
  HttpResult result = env_->http.Send(request);

  // 2. No answer.
  if (const auto* failure = std::get_if<HttpFailure>(&result)) {
    RETURN_IF_ERROR(Alive());
    if (failure->kind == Kind::kStopped) return errors::ShuttingDown();
    if (failure->kind == Kind::kTooLarge) return absl::ResourceExhaustedError("");
    if (failure->kind == Kind::kTimeout) return errors::GitServerUnusable(repository_, "it takes too long");
    return errors::GitServerUnusable(repository_, failure->detail);
  }

  // 3. An answer.
  auto& response = std::get<OutgoingResponse>(result);
  if (response.status == 401 || response.status == 403) {
    return errors::GitCredentialsRefused(repository_, !authorization_.empty());
  }
  if (response.status == 404) return errors::RepositoryNotOnForge(repository_);
  if (response.status >= 300 && response.status < 400) {
    return errors::GitServerUnusable(repository_, "it points to another address, and such are not followed");
  }
  if (response.status != 200) {
    return errors::GitServerUnusable(repository_, absl::StrCat("it answers with status ", response.status));
  }
  if (response.Header("Content-Type") != type) {
    return errors::GitServerUnusable(repository_, "what answers is no git server");
  }
  return std::move(response.body);
}

absl::StatusOr<std::optional<std::string>> GitSession::RefTarget(const std::string& ref) const {
  const absl::StatusOr<std::string> body =
      Send("POST", "/git-upload-pack", kResult, RefsRequest(ref, Agent()), kShortAnswer);
  if (absl::IsResourceExhausted(body.status()))
    return errors::GitServerUnusable(repository_, "its list of refs is too long");
  if (!body.ok()) return body.status();
  std::string error;
  const std::optional<std::vector<GitRef>> refs = ParseRefs(*body, error);
  if (!refs.has_value()) return errors::GitServerUnusable(repository_, error);
  const auto found = absl::c_find_if(*refs, [&ref](const GitRef& one) { return one.name == ref; });
  if (found == refs->end()) return std::nullopt;
  return found->object;
}

absl::StatusOr<FetchAnswer> GitSession::Fetch(const FetchAsk& ask, const Limits& limits) const {
  absl::StatusOr<std::string> body =
      Send("POST", "/git-upload-pack", kResult, FetchRequest(ask, Agent()), limits.answer_bytes);
  if (!body.ok()) return absl::IsResourceExhausted(body.status()) ? limits.too_large : body.status();
  std::string error;
  std::optional<FetchAnswer> answer = ParseFetchAnswer(*std::move(body), error);
  if (!answer.has_value()) return errors::GitServerUnusable(repository_, error);
  if (!answer->refusal.empty()) {
    // There is no code for it; git's own server and the forges' all say "not our ref" and mostly which.
    const size_t at = answer->refusal.find(kNotOurRef);
    if (at == std::string::npos) return errors::GitServerUnusable(repository_, answer->refusal);
    const std::string named = answer->refusal.substr(at + kNotOurRef.size());
    return errors::CommitUnknown(absl::c_linear_search(ask.objects, named) ? named : ask.objects.front(), repository_);
  }
  switch (ScanPack(answer->pack, limits.pack)) {
    case PackVerdict::kGood:
      return *std::move(answer);
    case PackVerdict::kTooLarge:
      return limits.too_large;
    case PackVerdict::kBroken:
      return errors::GitServerUnusable(repository_, "its pack is damaged");
  }
  return errors::Internal("a verdict without a name");
}

}  // namespace yardmaster
