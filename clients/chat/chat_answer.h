// An answer, and how it looks on each platform. What an answer repeats may come from an issue: nothing in it notifies
// anybody or becomes markup of the platform's own.
#ifndef YARDMASTER_CLIENTS_CHAT_CHAT_ANSWER_H_
#define YARDMASTER_CLIENTS_CHAT_CHAT_ANSWER_H_

#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::chat {

struct ChatChoice {
  std::string label;
  std::string value;  // comes back when it is pressed
  // What pressing it says to the bot: where a button can only be a link, it lets the person say that.
  std::string says = {};
};

struct ChatAnswer {
  // Markdown as on the forges: what the platform has no form for is shown as it is written, but for tables and what is
  // folded (plain_markdown.h).
  std::string text;
  // For the person who asked alone, where the platform has such answers.
  bool only_for_asker = false;
  // Buttons below the text, where the platform has some that come back to us, or that say something for the person.
  std::vector<ChatChoice> choices = {};
  // Where pressed buttons of Mattermost go: our own address. Empty: it shows none.
  std::string callback_url = {};
  // What the message is found by later, where the platform keeps such a thing with it: letters, digits and "-".
  std::string key = {};
  // It will be changed in place later: it goes to where that can be done.
  bool changes = false;
  // Without the platform's own form, which it refused.
  bool plain = false;
};

// Where Mattermost keeps ChatAnswer::key with a post, also with one that came by an address for answers.
inline constexpr std::string_view kMattermostKey = "yardmaster_key";

// What is written below a message where nothing else tells it from others: WeCom takes one of two that are the same,
// and a plain text that came to Slack by an address for answers is found by it. Empty without a key.
std::string AnswerTag(std::string_view key);

// The bodies of the platforms' calls for messages, in their own form and with a plain text for notifications. JSON;
// texts over the platform's limit end in "…".
std::string RenderSlack(const ChatAnswer& answer);       // blocks
std::string RenderMattermost(const ChatAnswer& answer);  // an attachment
std::string RenderFeishu(const ChatAnswer& answer);      // "msg_type" and a card as "content"
std::string RenderDingtalk(const ChatAnswer& answer);    // Markdown, or a card whose buttons say the command
std::string RenderWecom(const ChatAnswer& answer);       // Markdown, or a card where there are buttons

// The same as plain text, for where the platform refuses its own form. Empty for an unknown platform.
std::string RenderPlain(std::string_view platform, const ChatAnswer& answer);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_CHAT_ANSWER_H_
