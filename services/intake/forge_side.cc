#include "services/intake/forge_side.h"

#include <algorithm>

#include "clients/forge/forge_error.h"

namespace yardmaster {

std::string ForgeSide::KnownLogin() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return login_.value_or("");
}

absl::StatusOr<std::string> ForgeSide::Login(const ForgeCall& call) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (login_.has_value()) return *login_;
  }
  // Without the lock: others that ask meanwhile get the same answer.
  const absl::StatusOr<ForgeUser> user = forge_.CurrentUser(call);
  std::string login;
  if (user.ok()) {
    login = user->login;
  } else {
    const std::optional<ForgeError> error = ForgeErrorOf(user.status());
    if (error.has_value() && (error->Transient() || error->reason == ForgeReason::kStopped)) return user.status();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  login_ = login;
  return login;
}

std::chrono::milliseconds ForgeSide::WriteTimeout() const {
  using std::chrono::milliseconds;
  const milliseconds last = settle_.empty() ? milliseconds(30'000) : settle_.back();
  return std::clamp(last * 2 / 3, milliseconds(1'000), milliseconds(20'000));
}

}  // namespace yardmaster
