#include "clients/cli/workflow_forge.h"

#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/user_forges.h"
#include "clients/forge/http_curl.h"
#include "clients/git/remote_url.h"
#include "services/core/absl_view.h"
#include "services/core/address.h"
#include "services/core/status_macros.h"
#include "services/core/version.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using workflow::Result;

// Long enough for the hooks of a commit.
constexpr std::chrono::minutes kWorkflowGitLimit{30};

// A server of one's own may have its repositories below a path.
void DropServerPath(RemoteRepository& remote, const UserForge& own) {
  const std::optional<Url> url = ParseUrl(own.git_url);
  if (!url || url->path.size() < 2) return;
  const std::string prefix = url->path.substr(1) + "/";
  if (remote.name.starts_with(prefix)) remote.name.erase(0, prefix.size());
}

// What git's credential helpers know of the server where the clone is; empty:
// nothing. What they know of the public server is none of another one's
// business.
Secret HelpersToken(GitProgram& git, const ForgeProfile& profile, const UserForge& own,
                    const RemoteRepository& upstream) {
  const bool plain = upstream.scheme == "http" && IsLoopbackHost(upstream.bare_host());
  std::string scheme = plain ? "http" : "https";
  std::string host = upstream.scheme == "ssh" ? std::string(upstream.bare_host()) : upstream.host;
  if (const std::optional<Url> url = ParseUrl(own.git_url)) {
    scheme = url->scheme;
    host = HostOfUrl(own.git_url);
  }
  const bool other_api = !own.api_url.empty() && own.api_url != profile.api_url;
  if (other_api && host == HostOfUrl(profile.git_url)) return Secret();
  const absl::StatusOr<GitOutput> filled = git.Run({"credential", "fill"}, {"GIT_ASKPASS=true", "SSH_ASKPASS=true"},
                                                   absl::StrCat("protocol=", scheme, "\nhost=", host, "\n\n"));
  if (!filled.ok() || filled->code != 0) return Secret();
  for (absl::string_view line : absl::StrSplit(filled->out, '\n')) {
    if (absl::ConsumePrefix(&line, "password=")) return Secret(std::string(line));
  }
  return Secret();
}

// Headers by which git's own requests carry tokens, where a remote is reached
// by HTTP: in the environment of git, so that no list of processes shows them.
using Headers = std::map<std::string, std::string>;  // by the address for which they are

void AddHeader(const RemoteRepository& remote, const ForgeProfile& profile, const Secret& token, Headers& headers) {
  const bool safe = remote.scheme == "https" || (remote.scheme == "http" && IsLoopbackHost(remote.bare_host()));
  if (!safe || token.empty()) return;
  headers[absl::StrCat(remote.scheme, "://", remote.host, "/")] =
      "Authorization: Basic " + absl::Base64Escape(absl::StrCat(Abs(profile.git_user), ":", token.Reveal()));
}

std::vector<std::string> HeaderVariables(const Headers& headers) {
  std::vector<std::string> variables = {absl::StrCat("GIT_CONFIG_COUNT=", headers.size())};
  size_t n = 0;
  for (const auto& [address, header] : headers) {
    variables.push_back(absl::StrCat("GIT_CONFIG_KEY_", n, "=http.", address, ".extraHeader"));
    variables.push_back(absl::StrCat("GIT_CONFIG_VALUE_", n, "=", header));
    ++n;
  }
  return variables;
}

absl::StatusOr<ConnectedRemotes> Connect(const fs::path& repo, const UserForges& forges, const Environment& env) {
  ConnectedRemotes connected;
  connected.git = MakeWorkflowGit(repo, env);
  connected.remotes = std::make_unique<GitRemotes>(*connected.git, std::vector<std::string>());
  Headers headers;
  for (const char* name : {"origin", "upstream"}) {
    // What is wrong with a remote is told by the command that needs it.
    const absl::StatusOr<std::string> url = connected.remotes->Url(name);
    const std::optional<RemoteRepository> remote = url.ok() ? ParseRemoteUrl(*url) : std::nullopt;
    const ForgeProfile* const profile = remote ? ForgeOfHost(*remote, forges) : nullptr;
    if (profile == nullptr) continue;
    ASSIGN_OR_RETURN(const Secret token, NamedToken(*profile, forges, env));
    AddHeader(*remote, *profile, token, headers);
  }
  connected.remotes->Use(HeaderVariables(headers));
  return connected;
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

std::unique_ptr<GitProgram> MakeWorkflowGit(const fs::path& repo, const Environment& env) {
  return MakeGitProgram(repo, env.variable, kWorkflowGitLimit);
}

absl::StatusOr<std::string> MainRepositoryOf(const fs::path& repo, const Environment& env) {
  const std::unique_ptr<GitProgram> git = MakeWorkflowGit(repo, env);
  const GitRemotes remotes(*git, {});
  for (const char* remote : {"upstream", "origin"}) {
    ASSIGN_OR_RETURN(const std::string url, remotes.Url(remote));
    if (const std::optional<RemoteRepository> parsed = ParseRemoteUrl(url)) return parsed->name;
  }
  return std::string();
}

absl::StatusOr<ConnectedRemotes> ConnectRemotes(const fs::path& repo, const std::string& config,
                                                const Environment& env) {
  ASSIGN_OR_RETURN(const UserForges forges, ReadUserForges(config, env));
  return Connect(repo, forges, env);
}

absl::StatusOr<std::unique_ptr<ConnectedFork>> ConnectFork(const fs::path& repo, const std::string& config,
                                                           const Environment& env) {
  auto connected = std::make_unique<ConnectedFork>();
  ASSIGN_OR_RETURN(const UserForges forges, ReadUserForges(config, env));
  ASSIGN_OR_RETURN(connected->clone, Connect(repo, forges, env));
  // 1. Where the remotes are.
  std::string fix;
  std::map<std::string, RemoteRepository> remotes;
  for (const std::string name : {"origin", "upstream"}) {
    absl::StatusOr<RemoteRepository> remote = RemoteOf(*connected->clone.remotes, name, fix);
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
               "name the host in \"forges\" of --config or "
               "$XDG_CONFIG_HOME/yardmaster/config.json");
    return connected;
  }
  // 2. The forge.
  const auto found = forges.find(profile->name);
  const UserForge own = found == forges.end() ? UserForge() : found->second;
  ForgeConfig settings;
  settings.name = profile->name;
  settings.profile = profile;
  settings.api_url = own.api_url.empty() ? std::string(profile->api_url) : own.api_url;
  ASSIGN_OR_RETURN(settings.token, NamedToken(*profile, forges, env));
  if (settings.token.empty()) settings.token = HelpersToken(*connected->clone.git, *profile, own, upstream);
  settings.budget.spacing_ms = 0;
  CurlHttpOptions http;
  http.origins = {settings.api_url};
  http.user_agent = absl::StrCat("yard/", Abs(kVersion));
  ASSIGN_OR_RETURN(connected->http, MakeCurlHttpClient(std::move(http)));
  ASSIGN_OR_RETURN(connected->client, MakeForge(settings, ForgeEnvironment{*connected->http, connected->clock,
                                                                           connected->waiter, nullptr, 0, nullptr}));
  for (auto& [name, remote] : remotes) DropServerPath(remote, own);
  connected->fork.emplace(workflow::Fork{*connected->clone.remotes, *connected->client, *connected->client,
                                         upstream.name, remotes.at("origin").name, std::string(profile->pull_ref),
                                         HostsOf(*profile, forges), std::string(profile->setup.token_page),
                                         profile->pull_templates});
  return connected;
}

}  // namespace yardmaster::cli
