// Addresses and URLs as they stand in the configuration and on the command line.
#ifndef YARDMASTER_SERVICES_CORE_ADDRESS_H_
#define YARDMASTER_SERVICES_CORE_ADDRESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster {

struct HostPort {
  std::string host;  // without brackets
  uint16_t port = 0;

  // With brackets around an IPv6 address.
  std::string ToString() const;
};

// "127.0.0.1:8080", "localhost:0", "[::1]:9090". Nothing is resolved. nullopt if it is not of that form.
std::optional<HostPort> ParseHostPort(std::string_view text);

// "localhost", 127.0.0.0/8 and ::1.
bool IsLoopbackHost(std::string_view host);

struct Url {
  std::string scheme;  // lower case
  std::string host;    // without brackets
  uint16_t port = 0;   // 0: the scheme's default
  std::string path;    // "" or "/…"
};

// scheme://host[:port][/path], nothing else: user names, queries and fragments have no place in a configured URL.
std::optional<Url> ParseUrl(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_ADDRESS_H_
