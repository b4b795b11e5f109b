// Where the git server of a forge is, and under which name it takes a token.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_SERVER_H_
#define YARDMASTER_CLIENTS_GIT_GIT_SERVER_H_

#include <optional>
#include <string>
#include <string_view>

#include "clients/forge/forge_config.h"

namespace yardmaster {

struct GitServer {
  std::string url;   // https, or http on loopback; without a slash at the end
  std::string user;  // goes with the token, as HTTP's basic authentication
};

// `git_url` of the config; without one the forge's public server, or, where another API is configured, that API's host.
// nullopt: the config names a server that is not reached by HTTP (ssh://).
std::optional<GitServer> GitServerOf(const ForgeConfig& config);

// "https://host/owner/name.git".
std::string RepositoryUrl(const GitServer& server, std::string_view repository);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_SERVER_H_
