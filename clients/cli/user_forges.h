// What a user says about forges in her configuration: other servers, and where her tokens are.
#ifndef YARDMASTER_CLIENTS_CLI_USER_FORGES_H_
#define YARDMASTER_CLIENTS_CLI_USER_FORGES_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/environment.h"
#include "clients/forge/profile.h"
#include "clients/git/remote_url.h"
#include "services/core/secret.h"

namespace yardmaster::cli {

struct UserForge {
  std::string api_url;
  std::string git_url;
  std::vector<std::string> hosts;  // HOST or HOST:PORT
  std::string token_env;
  std::filesystem::path token_file;
};
using UserForges = std::map<std::string, UserForge, std::less<>>;  // by the forge's name

// `config`: the file; empty: $XDG_CONFIG_HOME/yardmaster/config.json, if it is there.
absl::StatusOr<UserForges> ReadUserForges(const std::string& config, const Environment& env);

// The host of a URL, with its port where one is given; empty: it is no URL.
std::string HostOfUrl(std::string_view url);

// The hosts of a forge: its public one and those of the user.
std::vector<std::string> HostsOf(const ForgeProfile& profile, const UserForges& forges);

// nullptr: no forge has the host of that remote.
const ForgeProfile* ForgeOfHost(const RemoteRepository& remote, const UserForges& forges);

// The token that the user names: that of the file or the variable of the configuration, else of GITCODE_TOKEN or
// GITHUB_TOKEN; empty: she names none. NOT_FOUND: the file can't be read.
absl::StatusOr<Secret> NamedToken(const ForgeProfile& profile, const UserForges& forges, const Environment& env);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_USER_FORGES_H_
