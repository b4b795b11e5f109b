#include "clients/git/git_server.h"

#include "services/core/address.h"

namespace yardmaster {
namespace {

struct PublicServer {
  std::string_view forge;
  std::string_view api_url;
  std::string_view git_url;
  std::string_view user;
};
constexpr PublicServer kServers[] = {
    {"github", "https://api.github.com", "https://github.com", "x-access-token"},
    {"gitcode", "https://api.gitcode.com/api/v5", "https://gitcode.com", "oauth2"},
};

}  // namespace

std::optional<GitServer> GitServerOf(const ForgeConfig& config) {
  GitServer server{config.git_url, "git"};
  for (const PublicServer& known : kServers) {
    if (known.forge != config.name) continue;
    server.user = known.user;
    if (server.url.empty() && config.api_url == known.api_url) server.url = known.git_url;
  }
  if (server.url.empty()) {
    // A forge of one's own has both on one host.
    const std::optional<Url> api = ParseUrl(config.api_url);
    if (!api.has_value()) return std::nullopt;
    server.url = config.api_url.substr(0, config.api_url.size() - api->path.size());
  }
  const std::optional<Url> url = ParseUrl(server.url);
  if (!url.has_value() || (url->scheme != "https" && !(url->scheme == "http" && IsLoopbackHost(url->host)))) {
    return std::nullopt;
  }
  return server;
}

std::string RepositoryUrl(const GitServer& server, std::string_view repository) {
  return server.url + "/" + std::string(repository) + ".git";
}

}  // namespace yardmaster
