// One forge client, complete: adapter, then what every request passes from the outside in.
//
//   conditional   asks again with the ETag; 304 costs nothing of the primary limit
//   retry         the only layer that sends anything twice
//   budget        waits until the forge's limits allow it, important callers first
//   credentials   adds the token
//   metrics       counts and times what really goes out, fetching tokens included
//   http          one request, one answer, classified
#ifndef YARDMASTER_CLIENTS_FORGE_MAKE_FORGE_H_
#define YARDMASTER_CLIENTS_FORGE_MAKE_FORGE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "clients/forge/forge_config.h"
#include "clients/forge/forge_pulls.h"
#include "clients/forge/forge_setup.h"
#include "clients/forge/http.h"
#include "clients/forge/waiter.h"
#include "services/core/clock.h"
#include "services/core/metrics.h"
#include "services/core/secret.h"

namespace yardmaster {

// What a client stands on. References outlive it.
struct ForgeEnvironment {
  HttpClient& http;
  const Clock& clock;
  Waiter& waiter;
  Metrics* metrics = nullptr;  // may be null
  // For jitter; the same seed gives the same waits.
  uint64_t seed = 0;
  // Told of every token that is fetched at run time, so that logs can take it out. May be null.
  std::function<void(const Secret&)> on_secret;
  // Told with each answer that carries a date how far our clock is ahead of the forge's. May be null.
  std::function<void(std::string_view forge, std::chrono::seconds ahead)> on_clock = nullptr;
};

// A running client. Stop() ends all waits: calls in progress and later ones fail with kStopped.
class StoppableForge : public Forge, public ForgeSetup, public ForgePulls {
 public:
  virtual void Stop() = 0;
  // Takes the token or the App's private key of a config that was read again; requests that begin afterwards use it.
  // INVALID_ARGUMENT, and the old one stays, if it can't be used or if a token took the place of an App or the reverse.
  virtual absl::Status ReplaceCredentials(const ForgeConfig& config) = 0;
  // The token that requests carry, for what else is reached with it: the forge's git server. Empty: there is none.
  virtual absl::StatusOr<Secret> Token(std::chrono::steady_clock::time_point deadline) = 0;
};

// INVALID_ARGUMENT if the forge has no profile, the URL is no URL or the App's key can't be read. Nothing is contacted.
absl::StatusOr<std::unique_ptr<StoppableForge>> MakeForge(const ForgeConfig& config,
                                                          const ForgeEnvironment& environment);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_MAKE_FORGE_H_
