#include "clients/chat/reply_url.h"

#include <algorithm>
#include <optional>

#include "services/core/address.h"

namespace yardmaster::chat {

std::string AllowedReplyUrl(std::string_view url, const std::vector<std::string_view>& hosts,
                            std::string_view api_url) {
  if (url.empty() || url.size() > kMaxReplyUrlBytes) return {};
  if (!std::all_of(url.begin(), url.end(), [](char c) { return c > 0x20 && c < 0x7f && c != '\\' && c != '#'; })) {
    return {};
  }
  const std::optional<Url> parsed = ParseUrl(url.substr(0, url.find('?')));
  if (!parsed.has_value()) return {};
  const std::optional<Url> api = ParseUrl(api_url);
  const bool at_api =
      api.has_value() && parsed->scheme == api->scheme && parsed->host == api->host && parsed->port == api->port;
  const bool at_platform = parsed->scheme == "https" && (parsed->port == 0 || parsed->port == 443) &&
                           std::find(hosts.begin(), hosts.end(), parsed->host) != hosts.end();
  return at_api || at_platform ? std::string(url) : std::string();
}

}  // namespace yardmaster::chat
