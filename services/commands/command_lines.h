// Which lines of a comment may be commands: those that begin with a slash or with a mention, outside of code, quotes
// and HTML comments.
#ifndef YARDMASTER_SERVICES_COMMANDS_COMMAND_LINES_H_
#define YARDMASTER_SERVICES_COMMANDS_COMMAND_LINES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::commands {

struct CommandLine {
  size_t begin = 0;  // first byte that is no blank: the slash or the "@" in one of their forms
  size_t end = 0;    // behind the last byte of the line
  // Where the paragraph around it ends, or its next line that may be a command begins: what somebody asks the bot may
  // take several lines.
  size_t rest_end = 0;
  // [begin, rest_end) with blanks in place of HTML comments, byte for byte as long; empty where there are none.
  std::string without_comments;

  // [begin, end) and [end, rest_end) without HTML comments.
  std::string_view Text(std::string_view whole) const { return All(whole).substr(0, end - begin); }
  std::string_view Rest(std::string_view whole) const { return All(whole).substr(end - begin); }

 private:
  std::string_view All(std::string_view whole) const {
    return without_comments.empty() ? whole.substr(begin, rest_end - begin) : std::string_view(without_comments);
  }
};

struct CommandLines {
  std::vector<CommandLine> lines;
  // Lists nested so deep that the text was not read as Markdown (rules/engine/text/markdown_blocks.h): it has no
  // commands.
  bool too_deep = false;
  // Bytes from here on were not looked at (rules::kMaxMarkdownBytes) though lines among them may be commands; else
  // npos.
  size_t unread = std::string_view::npos;
};

// Any bytes are accepted. What the forge shows as code (fences, indentation, backticks around several lines, <pre>,
// <code>), as a quote (">", lines that lazily continue it, <blockquote>) or not at all (HTML comments, insides of tags)
// holds no commands; lists, <details> and other HTML do. Linear in the bytes.
CommandLines FindCommandLines(std::string_view text);

// Whether a line can be a command: the first character that is no blank is "/" before a letter, or "@" before anything,
// in any width. `begin` is set to it.
bool MayBeCommand(std::string_view line, size_t& begin);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_COMMAND_LINES_H_
