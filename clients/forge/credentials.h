// The innermost decorator: adds the token to each request, and removes it from messages that come back.
#ifndef YARDMASTER_CLIENTS_FORGE_CREDENTIALS_H_
#define YARDMASTER_CLIENTS_FORGE_CREDENTIALS_H_

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/forge_config.h"
#include "clients/forge/forge_setup.h"
#include "clients/forge/transport.h"
#include "services/core/secret.h"

namespace yardmaster {

// Thread-safe.
class ForgeCredentials {
 public:
  virtual ~ForgeCredentials() = default;
  // The token for a request that may take until `deadline`; empty: none is sent.
  virtual absl::StatusOr<Secret> Token(std::chrono::steady_clock::time_point deadline) = 0;
  // The forge refused `token` (401). True if the next Token() may give another one.
  virtual bool Refused(const Secret& token) = 0;
  // Takes the secret out of a config that was read again. INVALID_ARGUMENT, and the old one stays, if it can't be used
  // or is of another kind.
  virtual absl::Status Replace(const ForgeConfig& config) = 0;
  // Whether these are an App's: some calls work with no others.
  virtual bool OfApp() const { return false; }
  // The account that requests are made as, where the credentials themselves know; nullopt: the forge has to be asked.
  virtual absl::StatusOr<std::optional<ForgeUser>> Account(std::chrono::steady_clock::time_point) {
    return std::nullopt;
  }
  // What the forge allows an App, as ForgeAccount.permissions; nullopt for all other credentials.
  virtual absl::StatusOr<std::optional<ForgePermissions>> Permissions(std::chrono::steady_clock::time_point) {
    return std::nullopt;
  }
};

// INVALID_ARGUMENT: the config has a token where there was an App, or the reverse.
absl::Status CredentialsOfAnotherKind(std::string_view forge);

class StaticToken final : public ForgeCredentials {
 public:
  explicit StaticToken(Secret token) : token_(std::move(token)) {}
  absl::StatusOr<Secret> Token(std::chrono::steady_clock::time_point) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return token_;
  }
  // Only one that was replaced meanwhile is worth another try.
  bool Refused(const Secret& token) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return token.Reveal() != token_.Reveal();
  }
  absl::Status Replace(const ForgeConfig& config) override;

 private:
  std::mutex mutex_;
  Secret token_;
};

class CredentialsTransport final : public ForgeTransport {
 public:
  // `header`: name of the header, and what stands before the token in its value.
  CredentialsTransport(ForgeTransport& inner, ForgeCredentials& credentials, HttpHeader header)
      : inner_(inner), credentials_(credentials), header_(std::move(header)) {}

  ForgeAnswer Send(const ForgeRequest& request) override;
  void Stop() override { inner_.Stop(); }

 private:
  ForgeTransport& inner_;
  ForgeCredentials& credentials_;
  const HttpHeader header_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_CREDENTIALS_H_
