#include "services/core/config/config.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "clients/forge/profile.h"
#include "services/core/absl_view.h"
#include "services/core/config/chat_settings.h"
#include "services/core/cron.h"
#include "services/core/files.h"
#include "services/core/json_document.h"
#include "services/core/json_reader.h"
#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

// Names of packs, schedules, tokens and the like: what may stand in logs, metrics and paths.
bool IsIdentifier(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text[0] != '.' && text[0] != '-' &&
         absl::c_all_of(text, IsNameCharacter);
}

bool IsEnvironmentName(std::string_view text) {
  return !text.empty() && text.size() <= 256 && !(text[0] >= '0' && text[0] <= '9') && absl::c_all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Reads the sections of one document into a Config.
class ConfigParser {
 public:
  ConfigParser(const JsonDocument& document, const fs::path& file, fs::path folder, Problems& problems,
               const ConfigOptions& options)
      : context_{document, problems}, folder_(std::move(folder)), options_(options) {
    config_.file = file;
  }

  Config Parse(const nlohmann::json& root);

 private:
  void ParseListen(JsonPlace place);
  void ParseForge(const ForgeProfile& profile, JsonPlace place);
  void ParseApp(JsonPlace place, ForgeConfig& forge);
  void ParseBudget(JsonPlace place, ForgeBudget& budget);
  void ParseWebhookSecret(const JsonPlace& place, ForgeConfig& forge);
  void ParseHook(JsonPlace place, ForgeConfig& forge);
  void ParseRepository(const JsonPlace& place);
  std::optional<ShadowConfig> ReadShadow(ObjectReader& reader, const std::string& text,
                                         const std::vector<std::string>& packs);
  std::string ReadJob(ObjectReader& reader, const std::string& word);
  void ParseSchedule(JsonPlace place);
  // When exactly, how long, and what the job wants to know besides.
  void ParseScheduleExtras(ObjectReader& reader, ScheduleConfig& schedule);
  void ParseToken(JsonPlace place);
  void ParseLimits(JsonPlace place);
  void ParseRetention(JsonPlace place);
  void ParseTls(JsonPlace place);
  void ParseProxy(JsonPlace place);
  void ParseLog(JsonPlace place);
  void ParseChat(const JsonPlace& place);
  void CheckAsAWhole();

  // A secret: {"env": NAME} or {"file": PATH}. `extra` may ask for further members of the same object.
  Secret ParseSecret(const JsonPlace& place, const std::function<void(ObjectReader&)>& extra = nullptr);
  std::optional<Secret> ResolveEnvironment(const std::string& name, const std::string& pointer);
  std::optional<std::string> ReadFile(const std::string& text, const std::string& pointer, size_t max_bytes);

  std::optional<RunMode> ParseMode(ObjectReader& reader);
  std::optional<std::string> ParseUrlMember(ObjectReader& reader, std::string_view key, bool git);
  std::optional<HostPort> ParseAddress(ObjectReader& reader, std::string_view key);
  void ParseMillis(ObjectReader& reader, std::string_view key, int64_t low, int64_t high,
                   std::chrono::milliseconds& out);
  void ParseDays(ObjectReader& reader, std::string_view key, std::chrono::hours& out);
  void ParseSize(ObjectReader& reader, std::string_view key, int64_t low, int64_t high, size_t& out);
  fs::path Resolve(const std::string& text) const {
    return (folder_ / text).lexically_normal();  // an absolute text replaces the folder
  }

  JsonContext context_;
  fs::path folder_;
  const ConfigOptions& options_;
  Config config_;
};

// --- Secrets and files ---

std::optional<Secret> ConfigParser::ResolveEnvironment(const std::string& name, const std::string& pointer) {
  std::optional<std::string> value;
  if (options_.getenv) {
    value = options_.getenv(name);
  } else if (const char* set = std::getenv(name.c_str()); set != nullptr) {
    value = set;
  }
  if (!value.has_value()) {
    context_.Problem(pointer, absl::StrCat("the environment variable ", name, " is not set"));
    return std::nullopt;
  }
  if (value->empty()) {
    context_.Problem(pointer, absl::StrCat("the environment variable ", name, " is empty"));
    return std::nullopt;
  }
  return Secret(*std::move(value));
}

std::optional<std::string> ConfigParser::ReadFile(const std::string& text, const std::string& pointer,
                                                  size_t max_bytes) {
  absl::StatusOr<std::string> content = ReadSmallFile(Resolve(text), max_bytes);
  if (!content.ok()) {
    context_.Problem(pointer, std::string(content.status().message()));
    return std::nullopt;
  }
  return *std::move(content);
}

Secret ConfigParser::ParseSecret(const JsonPlace& place, const std::function<void(ObjectReader&)>& extra) {
  ObjectReader reader(context_, place, "a secret: {\"env\": NAME} or {\"file\": PATH}");
  const std::optional<std::string> env = reader.String("env");
  const std::optional<std::string> file = reader.String("file");
  if (extra) extra(reader);
  reader.Finish();
  if (!place.value->is_object()) return {};
  if (reader.Has("env") == reader.Has("file")) {
    context_.Problem(place.pointer, "a secret is {\"env\": NAME} or {\"file\": PATH}, exactly one of them");
    return {};
  }
  if (env.has_value()) {
    if (!IsEnvironmentName(*env)) {
      context_.Problem(reader.PointerTo("env"),
                       "expected the name of an environment variable: letters, digits and \"_\"");
      return {};
    }
    if (!options_.resolve_secrets) return {};
    return ResolveEnvironment(*env, reader.PointerTo("env")).value_or(Secret());
  }
  if (!file.has_value() || !options_.resolve_secrets) return {};
  std::optional<std::string> content = ReadFile(*file, reader.PointerTo("file"), kMaxSecretBytes);
  if (!content.has_value()) return {};
  // Editors end a file with a newline, which is no part of the secret.
  if (content->ends_with('\n')) content->pop_back();
  if (content->ends_with('\r')) content->pop_back();
  if (content->empty()) context_.Problem(reader.PointerTo("file"), absl::StrCat("the file \"", *file, "\" is empty"));
  return Secret(*std::move(content));
}

// --- Members that several sections have ---

std::optional<RunMode> ConfigParser::ParseMode(ObjectReader& reader) {
  const std::optional<std::string> text = reader.String("mode");
  if (!text.has_value()) return std::nullopt;
  const std::optional<RunMode> mode = RunModeFromName(*text);
  if (!mode.has_value()) reader.Problem("mode", "expected \"dry-run\" or \"apply\"");
  return mode;
}

std::optional<HostPort> ConfigParser::ParseAddress(ObjectReader& reader, std::string_view key) {
  const std::optional<std::string> text = reader.String(key);
  if (!text.has_value()) return std::nullopt;
  std::optional<HostPort> address = ParseHostPort(*text);
  if (!address.has_value()) {
    reader.Problem(key, "expected HOST:PORT, for example \"127.0.0.1:8080\" or \"[::1]:8080\"");
  }
  return address;
}

std::optional<std::string> ConfigParser::ParseUrlMember(ObjectReader& reader, std::string_view key, bool git) {
  std::optional<std::string> text = reader.String(key);
  if (!text.has_value()) return std::nullopt;
  const std::optional<Url> url = ParseUrl(*text);
  const bool scheme_known =
      url.has_value() && (url->scheme == "https" || url->scheme == "http" || (git && url->scheme == "ssh"));
  if (!scheme_known) {
    reader.Problem(
        key, git ? "expected a URL: https:// or ssh://, host, and perhaps port and path; no user name and no query"
                 : "expected a URL: https://, host, and perhaps port and path; no user name and no query");
    return std::nullopt;
  }
  // A token on a plain connection can be read on the way.
  if (url->scheme == "http" && !IsLoopbackHost(url->host)) {
    reader.Problem(key, "plain http:// is accepted for loopback only (127.0.0.1, ::1, localhost): expected https://");
    return std::nullopt;
  }
  while (text->ends_with('/')) text->pop_back();
  return text;
}

void ConfigParser::ParseMillis(ObjectReader& reader, std::string_view key, int64_t low, int64_t high,
                               std::chrono::milliseconds& out) {
  const std::optional<int64_t> value = reader.Integer(key, low, high);
  if (value.has_value()) out = std::chrono::milliseconds(*value);
}

void ConfigParser::ParseDays(ObjectReader& reader, std::string_view key, std::chrono::hours& out) {
  const std::optional<int64_t> value = reader.Integer(key, 1, 36'500);
  if (value.has_value()) out = std::chrono::hours(*value * 24);
}

void ConfigParser::ParseSize(ObjectReader& reader, std::string_view key, int64_t low, int64_t high, size_t& out) {
  const std::optional<int64_t> value = reader.Integer(key, low, high);
  if (value.has_value()) out = static_cast<size_t>(*value);
}

// --- Sections ---

void ConfigParser::ParseListen(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "listen");
  if (auto http = ParseAddress(reader, "http")) config_.http = *std::move(http);
  if (auto grpc = ParseAddress(reader, "grpc")) config_.grpc = *std::move(grpc);
  reader.Finish();
  if (config_.http.port != 0 && config_.http.port == config_.grpc.port && config_.http.host == config_.grpc.host) {
    context_.Problem(reader.pointer(),
                     absl::StrCat("both listeners are at ", config_.http.ToString(), ": expected different ports"));
  }
}

void ConfigParser::ParseApp(JsonPlace place, ForgeConfig& forge) {
  ObjectReader reader(context_, std::move(place), "an app");
  ForgeApp app;
  for (auto [key, target] : {std::pair{"id", &app.id}, std::pair{"installation", &app.installation}}) {
    if (!reader.Has(key)) reader.Missing(key, "the number that the forge shows");
    if (auto id = reader.Id(key)) *target = *std::move(id);
  }
  if (auto key = reader.Any("private_key")) {
    const size_t problems_before = context_.problems.size();
    app.private_key = ParseSecret(*key);
    if (options_.resolve_secrets && context_.problems.size() == problems_before) {
      const absl::Status valid = ValidatePrivateKey(app.private_key, "private_key");
      if (!valid.ok()) context_.Problem(key->pointer, std::string(valid.message()));
    }
  } else {
    reader.Missing("private_key", "{\"file\": PATH} or {\"env\": NAME}");
  }
  reader.Finish();
  forge.app = std::move(app);
}

void ConfigParser::ParseBudget(JsonPlace place, ForgeBudget& budget) {
  ObjectReader reader(context_, std::move(place), "a budget");
  const auto read = [&](const char* key, int64_t low, int64_t high, std::optional<uint32_t>& out) {
    if (auto value = reader.Integer(key, low, high)) out = static_cast<uint32_t>(*value);
  };
  read("mutations_per_minute", 1, 100'000, budget.mutations_per_minute);
  read("mutations_per_hour", 1, 1'000'000, budget.mutations_per_hour);
  read("spacing_ms", 0, 600'000, budget.spacing_ms);
  read("requests_per_minute", 1, 1'000'000, budget.requests_per_minute);
  reader.Finish();
}

void ConfigParser::ParseWebhookSecret(const JsonPlace& place, ForgeConfig& forge) {
  WebhookSecret secret;
  secret.secret = ParseSecret(place, [&](ObjectReader& reader) {
    for (const JsonPlace& element : reader.Strings("repositories")) {
      const std::string& repository = element.value->get_ref<const std::string&>();
      if (!IsRepositoryPattern(repository)) {
        context_.Problem(element.pointer, "expected a repository: \"owner/name\" or \"owner/*\"");
      }
      secret.repositories.push_back(repository);
    }
    // An empty list is not "no list": it would let the secret open nothing.
    if (reader.Has("repositories") && secret.repositories.empty()) {
      reader.Problem("repositories", "expected at least one repository; leave the key out for all of this forge");
    }
  });
  forge.webhook_secrets.push_back(std::move(secret));
}

void ConfigParser::ParseHook(JsonPlace place, ForgeConfig& forge) {
  ObjectReader reader(context_, std::move(place), "a hook");
  ForgeHook hook;
  if (auto repository = reader.RequiredString("repository")) {
    if (!IsRepositoryName(*repository)) {
      reader.Problem("repository", "expected a repository: \"owner/name\"");
    }
    hook.repository = *std::move(repository);
  }
  if (!reader.Has("id")) reader.Missing("id", "the hook's number");
  if (auto id = reader.Id("id")) hook.id = *std::move(id);
  reader.Finish();
  forge.hooks.push_back(std::move(hook));
}

void ConfigParser::ParseForge(const ForgeProfile& profile, JsonPlace place) {
  ForgeConfig forge;
  forge.name = profile.name;
  forge.profile = &profile;
  forge.api_url = profile.api_url;
  ObjectReader reader(context_, std::move(place), "a forge");
  if (auto url = ParseUrlMember(reader, "api_url", /*git=*/false)) forge.api_url = *std::move(url);
  if (auto url = ParseUrlMember(reader, "git_url", /*git=*/true)) forge.git_url = *std::move(url);
  if (auto login = reader.String("bot_login")) {
    // GitHub writes app accounts as "name[bot]".
    std::string_view bare = *login;
    if (bare.ends_with("[bot]")) bare.remove_suffix(5);
    if (!IsNamePart(bare)) reader.Problem("bot_login", "expected a login");
    forge.bot_login = *std::move(login);
  }
  if (auto token = reader.Any("token")) forge.token = ParseSecret(*token);
  if (auto app = reader.Any("app")) ParseApp(*app, forge);
  if (reader.Has("token") && reader.Has("app")) {
    reader.Problem("app", "a forge has a \"token\" or an \"app\", not both");
  }
  if (reader.Has("app") && profile.app_credentials == nullptr) {
    reader.Problem("app", absl::StrCat(forge.name, " has no apps: expected \"token\""));
  }
  reader.Each("webhook_secrets", [&](const JsonPlace& element) { ParseWebhookSecret(element, forge); });
  if (auto accept = reader.Bool("accept_plain_token")) forge.accept_plain_token = *accept;
  if (forge.accept_plain_token && profile.webhooks.token_header.empty()) {
    reader.Problem("accept_plain_token",
                   absl::StrCat(forge.name, " signs every delivery: expected false or no such key"));
  }
  if (auto budget = reader.Object("budget")) ParseBudget(*budget, forge.budget);
  if (reader.Has("settle_ms")) {
    forge.settle.clear();
    int64_t previous = 0;
    reader.Each("settle_ms", [&](const JsonPlace& element) {
      const bool integer = element.value->is_number_integer();
      const int64_t value = integer ? element.value->get<int64_t>() : 0;
      if (!integer || value <= previous || value > 3'600'000) {
        context_.Problem(element.pointer, "expected milliseconds in ascending order, above 0 and at most 3600000");
        return;
      }
      previous = value;
      forge.settle.emplace_back(value);
    });
    if (forge.settle.empty() || forge.settle.size() > 10) {
      reader.Problem("settle_ms", "expected 1 to 10 times in milliseconds");
    }
  }
  ParseMillis(reader, "timeout_ms", 100, 600'000, forge.timeout);
  reader.Each("hooks", [&](JsonPlace element) { ParseHook(std::move(element), forge); });
  reader.Finish();
  config_.forges.emplace(forge.name, std::move(forge));
}

std::optional<ShadowConfig> ConfigParser::ReadShadow(ObjectReader& reader, const std::string& text,
                                                     const std::vector<std::string>& packs) {
  const size_t at = text.find('@');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    reader.Problem("shadow", "expected PACK@PATH: one of \"packs\", and the folder that holds its other revision");
    return std::nullopt;
  }
  ShadowConfig shadow;
  shadow.pack = text.substr(0, at);
  shadow.folder = Resolve(text.substr(at + 1));
  shadow.pointer = reader.PointerTo("shadow");
  shadow.line = context_.document.PositionOf(shadow.pointer).line;
  if (!absl::c_linear_search(packs, shadow.pack)) {
    reader.Problem("shadow", absl::StrCat("the pack \"", shadow.pack, "\" is none of the repository's \"packs\""));
    return std::nullopt;
  }
  return shadow;
}

void ConfigParser::ParseRepository(const JsonPlace& place) {
  RepositoryConfig entry;
  ObjectReader reader(context_, place, "a repository");
  if (auto forge = reader.RequiredString("forge")) {
    if (config_.forges.find(*forge) == config_.forges.end()) {
      reader.Problem("forge", "this forge is not configured: expected one of the keys of \"forges\"");
    }
    entry.forge = *std::move(forge);
  }
  if (auto repository = reader.RequiredString("repository")) {
    if (!IsRepositoryPattern(*repository)) {
      reader.Problem("repository", "expected a repository: \"owner/name\" or \"owner/*\"");
    }
    entry.repository = *std::move(repository);
    entry.line = context_.document.PositionOf(place.pointer + "/repository").line;
  }
  std::set<std::string> seen;
  for (const JsonPlace& element : reader.Strings("packs")) {
    const std::string& pack = element.value->get_ref<const std::string&>();
    if (!IsIdentifier(pack)) {
      context_.Problem(element.pointer, "expected the name of a pack");
    } else if (!seen.insert(pack).second) {
      context_.Problem(element.pointer, absl::StrCat("the pack \"", pack, "\" is named twice"));
    }
    entry.packs.push_back(pack);
    entry.pack_lines.push_back(context_.document.PositionOf(element.pointer).line);
  }
  if (auto shadow = reader.String("shadow")) entry.shadow = ReadShadow(reader, *shadow, entry.packs);
  entry.mode = ParseMode(reader);
  if (reader.Bool("file_for_events").has_value()) {
    config_.warnings.push_back(absl::StrCat(place.pointer,
                                            "/file_for_events does nothing any more: the repository's "
                                            "own file holds for events, too"));
  }
  entry.commands = MergeCommandSettings(ReadCommandSettings(reader, /*bounds=*/true), config_.commands);
  entry.review = ReadReviewConfig(reader);
  reader.Finish();

  for (size_t i = 0; i < config_.repositories.size(); ++i) {
    const RepositoryConfig& earlier = config_.repositories[i];
    if (entry.repository.empty() || earlier.forge != entry.forge) continue;
    if (absl::EqualsIgnoreCase(earlier.repository, entry.repository)) {
      context_.Problem(place.pointer, absl::StrCat("this repository is named already, in /repositories/", i));
    } else if (RepositoryMatches(earlier.repository, entry.repository)) {
      config_.warnings.push_back(absl::StrCat(place.pointer, " is never used: /repositories/", i, " (",
                                              earlier.repository, ") matches first"));
    }
  }
  config_.repositories.push_back(std::move(entry));
}

std::string ConfigParser::ReadJob(ObjectReader& reader, const std::string& word) {
  if (options_.jobs.empty() && IsIdentifier(word)) return word;
  const auto job = options_.jobs.find(word);
  if (job != options_.jobs.end()) return job->second;
  std::set<std::string> names;
  for (const auto& [unused, name] : options_.jobs) names.insert(absl::StrCat("\"", name, "\""));
  reader.Problem("run", names.empty() ? "expected what to run, for example \"sweep\""
                                      : absl::StrCat("expected ", absl::StrJoin(names, " or ")));
  return {};
}

void ConfigParser::ParseScheduleExtras(ObjectReader& reader, ScheduleConfig& schedule) {
  if (auto zone = reader.String("time_zone")) {
    absl::TimeZone known;
    if (!absl::LoadTimeZone(*zone, &known)) {
      reader.Problem("time_zone", absl::StrCat("the system knows no time zone \"", *zone,
                                               "\": expected a name like \"Europe/Berlin\" (package tzdata)"));
    }
    schedule.time_zone = *std::move(zone);
  }
  schedule.jitter = std::chrono::seconds(reader.Integer("jitter_seconds", 0, 24 * 3600).value_or(0));
  schedule.limit =
      std::chrono::minutes(reader.Integer("limit_minutes", 1, 7 * 24 * 60).value_or(kScheduleLimit.count()));
  schedule.issue = reader.Integer("issue", 1, std::numeric_limits<int64_t>::max()).value_or(0);
  if (schedule.issue > 0 && (schedule.repository.empty() || schedule.repository.ends_with("/*"))) {
    reader.Problem("issue", "an issue belongs to one repository: name it in \"repository\"");
  }
  schedule.language = reader.String("language").value_or("");
  if (!schedule.language.empty() && schedule.language != "en" && schedule.language != "zh") {
    reader.Problem("language", "expected \"en\" or \"zh\"");
  }
  schedule.days = reader.Integer("days", 1, 365).value_or(0);
  schedule.issues = reader.Integer("issues", 1, 2'000).value_or(0);
  if (auto pack = reader.String("pack")) {
    const size_t at = pack->find('@');
    schedule.pack = pack->substr(0, at);
    if (at != std::string::npos) schedule.pack_folder = Resolve(pack->substr(at + 1));
    if (!IsIdentifier(schedule.pack) || (at != std::string::npos && at + 1 == pack->size())) {
      reader.Problem("pack", "expected PACK, or PACK@FOLDER for the packs of another folder");
    }
  }
  if (auto chat = reader.String("chat")) {
    const size_t colon = chat->find(':');
    schedule.chat_platform = chat->substr(0, colon);
    schedule.chat_channel = colon == std::string::npos ? "" : chat->substr(colon + 1);
    if (schedule.chat_channel.empty()) {
      reader.Problem("chat", "expected PLATFORM:CHANNEL, for example \"slack:C0123456\"");
    }
  }
}

void ConfigParser::ParseSchedule(JsonPlace place) {
  ScheduleConfig schedule;
  ObjectReader reader(context_, std::move(place), "a schedule");
  if (auto name = reader.RequiredString("name")) {
    const bool taken =
        absl::c_any_of(config_.schedules, [&](const ScheduleConfig& other) { return other.name == *name; });
    if (!IsIdentifier(*name)) {
      reader.Problem("name", "expected a name of letters, digits, \".\", \"_\" and \"-\"");
    } else if (taken) {
      reader.Problem("name", absl::StrCat("the name \"", *name, "\" is taken by another schedule"));
    }
    schedule.name = *std::move(name);
  }
  if (auto cron = reader.RequiredString("cron")) {
    std::string error;
    if (!CronExpression::Parse(*cron, error).has_value()) reader.Problem("cron", std::move(error));
    schedule.cron = *std::move(cron);
  }
  if (auto run = reader.RequiredString("run")) {
    schedule.run = ReadJob(reader, *run);
  }
  if (auto repository = reader.String("repository")) {
    const size_t colon = repository->find(':');
    const std::string forge = repository->substr(0, colon == std::string::npos ? 0 : colon);
    const std::string name = colon == std::string::npos ? "" : repository->substr(colon + 1);
    if (!IsRepositoryPattern(name)) {
      reader.Problem("repository", "expected FORGE:OWNER/NAME, for example \"github:pytorch/pytorch\"");
    } else if (config_.forges.find(forge) == config_.forges.end()) {
      reader.Problem("repository", absl::StrCat("the forge \"", forge,
                                                "\" is not configured: expected one of the keys of \"forges\""));
    }
    schedule.forge = forge;
    schedule.repository = name;
  }
  ParseScheduleExtras(reader, schedule);
  reader.Finish();
  config_.schedules.push_back(std::move(schedule));
}

void ConfigParser::ParseToken(JsonPlace place) {
  TokenEntry token;
  ObjectReader reader(context_, std::move(place), "a token");
  if (auto name = reader.RequiredString("name")) {
    const bool taken = absl::c_any_of(config_.tokens, [&](const TokenEntry& other) { return other.name == *name; });
    if (!IsIdentifier(*name)) {
      reader.Problem("name", "expected a name of letters, digits, \".\", \"_\" and \"-\"");
    } else if (taken) {
      reader.Problem("name", absl::StrCat("the name \"", *name, "\" is taken by another token"));
    }
    token.name = *std::move(name);
  }
  if (auto text = reader.RequiredString("role")) {
    const std::optional<Role> role = RoleFromName(*text);
    if (!role.has_value()) reader.Problem("role", "expected \"viewer\", \"operator\", \"admin\" or \"runner\"");
    token.role = role.value_or(Role::kViewer);
  }
  if (token.role != Role::kRunner && (reader.Has("runners") || reader.Has("pool"))) {
    reader.Problem(reader.Has("runners") ? "runners" : "pool", "only tokens of the role \"runner\" have this");
  }
  for (const JsonPlace& name : reader.Strings("runners")) token.runner.names.push_back(name.value->get<std::string>());
  if (auto pool = reader.String("pool")) {
    if (*pool != "trusted" && *pool != "untrusted") reader.Problem("pool", "expected \"trusted\" or \"untrusted\"");
    token.runner.pool = *std::move(pool);
  }
  if (auto secret = reader.Any("secret")) {
    token.secret = ParseSecret(*secret);
    const std::string& value = token.secret.Reveal();
    // What metadata can't carry would never match.
    if (absl::c_any_of(value, [](char c) { return c <= 0x20 || c >= 0x7f; })) {
      context_.Problem(secret->pointer, "a token is printable ASCII without blanks");
    }
    for (const TokenEntry& other : config_.tokens) {
      if (!value.empty() && other.secret.Reveal() == value) {
        context_.Problem(secret->pointer, absl::StrCat("this is also the secret of the token \"", other.name,
                                                       "\": each token needs its own"));
      }
    }
    if (!value.empty() && value.size() < 16) {
      config_.warnings.push_back(
          absl::StrCat("the token \"", token.name, "\" has fewer than 16 characters: it can be guessed"));
    }
  } else {
    reader.Missing("secret", "{\"env\": NAME} or {\"file\": PATH}");
  }
  reader.Finish();
  config_.tokens.push_back(std::move(token));
}

void ConfigParser::ParseLimits(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "limits");
  LimitsConfig& limits = config_.limits;
  constexpr int64_t kMebi = 1024 * 1024;
  ParseSize(reader, "http_connections", 1, 100'000, limits.http_connections);
  ParseSize(reader, "http_header_bytes", 1024, kMebi, limits.http_header_bytes);
  ParseSize(reader, "http_body_bytes", 1024, kMostHttpBodyBytes, limits.http_body_bytes);
  ParseMillis(reader, "http_header_timeout_ms", 100, 600'000, limits.http_header_timeout);
  ParseMillis(reader, "http_body_timeout_ms", 100, 600'000, limits.http_body_timeout);
  ParseMillis(reader, "http_idle_timeout_ms", 100, 3'600'000, limits.http_idle_timeout);
  ParseSize(reader, "rpc_message_bytes", 64 * 1024, 64 * kMebi, limits.rpc_message_bytes);
  ParseMillis(reader, "drain_timeout_ms", 100, 3'600'000, limits.drain_timeout);
  reader.Finish();
}

void ConfigParser::ParseRetention(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "retention");
  RetentionConfig& retention = config_.retention;
  ParseDays(reader, "bodies_days", retention.bodies);
  if (auto bytes = reader.Integer("bodies_bytes", 1024 * 1024, int64_t{1} << 50)) {
    retention.bodies_bytes = static_cast<uint64_t>(*bytes);
  }
  ParseDays(reader, "digests_days", retention.digests);
  ParseDays(reader, "decisions_days", retention.decisions);
  ParseDays(reader, "ledger_days", retention.ledger);
  ParseDays(reader, "jobs_days", retention.jobs);
  reader.Finish();
}

void ConfigParser::ParseProxy(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "the proxy");
  ProxyConfig& proxy = config_.proxy;
  if (!reader.Has("url")) reader.Missing("url", "http://HOST:PORT, or \"\" for none");
  if (auto url = reader.Any("url")) {
    proxy.url = url->value->is_string() ? url->value->get<std::string>() : "?";
    const std::optional<Url> parsed = ParseUrl(*proxy.url);
    if (!proxy.url->empty() && (!parsed.has_value() || (parsed->scheme != "http" && parsed->scheme != "https"))) {
      reader.Problem("url",
                     "expected http://HOST:PORT or https://HOST:PORT, or \"\" for none; a name and a password "
                     "have keys of their own");
    }
  }
  for (const JsonPlace& host : reader.Strings("no_proxy")) {
    proxy.no_proxy.push_back(host.value->get<std::string>());
    if (proxy.no_proxy.back().find_first_of(", \t\r\n") != std::string::npos) {
      context_.Problem(host.pointer, "expected one host, or a domain with a dot in front");
    }
  }
  proxy.user = reader.String("user").value_or("");
  if (auto password = reader.Any("password")) proxy.password = ParseSecret(*password);
  reader.Finish();
}

void ConfigParser::ParseTls(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "tls");
  TlsConfig tls;
  const size_t problems_before = context_.problems.size();
  const auto read_certificates = [&](std::string_view key, std::string& out) {
    const std::optional<std::string> path = reader.String(key);
    if (!path.has_value() || !options_.resolve_secrets) return;
    std::optional<std::string> pem = ReadFile(*path, reader.PointerTo(key), kMaxPemBytes);
    if (!pem.has_value()) return;
    const absl::Status valid = ValidateCertificateChain(*pem, *path);
    if (!valid.ok()) reader.Problem(key, std::string(valid.message()));
    out = *std::move(pem);
  };
  if (!reader.Has("certificate"))
    reader.Missing("certificate", "the path of a PEM file with the server's certificate chain");
  read_certificates("certificate", tls.material.certificate_chain);
  if (auto key = reader.Any("key")) {
    tls.material.private_key = ParseSecret(*key);
    if (!tls.material.private_key.empty()) {
      const absl::Status valid = ValidatePrivateKey(tls.material.private_key, "key");
      if (!valid.ok()) context_.Problem(key->pointer, std::string(valid.message()));
    }
  } else {
    reader.Missing("key", "the certificate's private key: {\"file\": PATH} or {\"env\": NAME}");
  }
  read_certificates("client_ca", tls.material.client_ca);
  if (reader.Has("listeners")) {
    tls.http = false;
    tls.grpc = false;
    for (const JsonPlace& element : reader.Strings("listeners")) {
      const std::string& name = element.value->get_ref<const std::string&>();
      if (name == "http") {
        tls.http = true;
      } else if (name == "grpc") {
        tls.grpc = true;
      } else {
        context_.Problem(element.pointer, "expected \"http\" or \"grpc\"");
      }
    }
  }
  // known to Finish
  reader.Any("listeners");
  reader.Finish();
  if (context_.problems.size() == problems_before && options_.resolve_secrets) {
    const absl::Status fits = ValidateKeyFitsCertificate(tls.material, "certificate");
    if (!fits.ok()) context_.Problem(reader.PointerTo("key"), std::string(fits.message()));
  }
  config_.tls = std::move(tls);
}

void ConfigParser::ParseLog(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "log");
  if (auto level = reader.String("level")) {
    const std::optional<LogLevel> known = LogLevelFromName(*level);
    if (!known.has_value()) reader.Problem("level", "expected \"debug\", \"info\", \"warning\" or \"error\"");
    config_.log.level = known.value_or(LogLevel::kInfo);
  }
  if (auto format = reader.String("format")) {
    if (*format == "json") {
      config_.log.format = LoggerOptions::Format::kJson;
    } else if (*format == "human") {
      config_.log.format = LoggerOptions::Format::kHuman;
    } else {
      reader.Problem("format", "expected \"json\" or \"human\"");
    }
  }
  reader.Finish();
}

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

}  // namespace

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

std::optional<Config> ParseConfig(const fs::path& file, std::string_view text, const fs::path& folder,
                                  Problems& problems, const ConfigOptions& options) {
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

std::optional<Config> LoadConfig(const fs::path& file, Problems& problems, const ConfigOptions& options) {
  const absl::StatusOr<std::string> text = ReadSmallFile(file, kMaxConfigBytes);
  if (!text.ok()) {
    problems.push_back({file.string(), "", 0, 0, std::string(text.status().message())});
    return std::nullopt;
  }
  std::error_code error;
  fs::path folder = fs::absolute(file, error).parent_path();
  return ParseConfig(file, *text, folder, problems, options);
}

Config DefaultConfig() {
  Config config;
  config.allow_anonymous_loopback = true;
  return config;
}

}  // namespace yardmaster
