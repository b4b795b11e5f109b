// How a GitHub App proves who it is: a JSON Web Token signed with its private key (RS256).
#ifndef YARDMASTER_CLIENTS_FORGE_GITHUB_APP_JWT_H_
#define YARDMASTER_CLIENTS_FORGE_GITHUB_APP_JWT_H_

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/core/secret.h"

namespace yardmaster {

// Thread-safe.
class AppJwtSigner {
 public:
  // `private_key`: PEM (PKCS#1 or PKCS#8), RSA of at least 2048 bits, not encrypted; else INVALID_ARGUMENT.
  static absl::StatusOr<std::unique_ptr<AppJwtSigner>> Make(std::string app_id, const Secret& private_key);
  ~AppJwtSigner();

  // A token that holds from a minute before `now`, since clocks differ, to nine minutes after it; the forge accepts ten
  // at most.
  absl::StatusOr<Secret> Sign(std::chrono::system_clock::time_point now) const;

 private:
  struct Key;
  AppJwtSigner(std::string app_id, std::unique_ptr<Key> key);
  const std::string app_id_;
  const std::unique_ptr<Key> key_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITHUB_APP_JWT_H_
