// Markdown of the forges without what chat platforms show as raw text. Pure.
#ifndef YARDMASTER_CLIENTS_CHAT_PLAIN_MARKDOWN_H_
#define YARDMASTER_CLIENTS_CHAT_PLAIN_MARKDOWN_H_

#include <string>
#include <string_view>

namespace yardmaster::chat {

// The same text with what <details> hides as text below its summary: no platform unfolds that. Unless `is_markdown`,
// which is for platforms that read Markdown as forges do, also with each table as a list, "- cell · cell", below its
// columns' names, and without backslashes before characters that are only themselves. Code stays as it is written, and
// nothing becomes markup that was none.
std::string PlainMarkdown(std::string_view markdown, bool is_markdown);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_PLAIN_MARKDOWN_H_
