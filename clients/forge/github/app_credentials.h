// A GitHub App's installation token: fetched with the App's JWT, kept until five minutes before it expires.
#ifndef YARDMASTER_CLIENTS_FORGE_GITHUB_APP_CREDENTIALS_H_
#define YARDMASTER_CLIENTS_FORGE_GITHUB_APP_CREDENTIALS_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "clients/forge/credentials.h"
#include "clients/forge/forge.h"
#include "clients/forge/github/app_jwt.h"
#include "clients/forge/transport.h"
#include "services/core/clock.h"

namespace yardmaster {

class AppCredentials final : public ForgeCredentials {
 public:
  // `transport` adds no credentials itself and outlives this object, as `clock` does. `on_secret` (may be null) is
  // called with every new token.
  AppCredentials(std::unique_ptr<AppJwtSigner> signer, std::string installation, ForgeTransport& transport,
                 const Clock& clock, std::function<void(const Secret&)> on_secret);

  // One caller fetches, the others wait for it. While an old token still holds, a failed fetch is no failure.
  absl::StatusOr<Secret> Token(std::chrono::steady_clock::time_point deadline) override;
  // A token that was fetched a moment ago is not fetched again: the refusal then means missing rights.
  bool Refused(const Secret& token) override;
  // Tokens fetched with the old key hold until they end.
  absl::Status Replace(const ForgeConfig& config) override;

  bool OfApp() const override { return true; }
  // The account that the App writes as.
  absl::StatusOr<std::optional<ForgeUser>> Account(std::chrono::steady_clock::time_point deadline) override;
  absl::StatusOr<std::optional<ForgePermissions>> Permissions(std::chrono::steady_clock::time_point deadline) override;

 private:
  // Sends a request as the App itself.
  ForgeAnswer SendAsApp(ForgeRequest request);
  // The time as the forge has it.
  std::chrono::system_clock::time_point Now() const;
  // Goes by the forge's clock from now on where it differs from ours; true if that changes anything.
  bool NoteDate(const ForgeAnswer& answer);
  absl::Status Fetch(std::chrono::steady_clock::time_point deadline);

  const std::string installation_;
  ForgeTransport& transport_;
  const Clock& clock_;
  const std::function<void(const Secret&)> on_secret_;
  std::atomic<std::chrono::seconds> skew_{std::chrono::seconds(0)};  // the forge's clock less ours

  std::mutex mutex_;  // held while a token is fetched
  Secret token_;
  std::chrono::system_clock::time_point expires_at_;
  std::chrono::steady_clock::time_point fetched_at_;
  std::mutex signer_mutex_;
  std::shared_ptr<const AppJwtSigner> signer_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITHUB_APP_CREDENTIALS_H_
