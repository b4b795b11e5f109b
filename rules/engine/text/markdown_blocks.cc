#include "rules/engine/text/markdown_blocks.h"

#include <cmark-gfm.h>
#include <cmark-gfm/parser.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "services/core/absl_view.h"
#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

bool IsBlankChar(char c) { return c == ' ' || c == '\t'; }

std::string_view LineText(std::string_view text, const TextLine& line) {
  return text.substr(line.begin, line.end - line.begin);
}

// Length of a list marker ("-", "12.") at `pos` that a blank follows; 0 if there is none.
uint32_t ListMarker(std::string_view line, uint32_t pos) {
  uint32_t end = pos;
  while (end < line.size() && line[end] >= '0' && line[end] <= '9') ++end;
  const std::string_view closers = end > pos ? ".)" : "-*+";
  if (end >= line.size() || closers.find(line[end]) == std::string_view::npos) return 0;
  ++end;
  return end == line.size() || IsBlankChar(line[end]) ? end - pos : 0;
}

// Is there a list item that starts further right than kMaxListColumn? The lists around it are at most half as many,
// because each level takes two columns or more.
bool IsTooDeep(std::string_view text, const std::vector<TextLine>& lines) {
  for (const TextLine& line : lines) {
    if (line.end - line.begin < kMaxListColumn / 4) continue;  // tabs count for up to four columns
    const std::string_view content = LineText(text, line);
    uint32_t column = 0;
    for (uint32_t i = 0; i < content.size();) {
      if (content[i] == ' ' || content[i] == '>') {
        ++column;
        ++i;
      } else if (content[i] == '\t') {
        column += 4 - column % 4;
        ++i;
      } else if (const uint32_t marker = ListMarker(content, i); marker > 0) {
        if (column > kMaxListColumn) return true;
        column += marker;
        i += marker;
      } else {
        break;
      }
    }
  }
  return false;
}

// First word of an info string, as a language name.
std::string LanguageOf(std::string_view info) {
  constexpr size_t kMaxLanguageBytes = 32;
  // "{.python .numberLines}" and "{python}" are written for Pandoc and R Markdown.
  size_t begin = 0;
  while (begin < info.size() && (IsBlankChar(info[begin]) || info[begin] == '{' || info[begin] == '.')) ++begin;
  size_t end = begin;
  while (end < info.size() && std::string_view(" \t\r\n,;:{}()=\"'`").find(info[end]) == std::string_view::npos) ++end;
  return absl::AsciiStrToLower(Abs(CutUtf8(info.substr(begin, end - begin), kMaxLanguageBytes)));
}

bool StartsWithTag(std::string_view text, std::string_view tag) {
  if (!absl::StartsWithIgnoreCase(Abs(text), Abs(tag))) return false;
  if (text.size() == tag.size()) return true;
  const char next = text[tag.size()];
  return next == '>' || IsBlankChar(next) || next == '\r' || next == '\n';
}

// HTML whose content is shown as it stands, or not at all.
bool IsRawHtml(std::string_view text) {
  static constexpr std::string_view kTags[] = {"<pre", "<script", "<style", "<textarea"};
  return absl::c_any_of(kTags, [&](std::string_view tag) { return StartsWithTag(text, tag); });
}

std::string_view View(const cmark_chunk& chunk) {
  return chunk.data == nullptr
             ? std::string_view()
             : std::string_view(reinterpret_cast<const char*>(chunk.data), static_cast<size_t>(chunk.len));
}

std::string_view View(const cmark_strbuf& buffer) {
  return std::string_view(reinterpret_cast<const char*>(buffer.ptr), static_cast<size_t>(buffer.size));
}

struct ParserDeleter {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};

// Turns nodes of cmark's tree into blocks. The tree is read before cmark_parser_finish, which is what parses inlines;
// blocks that are still open then reach to the last line.
class BlockReader {
 public:
  BlockReader(std::string_view text, const std::vector<TextLine>& lines) : text_(text), lines_(lines) {}

  std::optional<MarkdownBlock> Read(const cmark_node& node, uint32_t quote_depth) const {
    if (node.start_line < 1 || static_cast<size_t>(node.start_line) > lines_.size()) return std::nullopt;
    MarkdownBlock block;
    block.first_line = static_cast<uint32_t>(node.start_line - 1);
    block.last_line = static_cast<uint32_t>(lines_.size() - 1);
    block.quote_depth = quote_depth;
    const bool open = (node.flags & CMARK_NODE__OPEN) != 0;
    if (!open) SetLast(block, node.end_line);
    const TextLine& first = lines_[block.first_line];
    block.indent = std::min(static_cast<uint32_t>(std::max(node.start_column - 1, 0)), first.end - first.begin);
    switch (node.type) {
      case CMARK_NODE_PARAGRAPH:
        block.kind = BlockKind::kParagraph;
        return block;
      case CMARK_NODE_HEADING:
        block.kind = BlockKind::kHeading;
        block.last_line = node.as.heading.setext ? SetextEnd(block) : block.first_line;
        block.setext = block.last_line > block.first_line;
        return block;
      case CMARK_NODE_CODE_BLOCK:
        ReadCode(node, open, block);
        return block;
      case CMARK_NODE_HTML_BLOCK: {
        block.kind = BlockKind::kHtml;
        // cmark's end_line is one too small for HTML that ends with its own end mark: count the lines.
        const std::string_view literal = open ? View(node.content) : View(node.as.literal);
        if (!open) SetLast(block, node.start_line + static_cast<int>(absl::c_count(literal, '\n')) - 1);
        block.raw_html = IsRawHtml(LineText(text_, first).substr(block.indent));
        return block;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  void SetLast(MarkdownBlock& block, int end_line) const {
    const int last = std::clamp(end_line - 1, static_cast<int>(block.first_line), static_cast<int>(lines_.size()) - 1);
    block.last_line = static_cast<uint32_t>(last);
  }

  // A setext heading ends with its underline; cmark names the line after it.
  uint32_t SetextEnd(const MarkdownBlock& block) const {
    for (uint32_t line = block.first_line + 1; line <= block.last_line; ++line) {
      const std::string_view text = LineText(text_, lines_[line]);
      const size_t mark = text.find_first_not_of(" \t>");
      if (mark == std::string_view::npos || (text[mark] != '=' && text[mark] != '-')) continue;
      const size_t after = text.find_first_not_of(text[mark], mark);
      if (after == std::string_view::npos || text.find_first_not_of(" \t", after) == std::string_view::npos)
        return line;
    }
    return block.first_line;
  }

  void ReadCode(const cmark_node& node, bool open, MarkdownBlock& block) const {
    block.kind = node.as.code.fenced ? BlockKind::kFencedCode : BlockKind::kIndentedCode;
    if (!node.as.code.fenced) return;
    // As long as the block is open, its first line of content is the info string.
    std::string_view info = open ? View(node.content) : View(node.as.code.info);
    block.language = LanguageOf(info.substr(0, info.find_first_of("\r\n")));
    if (open || block.last_line == block.first_line) return;
    // Closed by its fence or by the end of the quote or list around it? In the second case cmark counts one line too
    // many.
    const std::string_view last = TextInBlock(LineText(text_, lines_[block.last_line]), block, block.last_line);
    const size_t mark = last.find_first_not_of(" \t");
    if (mark != std::string_view::npos && last[mark] == static_cast<char>(node.as.code.fence_char)) {
      block.closed_fence = true;
    } else {
      --block.last_line;
    }
  }

  std::string_view text_;
  const std::vector<TextLine>& lines_;
};

}  // namespace

std::vector<TextLine> SplitLines(std::string_view text) {
  std::vector<TextLine> lines;
  lines.reserve(text.size() / 32 + 4);
  const bool has_cr = text.find('\r') != std::string_view::npos;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(has_cr ? text.find_first_of("\r\n", begin) : text.find('\n', begin), text.size());
    lines.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    begin = end + 1;
    if (end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n') ++begin;
  }
  return lines;
}

std::vector<MarkdownBlock> ParseMarkdownBlocks(std::string_view text, const std::vector<TextLine>& lines,
                                               bool& too_deep) {
  std::vector<MarkdownBlock> blocks;
  too_deep = IsTooDeep(text, lines);
  if (too_deep || lines.empty()) return blocks;

  // Block phase only: no extension is attached, and cmark_parser_finish is not called.
  const std::unique_ptr<cmark_parser, ParserDeleter> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
  cmark_parser_feed(parser.get(), text.data(), text.size());
  if (text.back() != '\n' && text.back() != '\r') cmark_parser_feed(parser.get(), "\n", 1);

  // Walk the tree in document order, without recursion.
  const BlockReader reader(text, lines);
  uint32_t quote_depth = 0;
  const cmark_node* node = parser->root;
  while (node != nullptr) {
    if (node->type == CMARK_NODE_BLOCK_QUOTE) ++quote_depth;
    if (std::optional<MarkdownBlock> block = reader.Read(*node, quote_depth)) blocks.push_back(*std::move(block));
    if (node->first_child != nullptr) {
      node = node->first_child;
      continue;
    }
    while (node != nullptr) {
      if (node->type == CMARK_NODE_BLOCK_QUOTE) --quote_depth;
      if (node->next != nullptr) {
        node = node->next;
        break;
      }
      node = node->parent;
    }
  }
  return blocks;
}

std::string_view TextInBlock(std::string_view line, const MarkdownBlock& block, uint32_t index) {
  if (index == block.first_line) return line.substr(std::min<size_t>(block.indent, line.size()));
  size_t pos = 0;
  for (uint32_t depth = 0; depth < block.quote_depth; ++depth) {
    size_t mark = pos;
    while (mark < line.size() && IsBlankChar(line[mark])) ++mark;
    // A lazy continuation line has fewer markers than its quote is deep.
    if (mark == line.size() || line[mark] != '>') break;
    pos = mark + 1;
    if (pos < line.size() && IsBlankChar(line[pos])) ++pos;
  }
  while (pos < line.size() && pos < block.indent && IsBlankChar(line[pos])) ++pos;
  return line.substr(pos);
}

}  // namespace yardmaster::rules
