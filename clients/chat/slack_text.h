// Slack's form of texts: "&lt;", "<@U1>", "<https://host|words>".
#ifndef YARDMASTER_CLIENTS_CHAT_SLACK_TEXT_H_
#define YARDMASTER_CLIENTS_CHAT_SLACK_TEXT_H_

#include <string>
#include <string_view>

namespace yardmaster::chat {

// As the person typed it: mentions in front are cut, addresses stand for links, the three escapes are undone.
std::string SlackPlainText(std::string_view text);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_SLACK_TEXT_H_
