#include "clients/git/remote_url.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr std::string_view kSchemeEnd = "://";

bool IsHost(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' || c == ':' ||
           c == '[' || c == ']';
  });
}

// "/owner/name.git/" → "owner/name"; empty: it names no repository.
std::string NameOf(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.ends_with(".git")) path.remove_suffix(4);
  const std::vector<std::string> parts = absl::StrSplit(Abs(path), '/');
  const bool good =
      parts.size() >= 2 &&
      absl::c_none_of(parts, [](const std::string& part) { return part.empty() || part == "." || part == ".."; }) &&
      std::all_of(path.begin(), path.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' || c == '/';
      });
  return good ? std::string(path) : std::string();
}

}  // namespace

std::optional<RemoteRepository> ParseRemoteUrl(std::string_view url) {
  if (url.size() > kMaxRemoteUrlBytes) return std::nullopt;
  RemoteRepository found;
  std::string_view host;
  std::string_view path;
  const size_t scheme_end = url.find(kSchemeEnd);
  if (scheme_end != std::string_view::npos) {
    found.scheme = absl::AsciiStrToLower(Abs(url.substr(0, scheme_end)));
    if (found.scheme == "git+ssh" || found.scheme == "ssh+git") found.scheme = "ssh";
    if (found.scheme != "https" && found.scheme != "http" && found.scheme != "ssh") return std::nullopt;
    const std::string_view rest = url.substr(scheme_end + kSchemeEnd.size());
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    host = rest.substr(0, slash);
    path = rest.substr(slash);
  } else {
    // As scp writes it. A slash in front of the first colon makes it a path.
    const size_t colon = url.find(':');
    if (colon == std::string_view::npos || url.substr(0, colon).find('/') != std::string_view::npos)
      return std::nullopt;
    found.scheme = "ssh";
    host = url.substr(0, colon);
    path = url.substr(colon + 1);
  }
  if (const size_t at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
  found.host = absl::AsciiStrToLower(Abs(host));
  found.name = NameOf(path);
  if (!IsHost(found.host) || found.name.empty()) return std::nullopt;
  return found;
}

bool SameRepository(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const std::optional<RemoteRepository> first = ParseRemoteUrl(a);
  const std::optional<RemoteRepository> second = ParseRemoteUrl(b);
  return first && second && first->bare_host() == second->bare_host() &&
         absl::EqualsIgnoreCase(first->name, second->name);
}

std::string WithoutCredentials(std::string_view url) {
  const size_t scheme_end = url.find(kSchemeEnd);
  if (scheme_end == std::string_view::npos) return std::string(url);
  const size_t begin = scheme_end + kSchemeEnd.size();
  const size_t slash = std::min(url.find('/', begin), url.size());
  const size_t at = url.substr(0, slash).rfind('@');
  if (at == std::string_view::npos || at < begin) return std::string(url);
  return absl::StrCat(Abs(url.substr(0, begin)), Abs(url.substr(at + 1)));
}

}  // namespace yardmaster
