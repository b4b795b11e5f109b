#include "services/core/config/config.h"

#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/absl_view.h"
#include "services/core/config/chat_settings.h"
#include "services/core/config/config_parser.h"
#include "services/core/files.h"
#include "services/core/repository_name.h"

namespace yardmaster {

void ConfigParser::ParseChat(const JsonPlace& place) {
  const ChatSettingsReaders readers = {
      [this](const JsonPlace& secret) { return ParseSecret(secret); },
      [this](ObjectReader& reader, std::string_view key) { return ParseUrlMember(reader, key, /*git=*/false); },
      [this](const std::string& forge) -> std::string {
        if (config_.forges.find(forge) != config_.forges.end()) return {};
        return absl::StrCat("the forge \"", forge, "\" is not configured: expected one of the keys of \"forges\"");
      },
      [this](const std::string& forge, const std::string& repository) {
        const RepositoryConfig* entry = config_.FindRepository(forge, repository);
        return entry != nullptr && !entry->packs.empty();
      },
      [this](std::string warning) { config_.warnings.push_back(std::move(warning)); }};
  config_.chat = std::make_shared<const chat::ChatConfig>(ReadChatSettings(context_, place, readers));
}

void ConfigParser::CheckAsAWhole() {
  for (size_t i = 0; i < config_.schedules.size(); ++i) {
    const ScheduleConfig& schedule = config_.schedules[i];
    if (schedule.chat_channel.empty()) continue;
    const auto* const platforms = config_.chat == nullptr ? nullptr : &config_.chat->platforms;
    const auto platform =
        platforms == nullptr ? decltype(platforms->find("")){} : platforms->find(schedule.chat_platform);
    if (platforms == nullptr || platform == platforms->end() ||
        !platform->second.channels.contains(schedule.chat_channel)) {
      context_.Problem(absl::StrCat("/schedules/", i, "/chat"),
                       "the channel is not configured: expected one of those in \"chat\"");
    }
  }
  const bool grpc_tls = config_.tls.has_value() && config_.tls->grpc;
  if (!config_.tokens.empty() && !grpc_tls && !IsLoopbackHost(config_.grpc.host)) {
    config_.warnings.push_back(
        absl::StrCat("gRPC listens on ", config_.grpc.ToString(), " without TLS: tokens cross the network in clear"));
  }
  if (config_.tokens.empty() && !config_.allow_anonymous_loopback) {
    config_.warnings.emplace_back(
        "there are no tokens and allow_anonymous_loopback is false: every call but health and reflection is refused");
  }
}

Config ConfigParser::Parse(const nlohmann::json& root) {
  ObjectReader reader(context_, {&root, ""}, "the configuration");
  reader.Any("$schema");
  config_.data_dir = Resolve(reader.String("data_dir").value_or("data"));
  if (auto listen = reader.Any("listen")) ParseListen(*listen);
  if (auto mode = ParseMode(reader)) config_.mode = *mode;
  if (auto packs_dir = reader.String("packs_dir")) config_.packs_dir = Resolve(*packs_dir);
  if (auto forges = reader.Object("forges")) {
    for (const auto& [name, value] : forges->value->items()) {
      const std::string pointer = PointerJoin(forges->pointer, name);
      if (const ForgeProfile* profile = FindForge(options_.forges, name); profile != nullptr) {
        ParseForge(*profile, {&value, pointer});
        continue;
      }
      const std::string known = absl::StrJoin(
          options_.forges, " or ",
          [](std::string* out, const ForgeProfile* profile) { absl::StrAppend(out, "\"", Abs(profile->name), "\""); });
      context_.Problem(pointer, absl::StrCat("unknown forge: expected ", known));
    }
  }
  // After the forges, which they name.
  config_.commands = ReadCommandSettings(reader, /*bounds=*/true);
  reader.Each("repositories", [&](const JsonPlace& element) { ParseRepository(element); });
  reader.Each("schedules", [&](JsonPlace element) { ParseSchedule(std::move(element)); });
  reader.Each("tokens", [&](JsonPlace element) { ParseToken(std::move(element)); });
  if (auto allow = reader.Bool("allow_anonymous_loopback")) config_.allow_anonymous_loopback = *allow;
  config_.dispatch = ReadDispatchConfig(reader);
  if (auto limits = reader.Object("limits")) ParseLimits(*limits);
  if (auto retention = reader.Object("retention")) ParseRetention(*retention);
  if (auto tls = reader.Object("tls")) ParseTls(*tls);
  if (auto proxy = reader.Object("proxy")) ParseProxy(*proxy);
  if (auto log = reader.Object("log")) ParseLog(*log);
  if (auto chat = reader.Object("chat")) ParseChat(*chat);
  reader.Finish();
  CheckAsAWhole();
  return std::move(config_);
}

std::string_view RunModeName(RunMode mode) { return mode == RunMode::kApply ? "apply" : "dry-run"; }

std::optional<RunMode> RunModeFromName(std::string_view name) {
  if (name == "dry-run") return RunMode::kDryRun;
  if (name == "apply") return RunMode::kApply;
  return std::nullopt;
}

RunMode Stricter(RunMode a, RunMode b) { return a == RunMode::kApply && b == RunMode::kApply ? a : RunMode::kDryRun; }

const RepositoryConfig* Config::FindRepository(std::string_view forge, std::string_view repository) const {
  const auto find = [&](std::string_view name) {
    const auto entry = absl::c_find_if(repositories, [&](const RepositoryConfig& one) {
      return one.forge == forge && RepositoryMatches(one.repository, name);
    });
    return entry == repositories.end() ? nullptr : &*entry;
  };
  if (const RepositoryConfig* entry = find(repository); entry != nullptr) return entry;
  const std::string configured = aliases->ConfiguredName(forge, repository);
  return configured.empty() ? nullptr : find(configured);
}

RunMode Config::ModeFor(const RepositoryConfig* repository) const {
  return repository == nullptr ? mode : Stricter(mode, repository->mode.value_or(mode));
}

void Config::ForEachSecret(const std::function<void(const Secret&)>& visit) const {
  for (const auto& [name, forge] : forges) {
    visit(forge.token);
    if (forge.app.has_value()) visit(forge.app->private_key);
    for (const WebhookSecret& secret : forge.webhook_secrets) visit(secret.secret);
  }
  for (const TokenEntry& token : tokens) visit(token.secret);
  if (tls.has_value()) visit(tls->material.private_key);
  if (!proxy.password.empty()) visit(proxy.password);
  if (chat == nullptr) return;
  for (const auto& [platform, config] : chat->platforms) {
    for (const auto& [key, secret] : config.secrets) visit(secret);
  }
}

std::optional<Config> ParseConfig(const std::filesystem::path& file, std::string_view text,
                                  const std::filesystem::path& folder, Problems& problems,
                                  const ConfigOptions& options) {
  Problems found;
  JsonLimits limits;
  limits.max_bytes = kMaxConfigBytes;
  limits.max_depth = kMaxConfigDepth;
  const std::optional<JsonDocument> document = JsonDocument::Parse(file.string(), text, limits, found);
  std::optional<Config> config;
  // A document with duplicate keys only is still looked through, if the parser could make one.
  if (document.has_value()) config = ConfigParser(*document, file, folder, found, options).Parse(document->value());
  if (found.empty()) return config;
  SortProblems(found);
  problems.insert(problems.end(), found.begin(), found.end());
  return std::nullopt;
}

std::optional<Config> LoadConfig(const std::filesystem::path& file, Problems& problems, const ConfigOptions& options) {
  const absl::StatusOr<std::string> text = ReadSmallFile(file, kMaxConfigBytes);
  if (!text.ok()) {
    problems.push_back({file.string(), "", 0, 0, std::string(text.status().message())});
    return std::nullopt;
  }
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(file, error).parent_path();
  return ParseConfig(file, *text, folder, problems, options);
}

Config DefaultConfig() {
  Config config;
  config.allow_anonymous_loopback = true;
  return config;
}

}  // namespace yardmaster
