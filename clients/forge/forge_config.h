// What an operator configures about forges.
#ifndef YARDMASTER_CLIENTS_FORGE_FORGE_CONFIG_H_
#define YARDMASTER_CLIENTS_FORGE_FORGE_CONFIG_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/core/secret.h"

namespace yardmaster {

struct ForgeProfile;

struct WebhookSecret {
  Secret secret;
  // "owner/name" or "owner/*"; empty: all repositories of the forge.
  std::vector<std::string> repositories;
};

// A GitHub App, which stands in place of a token.
struct ForgeApp {
  std::string id;
  std::string installation;
  Secret private_key;
};

// What we allow ourselves; unset values are the forge client's defaults for that forge.
struct ForgeBudget {
  std::optional<uint32_t> mutations_per_minute;
  std::optional<uint32_t> mutations_per_hour;
  std::optional<uint32_t> spacing_ms;
  std::optional<uint32_t> requests_per_minute;
};

// A webhook whose missing deliveries are asked for again.
struct ForgeHook {
  std::string repository;
  std::string id;
};

// How forges are reached.
struct ProxyConfig {
  // Unset: what the environment says (https_proxy, ALL_PROXY, …). Empty: none, whatever it says.
  std::optional<std::string> url;
  // Hosts, and domains with a dot in front, that are reached directly. This machine always is.
  std::vector<std::string> no_proxy;
  std::string user;
  Secret password;
};

struct ForgeConfig {
  std::string name;                       // as in the table of forges
  const ForgeProfile* profile = nullptr;  // its row there; null only where no client is made
  std::string api_url;                    // without a slash at the end
  std::string git_url;                    // empty: derived by the forge client
  std::string bot_login;                  // empty: asked from the forge
  Secret token;                           // empty if there is an app, or no credentials
  std::optional<ForgeApp> app;
  std::vector<WebhookSecret> webhook_secrets;
  // GitCode: accept the plain password header where no signature is sent.
  bool accept_plain_token = false;
  ForgeBudget budget;
  // Waits before an effect of unknown outcome is looked for, counted from the intent.
  std::vector<std::chrono::milliseconds> settle = {std::chrono::milliseconds(2'000), std::chrono::milliseconds(10'000),
                                                   std::chrono::milliseconds(30'000)};
  std::chrono::milliseconds timeout{30'000};  // of one request to the forge
  std::vector<ForgeHook> hooks;

  bool HasCredentials() const { return app.has_value() || !token.empty(); }
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_FORGE_CONFIG_H_
