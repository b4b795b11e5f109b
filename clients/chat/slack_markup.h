// Slack's markup of an answer: what it has a form for is translated, and everything else is a text.
#ifndef YARDMASTER_CLIENTS_CHAT_SLACK_MARKUP_H_
#define YARDMASTER_CLIENTS_CHAT_SLACK_MARKUP_H_

#include <string>
#include <string_view>

namespace yardmaster::chat {

// Markdown as on the forges, in Slack's own markup: bold, links to web pages, headings and lists. Code stays as it is.
// Nothing in it calls anybody: "<!channel>" becomes a text.
std::string SlackMarkup(std::string_view markdown);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_SLACK_MARKUP_H_
