// One configured forge, as the pipe sees it: how its payloads are read, and how it is written to.
#ifndef YARDMASTER_SERVICES_INTAKE_FORGE_SIDE_H_
#define YARDMASTER_SERVICES_INTAKE_FORGE_SIDE_H_

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "services/core/config/config.h"
#include "services/intake/router.h"

namespace yardmaster {

// Thread-safe.
class ForgeSide {
 public:
  // `forge` outlives this object. `bot_login` may be empty: then the forge is asked.
  ForgeSide(Forge& forge, RouteFunction route, std::vector<std::chrono::milliseconds> settle, std::string bot_login)
      : forge_(forge), route_(route), settle_(std::move(settle)) {
    if (!bot_login.empty()) login_ = std::move(bot_login);
  }

  std::string_view name() const { return forge_.name(); }
  Forge& forge() { return forge_; }
  RouteFunction route() const { return route_; }
  // Waits before an effect of unknown outcome is looked for, counted from when it was sent.
  const std::vector<std::chrono::milliseconds>& settle() const { return settle_; }

  // Our account if it is known already, else empty. Never asks.
  std::string KnownLogin() const;
  // Our account. Asks the forge once; empty if the forge says that we are nobody (no credentials). Errors are those
  // that pass: the caller tries again later.
  absl::StatusOr<std::string> Login(const ForgeCall& call);

  // What one write may take: it must have reached the forge, if ever, well before the last look for it.
  std::chrono::milliseconds WriteTimeout() const;

 private:
  Forge& forge_;
  const RouteFunction route_;
  const std::vector<std::chrono::milliseconds> settle_;
  mutable std::mutex mutex_;
  std::optional<std::string> login_;  // guarded by mutex_
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_FORGE_SIDE_H_
