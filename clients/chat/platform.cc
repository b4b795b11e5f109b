#include "clients/chat/platform.h"

#include <algorithm>

#include "clients/chat/crypto.h"
#include "services/core/address.h"

namespace yardmaster::chat {
namespace {

// 43 characters of Base64 are 32 bytes.
std::string_view CheckEncodingAesKey(std::string_view value) {
  const std::optional<std::string> key = FromBase64(std::string(value) + "=");
  return value.size() == 43 && key.has_value() && key->size() == 32
             ? std::string_view()
             : "expected the 43 letters and digits that the platform shows as EncodingAESKey";
}

std::string_view CheckCallbackUrl(std::string_view value) {
  const std::optional<Url> url = ParseUrl(value);
  return url.has_value() && (url->scheme == "https" || url->scheme == "http")
             ? std::string_view()
             : "expected the address at which Mattermost reaches the daemon: https://HOST/chat/mattermost";
}

// A function, not a constant: nothing is made before main.
const std::vector<ChatPlatform>& Rows() {
  static const std::vector<ChatPlatform> kRows = {
      {.name = "slack",
       .api_url = "https://slack.com/api",
       .ids = {},
       .secrets = {{"signing_secret"}, {"bot_token", false}},
       .button_secret = "signing_secret",
       .reply_hosts = {"hooks.slack.com"},
       .answers_get = false,
       .has_threads = true,
       .read = ReadSlack,
       .render = RenderSlack},
      {.name = "mattermost",
       .api_url = "",
       .ids = {{"callback_url", false, CheckCallbackUrl}},
       .secrets = {{"token"}, {"bot_token", false}},
       .button_secret = "token",
       .reply_hosts = {},
       .answers_get = false,
       .has_threads = true,
       .is_markdown = true,
       .read = ReadMattermost,
       .render = RenderMattermost},
      {.name = "feishu",
       .api_url = "https://open.feishu.cn",
       .ids = {{"app_id", false}, {"bot_open_id", false}},
       .secrets = {{"encrypt_key"}, {"verification_token"}, {"app_secret", false}},
       .button_secret = "encrypt_key",
       .reply_hosts = {},
       .answers_get = false,
       .has_threads = true,
       .read = ReadFeishu,
       .render = RenderFeishu},
      {.name = "dingtalk",
       .api_url = "https://oapi.dingtalk.com",
       .ids = {{"app_key", false}, {"robot_code", false}},
       .secrets = {{"app_secret"}},
       .button_secret = "app_secret",
       .reply_hosts = {"oapi.dingtalk.com", "api.dingtalk.com"},
       .answers_get = false,
       .has_threads = false,
       .read = ReadDingtalk,
       .render = RenderDingtalk},
      {.name = "wecom",
       .api_url = "https://qyapi.weixin.qq.com",
       .ids = {{"corp_id"}, {"agent_id", false}},
       .secrets = {{"token"}, {"encoding_aes_key", true, CheckEncodingAesKey}, {"secret", false}},
       .button_secret = "encoding_aes_key",
       .reply_hosts = {},
       .answers_get = true,
       .has_threads = false,
       .tells_direct = false,
       .read = ReadWecom,
       .render = RenderWecom},
  };
  return kRows;
}

}  // namespace

absl::Span<const ChatPlatform> ChatPlatforms() { return Rows(); }

const ChatPlatform* FindChatPlatform(std::string_view name) {
  const auto row = std::find_if(Rows().begin(), Rows().end(), [&](const auto& one) { return one.name == name; });
  return row == Rows().end() ? nullptr : &*row;
}

}  // namespace yardmaster::chat
