// Which repository of which host a remote of a clone is.
#ifndef YARDMASTER_CLIENTS_GIT_REMOTE_URL_H_
#define YARDMASTER_CLIENTS_GIT_REMOTE_URL_H_

#include <optional>
#include <string>
#include <string_view>

namespace yardmaster {

struct RemoteRepository {
  std::string scheme;  // "https", "http" or "ssh"
  std::string host;    // lower case; with ":PORT" where one is given
  std::string name;    // "owner/name", of GitCode also with groups: "group/owner/name"

  // Without a port, as forges are configured by.
  std::string_view bare_host() const { return std::string_view(host).substr(0, host.find(':')); }
};

inline constexpr size_t kMaxRemoteUrlBytes = 4096;

// "git@host:owner/name.git", "ssh://git@host:22/owner/name", "https://user:token@host/owner/name.git/". nullopt: it is
// none of these, as a path on this machine is none. Credentials in it are dropped.
std::optional<RemoteRepository> ParseRemoteUrl(std::string_view url);

// Whether two addresses are of one repository, however it is reached there: the same text, or the same host, whatever
// the port, and the same name.
bool SameRepository(std::string_view a, std::string_view b);

// An address without user and password, for people; what is no URL stays.
std::string WithoutCredentials(std::string_view url);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_REMOTE_URL_H_
