#include "clients/cli/workflow_forge.h"

#include <chrono>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/files.h"
#include "clients/forge/http_curl.h"
#include "clients/forges/shipped_forges.h"
#include "clients/git/remote_url.h"
#include "services/core/absl_view.h"
#include "services/core/address.h"
#include "services/core/files.h"
#include "services/core/json_document.h"
#include "services/core/json_reader.h"
#include "services/core/status_macros.h"
#include "services/core/version.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using workflow::Result;

constexpr size_t kMaxUserConfigBytes = 1024 * 1024;
constexpr size_t kMaxUserTokenBytes = 64 * 1024;
constexpr std::chrono::minutes kForkGitLimit{30};

// What the user says about one forge.
struct UserForge {
  std::string api_url;
  std::string git_url;
  std::vector<std::string> hosts;  // HOST or HOST:PORT
  std::string token_env;
  fs::path token_file;
};
using UserForges = std::map<std::string, UserForge, std::less<>>;

UserForge ReadUserForge(const JsonContext& context, const JsonPlace& place, const fs::path& folder) {
  UserForge forge;
  ObjectReader reader(context, place, "a forge");
  forge.api_url = reader.String("api_url").value_or("");
  forge.git_url = reader.String("git_url").value_or("");
  for (const JsonPlace& host : reader.Strings("hosts")) {
    forge.hosts.push_back(absl::AsciiStrToLower(host.value->get<std::string>()));
  }
  if (const std::optional<JsonPlace> token = reader.Object("token")) {
    ObjectReader secret(context, *token, "a secret");
    forge.token_env = secret.String("env").value_or("");
    if (const std::optional<std::string> file = secret.String("file")) forge.token_file = folder / *file;
    if (forge.token_env.empty() == forge.token_file.empty()) secret.Missing("env", "either \"env\" or \"file\"");
    secret.Finish();
  }
  reader.Finish();
  return forge;
}

absl::StatusOr<UserForges> ReadUserForges(const std::string& config, const Environment& env) {
  fs::path file = config;
  if (file.empty()) {
    const std::string xdg = env.variable("XDG_CONFIG_HOME");
    file = (xdg.empty() ? fs::path(env.variable("HOME")) / ".config" : fs::path(xdg)) / "yardmaster" / "config.json";
    std::error_code error;
    if (!fs::exists(file, error)) return UserForges();
  }
  ASSIGN_OR_RETURN(const std::string text, ReadInputFile(file.string(), env, kMaxUserConfigBytes));
  Problems problems;
  UserForges forges;
  const std::optional<JsonDocument> document = JsonDocument::Parse(file.string(), text, JsonLimits(), problems);
  if (document) {
    const JsonContext context{*document, problems};
    ObjectReader reader(context, {&document->value(), ""}, "the configuration");
    if (const std::optional<JsonPlace> all = reader.Object("forges")) {
      for (const auto& [name, value] : all->value->items()) {
        const JsonPlace place{&value, PointerJoin(all->pointer, name)};
        if (FindForge(ShippedForges(), name) == nullptr) {
          context.Problem(place.pointer, "there is no such forge");
        } else {
          forges.emplace(name, ReadUserForge(context, place, file.parent_path()));
        }
      }
    }
    reader.Finish();
  }
  if (!problems.empty()) return ProblemsError("the configuration is not valid", problems);
  return forges;
}

std::string HostOfUrl(std::string_view url) {
  const std::optional<Url> parsed = ParseUrl(url);
  if (!parsed) return "";
  return parsed->port == 0 ? parsed->host : absl::StrCat(parsed->host, ":", parsed->port);
}

// nullptr: no forge has that host.
const ForgeProfile* ForgeOfHost(const RemoteRepository& remote, const UserForges& forges) {
  for (const ForgeProfile* profile : ShippedForges()) {
    std::vector<std::string> hosts = {HostOfUrl(profile->git_url)};
    if (const auto own = forges.find(profile->name); own != forges.end()) {
      hosts.insert(hosts.end(), own->second.hosts.begin(), own->second.hosts.end());
      if (!own->second.git_url.empty()) hosts.push_back(HostOfUrl(own->second.git_url));
    }
    if (absl::c_linear_search(hosts, remote.host) || absl::c_linear_search(hosts, std::string(remote.bare_host()))) {
      return profile;
    }
  }
  return nullptr;
}

// A server of one's own may have its repositories below a path.
void DropServerPath(RemoteRepository& remote, const UserForge& own) {
  const std::optional<Url> url = ParseUrl(own.git_url);
  if (!url || url->path.size() < 2) return;
  const std::string prefix = url->path.substr(1) + "/";
  if (remote.name.starts_with(prefix)) remote.name.erase(0, prefix.size());
}

// What git's credential helpers know of a host; empty: nothing.
Secret HelpersToken(GitProgram& git, const ForgeProfile& profile) {
  const std::optional<Url> url = ParseUrl(profile.git_url);
  if (!url) return Secret();
  const absl::StatusOr<GitOutput> filled =
      git.Run({"credential", "fill"}, {"GIT_ASKPASS=true", "SSH_ASKPASS=true"},
              absl::StrCat("protocol=", url->scheme, "\nhost=", url->host, "\n\n"));
  if (!filled.ok() || filled->code != 0) return Secret();
  for (absl::string_view line : absl::StrSplit(filled->out, '\n')) {
    if (absl::ConsumePrefix(&line, "password=")) return Secret(std::string(line));
  }
  return Secret();
}

absl::StatusOr<Secret> UserToken(const ForgeProfile& profile, const UserForge& own, const Environment& env,
                                 GitProgram& git) {
  if (!own.token_file.empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(own.token_file, kMaxUserTokenBytes));
    return Secret(std::string(absl::StripAsciiWhitespace(text)));
  }
  const std::string name =
      own.token_env.empty() ? absl::AsciiStrToUpper(absl::StrCat(Abs(profile.name), "_TOKEN")) : own.token_env;
  if (std::string value = env.variable(name.c_str()); !value.empty()) return Secret(std::move(value));
  return HelpersToken(git, profile);
}

// The header by which git's own requests carry the token, where the remote is reached by HTTP: in the environment of
// git, so that no list of processes shows it.
std::vector<std::string> HeaderVariables(const RemoteRepository& remote, const ForgeProfile& profile,
                                         const Secret& token) {
  const bool safe = remote.scheme == "https" || (remote.scheme == "http" && IsLoopbackHost(remote.bare_host()));
  if (!safe || token.empty()) return {};
  const std::string pair = absl::StrCat(Abs(profile.git_user), ":", token.Reveal());
  return {"GIT_CONFIG_COUNT=1",
          absl::StrCat("GIT_CONFIG_KEY_0=http.", remote.scheme, "://", remote.host, "/.extraHeader"),
          absl::StrCat("GIT_CONFIG_VALUE_0=Authorization: Basic ", absl::Base64Escape(pair))};
}

// The repository that a remote is; a refusal where it is none.
absl::StatusOr<RemoteRepository> RemoteOf(const GitRemotes& remotes, const std::string& name, std::string& fix) {
  ASSIGN_OR_RETURN(const std::string url, remotes.Url(name));
  if (url.empty()) {
    fix = name == "origin" ? "fork the repository on the forge, and clone the fork" : "git remote add upstream URL";
    return absl::NotFoundError(absl::StrCat("there is no remote \"", name, "\""));
  }
  std::optional<RemoteRepository> remote = ParseRemoteUrl(url);
  if (!remote) {
    fix = absl::StrCat("git remote set-url ", name, " URL");
    return absl::NotFoundError(
        absl::StrCat("the remote \"", name, "\" is no repository of a forge: ", WithoutCredentials(url)));
  }
  return *std::move(remote);
}

Result NoFork(std::string reason, std::string fix) {
  return workflow::Refuse(Result(), std::move(reason), std::move(fix));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConnectedFork>> ConnectFork(const fs::path& repo, const std::string& config,
                                                           const Environment& env) {
  auto connected = std::make_unique<ConnectedFork>();
  connected->git = MakeGitProgram(repo, env.variable, kForkGitLimit);
  ASSIGN_OR_RETURN(const UserForges forges, ReadUserForges(config, env));
  // 1. Where the remotes are.
  const GitRemotes plain(*connected->git, {});
  std::string fix;
  std::map<std::string, RemoteRepository> remotes;
  for (const std::string name : {"origin", "upstream"}) {
    absl::StatusOr<RemoteRepository> remote = RemoteOf(plain, name, fix);
    if (absl::IsFailedPrecondition(remote.status())) return AsUsage(remote.status());
    if (!remote.ok()) {
      connected->refused = NoFork(std::string(remote.status().message()), fix);
      return connected;
    }
    remotes.emplace(name, *std::move(remote));
  }
  RemoteRepository& upstream = remotes.at("upstream");
  const ForgeProfile* const profile = ForgeOfHost(upstream, forges);
  if (profile == nullptr || ForgeOfHost(remotes.at("origin"), forges) != profile) {
    connected->refused =
        NoFork(absl::StrCat("no forge is known for ", profile == nullptr ? upstream.host : remotes.at("origin").host,
                            profile == nullptr ? "" : ", or not that of upstream"),
               "name the host in \"forges\" of --config or $XDG_CONFIG_HOME/yardmaster/config.json");
    return connected;
  }
  // 2. The forge.
  const auto found = forges.find(profile->name);
  const UserForge own = found == forges.end() ? UserForge() : found->second;
  for (auto& [name, remote] : remotes) DropServerPath(remote, own);
  ForgeConfig settings;
  settings.name = profile->name;
  settings.profile = profile;
  settings.api_url = own.api_url.empty() ? std::string(profile->api_url) : own.api_url;
  ASSIGN_OR_RETURN(settings.token, UserToken(*profile, own, env, *connected->git));
  settings.budget.spacing_ms = 0;
  CurlHttpOptions http;
  http.origins = {settings.api_url};
  http.user_agent = absl::StrCat("yard/", Abs(kVersion));
  ASSIGN_OR_RETURN(connected->http, MakeCurlHttpClient(std::move(http)));
  ASSIGN_OR_RETURN(connected->client, MakeForge(settings, ForgeEnvironment{*connected->http, connected->clock,
                                                                           connected->waiter, nullptr, 0, nullptr}));
  connected->remotes =
      std::make_unique<GitRemotes>(*connected->git, HeaderVariables(upstream, *profile, settings.token));
  connected->fork.emplace(workflow::Fork{*connected->remotes, *connected->client, *connected->client, upstream.name,
                                         remotes.at("origin").name, std::string(profile->pull_ref)});
  return connected;
}

}  // namespace yardmaster::cli
