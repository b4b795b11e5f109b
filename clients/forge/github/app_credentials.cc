#include "clients/forge/github/app_credentials.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "clients/forge/dialect.h"
#include "clients/forge/github/github_answers.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

constexpr std::chrono::minutes kRenewBefore{5};
constexpr std::chrono::minutes kFresh{1};
// Of clocks: the forge takes a signature that is no more than a minute off.
constexpr std::chrono::seconds kTolerance{30};

}  // namespace

AppCredentials::AppCredentials(std::unique_ptr<AppJwtSigner> signer, std::string installation,
                               ForgeTransport& transport, const Clock& clock,
                               std::function<void(const Secret&)> on_secret)
    : installation_(std::move(installation)),
      transport_(transport),
      clock_(clock),
      on_secret_(std::move(on_secret)),
      signer_(std::move(signer)) {}

absl::StatusOr<Secret> AppCredentials::Token(std::chrono::steady_clock::time_point deadline) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!token_.empty() && Now() < expires_at_ - kRenewBefore) return token_;
  if (absl::Status status = Fetch(deadline); !status.ok()) {
    if (!token_.empty() && Now() < expires_at_) return token_;
    return status;
  }
  return token_;
}

bool AppCredentials::Refused(const Secret& token) {
  std::lock_guard<std::mutex> lock(mutex_);
  // Another caller was faster.
  if (token.Reveal() != token_.Reveal()) return true;
  if (clock_.Monotonic() - fetched_at_ < kFresh) return false;
  token_ = Secret();
  return true;
}

absl::Status AppCredentials::Replace(const ForgeConfig& config) {
  if (!config.app.has_value()) return CredentialsOfAnotherKind(config.name);
  ASSIGN_OR_RETURN(std::unique_ptr<AppJwtSigner> signer, AppJwtSigner::Make(config.app->id, config.app->private_key));
  const std::lock_guard<std::mutex> lock(signer_mutex_);
  signer_ = std::move(signer);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<ForgeUser>> AppCredentials::Account(std::chrono::steady_clock::time_point deadline) {
  ForgeRequest request;
  request.route = "/app";
  request.target = "/app";
  request.deadline = deadline;
  const ForgeAnswer answer = SendAsApp(std::move(request));
  if (answer.error.has_value()) return answer.ToStatus();
  return github::ParseApp(answer.body);
}

absl::StatusOr<std::optional<ForgePermissions>> AppCredentials::Permissions(
    std::chrono::steady_clock::time_point deadline) {
  ForgeRequest request;
  request.route = "/app/installations/{id}";
  request.target = absl::StrCat("/app/installations/", UrlEncode(installation_));
  request.deadline = deadline;
  const ForgeAnswer answer = SendAsApp(std::move(request));
  if (answer.error.has_value()) return answer.ToStatus();
  return github::ParseInstallation(answer.body);
}

ForgeAnswer AppCredentials::SendAsApp(ForgeRequest request) {
  std::shared_ptr<const AppJwtSigner> signer;
  {
    const std::lock_guard<std::mutex> lock(signer_mutex_);
    signer = signer_;
  }
  const auto send = [&]() -> ForgeAnswer {
    const absl::StatusOr<Secret> jwt = signer->Sign(Now());
    if (!jwt.ok()) {
      return FailedAnswer(ForgeErrorOf(jwt.status()).value_or(ForgeError{}), std::string(jwt.status().message()));
    }
    ForgeRequest signed_request = request;
    signed_request.headers.push_back({"Authorization", "Bearer " + jwt->Reveal()});
    ForgeAnswer answer = transport_.Send(signed_request);
    absl::StrReplaceAll({{jwt->Reveal(), "[redacted]"}}, &answer.message);
    return answer;
  };
  ForgeAnswer answer = send();
  // A token that was signed by a clock that is wrong is refused; the refusal says what time it is.
  if (answer.status == 401 && NoteDate(answer)) answer = send();
  return answer;
}

std::chrono::system_clock::time_point AppCredentials::Now() const { return clock_.Now() + skew_.load(); }

bool AppCredentials::NoteDate(const ForgeAnswer& answer) {
  const auto date = ReadDate(answer.Header("Date"));
  if (!date.has_value()) return false;
  const auto skew = std::chrono::duration_cast<std::chrono::seconds>(*date - clock_.Now());
  if (std::chrono::abs(skew - skew_.load()) < kTolerance) return false;
  skew_ = skew;
  return true;
}

absl::Status AppCredentials::Fetch(std::chrono::steady_clock::time_point deadline) {
  ForgeRequest request;
  request.method = "POST";
  request.route = "/app/installations/{id}/access_tokens";
  request.target = absl::StrCat("/app/installations/", UrlEncode(installation_), "/access_tokens");
  request.deadline = deadline;
  const ForgeAnswer answer = SendAsApp(std::move(request));
  if (answer.error.has_value()) return answer.ToStatus();
  ASSIGN_OR_RETURN(github::InstallationToken parsed, github::ParseInstallationToken(answer.body));
  token_ = std::move(parsed.token);
  expires_at_ = parsed.expires_at;
  fetched_at_ = clock_.Monotonic();
  if (on_secret_) on_secret_(token_);
  return absl::OkStatus();
}

}  // namespace yardmaster
