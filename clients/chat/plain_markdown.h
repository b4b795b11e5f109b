// Markdown of the forges without what chat platforms show as raw text. Pure.
#ifndef YARDMASTER_CLIENTS_CHAT_PLAIN_MARKDOWN_H_
#define YARDMASTER_CLIENTS_CHAT_PLAIN_MARKDOWN_H_

#include <string>
#include <string_view>

namespace yardmaster::chat {

// The same text with each table as a list, "- cell · cell", below its columns' names, unless `keeps_tables`; and with
// what <details> hides as text below its summary: no platform unfolds that. Code stays as it is written.
std::string PlainMarkdown(std::string_view markdown, bool keeps_tables);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_PLAIN_MARKDOWN_H_
