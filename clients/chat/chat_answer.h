// An answer, and how it looks on each platform. What an answer repeats may come from an issue: nothing in it notifies
// anybody or becomes markup of the platform's own.
#ifndef YARDMASTER_CLIENTS_CHAT_CHAT_ANSWER_H_
#define YARDMASTER_CLIENTS_CHAT_CHAT_ANSWER_H_

#include <string>
#include <string_view>

namespace yardmaster::chat {

struct ChatAnswer {
  // Markdown as on the forges: what the platform has no form for is shown as it is written.
  std::string text;
  // For the person who asked alone, where the platform has such answers.
  bool only_for_asker = false;
};

// The bodies of the platforms' calls for messages, in their own form and with a plain text for notifications. JSON;
// texts over the platform's limit end in "…".
std::string RenderSlack(const ChatAnswer& answer);       // blocks
std::string RenderMattermost(const ChatAnswer& answer);  // an attachment
std::string RenderFeishu(const ChatAnswer& answer);      // "msg_type" and a card as "content"
std::string RenderDingtalk(const ChatAnswer& answer);    // Markdown
std::string RenderWecom(const ChatAnswer& answer);       // Markdown

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_CHAT_ANSWER_H_
