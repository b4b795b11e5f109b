// The block structure of a Markdown text, by lines: paragraphs, headings, code, HTML. Inline markup is not parsed:
// it is not needed here, costs most of the time (120 instead of 17 µs for 8 KB), and is what hostile texts attack.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_MARKDOWN_BLOCKS_H_
#define YARDMASTER_RULES_ENGINE_TEXT_MARKDOWN_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// One line of a text: [begin, end) without its line ending. "\n", "\r\n" and a lone "\r" end a line.
struct TextLine {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// `text` must be shorter than 4 GiB.
std::vector<TextLine> SplitLines(std::string_view text);

enum class BlockKind : uint8_t {
  kParagraph,
  kHeading,
  kFencedCode,  // fence lines included
  kIndentedCode,
  kHtml,
};

// A leaf block: consecutive lines of one kind.
struct MarkdownBlock {
  BlockKind kind = BlockKind::kParagraph;
  uint32_t first_line = 0;    // index into the lines, from 0
  uint32_t last_line = 0;     // inclusive
  uint32_t indent = 0;        // bytes before the block's own text in its first line: quote and list markers, blanks
  uint32_t quote_depth = 0;   // block quotes around it
  bool raw_html = false;      // kHtml that holds <pre>, <script>, <style> or <textarea>
  bool closed_fence = false;  // kFencedCode whose last line is its closing fence
  bool setext = false;        // kHeading whose last line is an underline of "=" or "-"
  std::string language;       // kFencedCode: first word of the info string, lower case, at most 32 bytes
};

// Lists that start further right than this column are taken for an attack: cmark walks all open list items for every
// blank line, so that 32 KB of "- " and 32 KB of blank lines cost 7 s. 256 columns are at most 128 levels.
inline constexpr uint32_t kMaxListColumn = 256;

// Leaf blocks in ascending order of their first line; where two claim a line, the later one has it. Lines of no block
// are blank, thematic breaks, link reference definitions or empty containers. `lines` must be those of `text`, and
// `text` at most kMaxMarkdownBytes long. A text nested deeper than kMaxListColumn is not parsed: `too_deep` is set and
// the result is empty.
std::vector<MarkdownBlock> ParseMarkdownBlocks(std::string_view text, const std::vector<TextLine>& lines,
                                               bool& too_deep);

// The line without the markers and the indentation of the containers of `block`; `index` is the line's place in the
// text.
std::string_view TextInBlock(std::string_view line, const MarkdownBlock& block, uint32_t index);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_MARKDOWN_BLOCKS_H_
