// Feishu's form of texts: people and groups stand as "@_user_1" with a list beside.
#ifndef YARDMASTER_CLIENTS_CHAT_FEISHU_TEXT_H_
#define YARDMASTER_CLIENTS_CHAT_FEISHU_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace yardmaster::chat {

// Where the text mentions the bot: "@_user_1", out of `mentions`, which may be null. By `bot_open_id`; where that is
// not configured, by what the platform says of each; where it says nothing the first is the bot's, since without the
// permission for all messages of a group only those that mention it come. Empty: it is not mentioned. Without a list it
// is the one in front of the text.
std::string_view FeishuBotPlace(std::string_view text, const nlohmann::json* mentions, std::string_view bot_open_id);

// As the person typed it, without the bot's mention. `mentions` may be null.
std::string FeishuPlainText(std::string_view text, const nlohmann::json* mentions, std::string_view bot_place);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_FEISHU_TEXT_H_
