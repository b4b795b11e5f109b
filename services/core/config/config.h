// The daemon's configuration: one JSON file, checked completely when it is read. Unknown keys are errors; every problem
// names file, JSON pointer, line and what was expected, and all problems are found at once.
#ifndef YARDMASTER_SERVICES_CORE_CONFIG_CONFIG_H_
#define YARDMASTER_SERVICES_CORE_CONFIG_CONFIG_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/forge_config.h"
#include "clients/forges/shipped_forges.h"
#include "services/core/address.h"
#include "services/core/auth.h"
#include "services/core/config/command_settings.h"
#include "services/core/config/dispatch_config.h"
#include "services/core/config/review_config.h"
#include "services/core/config/shadow_config.h"
#include "services/core/limits.h"
#include "services/core/logging.h"
#include "services/core/problem.h"
#include "services/core/repository_aliases.h"
#include "services/core/secret.h"
#include "services/core/store/retention.h"
#include "services/core/tls.h"

namespace yardmaster {

namespace chat {
struct ChatConfig;
}

// What a decision may become. kDryRun is the narrower one.
enum class RunMode : uint8_t { kDryRun, kApply };
std::string_view RunModeName(RunMode mode);  // "dry-run", "apply"
std::optional<RunMode> RunModeFromName(std::string_view name);
RunMode Stricter(RunMode a, RunMode b);

struct RepositoryConfig {
  std::string forge;
  std::string repository;  // "owner/name" or "owner/*"
  std::vector<std::string>
      packs;          // those it may use; the first one is its default. Empty: events are ignored with a reason
  uint32_t line = 0;  // where it is named, for messages
  std::vector<uint32_t> pack_lines;  // where each pack is named, for messages
  std::optional<RunMode> mode;       // unset: the daemon's
  CommandSettings commands;          // merged with what holds for all repositories
  ReviewConfig review = {};
  std::optional<ShadowConfig> shadow = std::nullopt;
};

struct ScheduleConfig {
  std::string name;
  std::string cron;                            // valid, see cron.h
  std::string run;                             // "sweep", …: the schedule service knows the names
  std::string forge;                           // empty: every repository of the config
  std::string repository;                      // "owner/name" or "owner/*"
  std::string time_zone = "UTC";               // of `cron`: a name of the system's table of zones
  std::chrono::seconds jitter{0};              // a run begins up to so much later
  std::chrono::minutes limit{kScheduleLimit};  // how long a run may take
  // What the job wants to know besides; the jobs' documentation says which.
  std::string chat_platform = {};  // where it says what it found; empty: nowhere
  std::string chat_channel = {};
  std::string language = {};  // of what it says there and in `issue`: "zh"; empty: English
  int64_t issue = 0;          // the issue where it says so; 0: none
  int64_t days = 0;           // 0: the job's default
  int64_t issues = 0;         // how many issues it looks at; 0: the job's default
  std::string pack = {};
  std::filesystem::path pack_folder = {};  // of packs; empty: that of the daemon
};

// Limits that an operator may change; limits.h says what they mean.
struct LimitsConfig {
  size_t http_connections = kMaxHttpConnections;
  size_t http_header_bytes = kMaxHttpHeaderBytes;
  size_t http_body_bytes = kMaxHttpBodyBytes;
  std::chrono::milliseconds http_header_timeout = kHttpHeaderTimeout;
  std::chrono::milliseconds http_body_timeout = kHttpBodyTimeout;
  std::chrono::milliseconds http_idle_timeout = kHttpIdleTimeout;
  size_t rpc_message_bytes = kMaxRpcMessageBytes;
  std::chrono::milliseconds drain_timeout = kDrainTimeout;
};

struct TlsConfig {
  TlsMaterial material;
  bool http = true;  // which listeners use it
  bool grpc = true;
};

struct LogConfig {
  LogLevel level = LogLevel::kInfo;
  std::optional<LoggerOptions::Format> format;  // unset: JSON, except on a terminal
};

struct Config {
  std::filesystem::path file;      // empty: made without a file
  std::filesystem::path data_dir;  // empty: a temporary folder
  HostPort http{"127.0.0.1", 8080};
  HostPort grpc{"127.0.0.1", 9090};
  RunMode mode = RunMode::kDryRun;
  std::filesystem::path packs_dir;  // empty: see packs_dir.h
  std::map<std::string, ForgeConfig, std::less<>> forges;
  ProxyConfig proxy;                           // between us and the forges
  std::vector<RepositoryConfig> repositories;  // first match wins
  CommandSettings commands;                    // of repositories that say nothing else
  std::vector<ScheduleConfig> schedules;
  std::vector<TokenEntry> tokens;
  bool allow_anonymous_loopback = false;
  DispatchConfig dispatch;
  LimitsConfig limits;
  RetentionConfig retention;
  std::optional<TlsConfig> tls;
  LogConfig log;
  std::shared_ptr<const chat::ChatConfig> chat;  // null: no platform

  // What is allowed but probably not meant; one sentence each.
  std::vector<std::string> warnings;

  // Other names of the repositories, as they become known.
  std::shared_ptr<RepositoryAliases> aliases = std::make_shared<RepositoryAliases>();

  // The entry that holds for a repository (names are compared without case, as forges do), by its name or by the one
  // that it had when the configuration was written; nullptr if there is none.
  const RepositoryConfig* FindRepository(std::string_view forge, std::string_view repository) const;
  // The narrower of the daemon's and the repository's mode.
  RunMode ModeFor(const RepositoryConfig* repository) const;
  // Every secret, for the redactor.
  void ForEachSecret(const std::function<void(const Secret&)>& visit) const;
};

// Where secrets come from.
struct ConfigOptions {
  // Value of an environment variable, nullopt if not set; null = the process's environment.
  std::function<std::optional<std::string>(const std::string& name)> getenv;
  // The forges that may be configured.
  ForgeProfiles forges = ShippedForges();
  // What "run" of a schedule may say → the job's name, which differs where the word is an old one; empty: any word.
  std::map<std::string, std::string> jobs;
  // False: secrets are checked in form only and stay empty (checking a config on another machine).
  bool resolve_secrets = true;
};

// Reads and checks a config file. Returns nullopt and all problems if there was any.
std::optional<Config> LoadConfig(const std::filesystem::path& file, Problems& problems,
                                 const ConfigOptions& options = {});

// The same for a text. `file` is used in problems; relative paths count from `folder`.
std::optional<Config> ParseConfig(const std::filesystem::path& file, std::string_view text,
                                  const std::filesystem::path& folder, Problems& problems,
                                  const ConfigOptions& options = {});

// What the daemon runs with when no file is given: loopback, dry run, shipped packs, no forge; an anonymous caller on
// loopback is a viewer.
Config DefaultConfig();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CONFIG_CONFIG_H_
