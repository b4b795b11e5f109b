#include "services/core/address.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace yardmaster {
namespace {

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool IsHostName(std::string_view host) {
  return !host.empty() && host.size() <= 253 && absl::c_all_of(host, IsHostCharacter);
}

// What may stand between brackets; whether it is an address is found out when it is used.
bool IsIpv6Text(std::string_view host) {
  return host.size() >= 2 && host.size() <= 64 && host.find(':') != std::string_view::npos &&
         absl::c_all_of(host, [](char c) { return IsHostCharacter(c) || c == ':' || c == '%'; });
}

std::optional<uint16_t> ParsePort(std::string_view text) {
  if (text.empty() || text.size() > 5) return std::nullopt;
  uint32_t port = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    port = port * 10 + static_cast<uint32_t>(c - '0');
  }
  if (port > 65535) return std::nullopt;
  return static_cast<uint16_t>(port);
}

// "host", "host:port", "[v6]", "[v6]:port".
bool SplitAuthority(std::string_view text, std::string& host, std::optional<std::string_view>& port) {
  port.reset();
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos || !IsIpv6Text(text.substr(1, close - 1))) return false;
    host = std::string(text.substr(1, close - 1));
    std::string_view rest = text.substr(close + 1);
    if (rest.empty()) return true;
    if (!rest.starts_with(':')) return false;
    port = rest.substr(1);
    return true;
  }
  const size_t colon = text.find(':');
  if (!IsHostName(text.substr(0, colon))) return false;
  host = std::string(text.substr(0, colon));
  if (colon != std::string_view::npos) port = text.substr(colon + 1);
  return true;
}

}  // namespace

std::string HostPort::ToString() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<HostPort> ParseHostPort(std::string_view text) {
  HostPort address;
  std::optional<std::string_view> port_text;
  if (!SplitAuthority(text, address.host, port_text) || !port_text.has_value()) return std::nullopt;
  const std::optional<uint16_t> port = ParsePort(*port_text);
  if (!port.has_value()) return std::nullopt;
  address.port = *port;
  return address;
}

bool IsLoopbackHost(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  // Four numbers, the first one 127: "127.evil.example" is a name like any other.
  if (!host.starts_with("127.")) return false;
  int dots = 0;
  int digits = 0;
  int value = 0;
  for (char c : host) {
    if (c == '.') {
      if (digits == 0) return false;
      ++dots;
      digits = 0;
      value = 0;
    } else if (c >= '0' && c <= '9') {
      value = value * 10 + (c - '0');
      if (++digits > 3 || value > 255) return false;
    } else {
      return false;
    }
  }
  return dots == 3 && digits > 0;
}

std::optional<Url> ParseUrl(std::string_view text) {
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0 || text.size() > 2048) return std::nullopt;
  Url url;
  for (char c : text.substr(0, colon)) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c < 'a' || c > 'z') return std::nullopt;
    url.scheme += c;
  }
  std::string_view rest = text.substr(colon + 3);
  const size_t slash = rest.find('/');
  std::optional<std::string_view> port_text;
  if (!SplitAuthority(rest.substr(0, slash), url.host, port_text)) return std::nullopt;
  if (port_text.has_value()) {
    const std::optional<uint16_t> port = ParsePort(*port_text);
    if (!port.has_value() || *port == 0) return std::nullopt;
    url.port = *port;
  }
  if (slash != std::string_view::npos) {
    url.path = std::string(rest.substr(slash));
    for (char c : url.path) {
      if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == '?' || c == '#' || c == '\\') return std::nullopt;
    }
  }
  return url;
}

}  // namespace yardmaster
