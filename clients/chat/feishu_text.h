// Feishu's form of texts: people and groups stand as "@_user_1" with a list beside.
#ifndef YARDMASTER_CLIENTS_CHAT_FEISHU_TEXT_H_
#define YARDMASTER_CLIENTS_CHAT_FEISHU_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace yardmaster::chat {

// As the person typed it; the mention in front is cut. `mentions` may be null.
std::string FeishuPlainText(std::string_view text, const nlohmann::json* mentions);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_FEISHU_TEXT_H_
