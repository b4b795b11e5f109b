#include "clients/git/git_http.h"

#include <openssl/evp.h>

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/core/version.h"

namespace yardmaster {
namespace {

using Kind = HttpFailure::Kind;

std::string Base64(const std::string& text) {
  std::string out(4 * ((text.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  out.resize(static_cast<size_t>(length));
  return out;
}

}  // namespace

GitHttp::GitHttp(const GitEnvironment& environment, std::string repository, std::function<absl::Status()> alive)
    : env_(&environment),
      repository_(std::move(repository)),
      alive_(std::move(alive)),
      url_(RepositoryUrl(environment.server, repository_)),
      deadline_(std::chrono::steady_clock::now() + environment.timeout) {}

std::string GitHttp::Agent() { return absl::StrCat("git/2 yardmaster/", Abs(kVersion)); }

absl::StatusOr<GitHttp> GitHttp::Begin(const GitEnvironment& environment, std::string repository,
                                       std::function<absl::Status()> alive) {
  GitHttp http(environment, std::move(repository), std::move(alive));
  if (environment.token) {
    const absl::StatusOr<Secret> token = environment.token(http.deadline_);
    if (!token.ok()) return errors::GitServerUnusable(http.repository_, std::string(token.status().message()));
    if (!token->empty()) {
      http.authorization_ = "Basic " + Base64(environment.server.user + ":" + token->Reveal());
    }
  }
  return http;
}

absl::StatusOr<std::string> GitHttp::Send(const GitHttpRequest& request, std::string body, bool* sent) const {
  // 1. The request.
  OutgoingRequest outgoing;
  outgoing.method = request.method;
  outgoing.url = url_ + std::string(request.path);
  outgoing.body = std::move(body);
  outgoing.headers = {{"User-Agent", Agent()}, {"Accept", std::string(request.accept)}};
  if (!request.protocol.empty()) outgoing.headers.push_back({"Git-Protocol", std::string(request.protocol)});
  if (!request.content_type.empty()) outgoing.headers.push_back({"Content-Type", std::string(request.content_type)});
  if (!authorization_.empty()) outgoing.headers.push_back({"Authorization", authorization_});
  const auto left = deadline_ - std::chrono::steady_clock::now();
  outgoing.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(left);
  outgoing.limits.body_bytes = request.max_bytes;
  outgoing.cancelled = [this] { return !Alive().ok(); };
  HttpResult result = env_->http.Send(outgoing);

  // 2. No answer.
  if (const auto* failure = std::get_if<HttpFailure>(&result)) {
    if (sent != nullptr) *sent = failure->sent;
    RETURN_IF_ERROR(Alive());
    if (failure->kind == Kind::kStopped) return errors::ShuttingDown();
    if (failure->kind == Kind::kTooLarge) return absl::ResourceExhaustedError("");
    if (failure->kind == Kind::kTimeout) return errors::GitServerUnusable(repository_, "it takes too long");
    return errors::GitServerUnusable(repository_, failure->detail);
  }

  // 3. An answer.
  auto& response = std::get<OutgoingResponse>(result);
  // A refusal is one of the whole request; what a server that stumbled has done is unknown.
  if (sent != nullptr) *sent = response.status == 200 || response.status >= 500;
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
  if (response.Header("Content-Type") != request.accept) {
    return errors::GitServerUnusable(repository_, "what answers is no git server");
  }
  return std::move(response.body);
}

}  // namespace yardmaster
