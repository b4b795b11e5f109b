#include "clients/git/git_server.h"

#include "clients/forge/profile.h"
#include "services/core/address.h"

namespace yardmaster {
std::optional<GitServer> GitServerOf(const ForgeConfig& config) {
  GitServer server{config.git_url, "git"};
  if (const ForgeProfile* profile = config.profile; profile != nullptr) {
    server.user = profile->git_user;
    if (server.url.empty() && config.api_url == profile->api_url) server.url = profile->git_url;
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
