#include "services/commands/command_lines.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "rules/engine/text/html_comments.h"
#include "rules/engine/text/markdown_blocks.h"
#include "rules/engine/text/zones.h"
#include "services/core/characters.h"

namespace yardmaster::commands {
namespace {

using rules::BlockKind;
using rules::CommentRange;
using rules::MarkdownBlock;
using rules::TextLine;

constexpr uint32_t kNoBlock = UINT32_MAX;

// Lines that may be commands by their looks.
struct Candidate {
  uint32_t line = 0;
  uint32_t begin = 0;  // of the text
};

std::vector<Candidate> FindCandidates(std::string_view text, const std::vector<TextLine>& lines) {
  std::vector<Candidate> candidates;
  for (uint32_t i = 0; i < lines.size(); ++i) {
    size_t begin = 0;
    if (MayBeCommand(text.substr(lines[i].begin, lines[i].end - lines[i].begin), begin))
      candidates.push_back({i, static_cast<uint32_t>(lines[i].begin + begin)});
  }
  return candidates;
}

// HTML that the forge shows as it stands, or not at all: <pre> and so on, declarations, processing instructions.
bool IsRaw(std::string_view text, const MarkdownBlock& block, const TextLine& first) {
  if (block.raw_html) return true;
  const std::string_view line = text.substr(first.begin, first.end - first.begin).substr(block.indent);
  return line.substr(0, 2) == "<?" || (line.substr(0, 2) == "<!" && line.substr(0, 4) != "<!--");
}

// Stretches of a text in which no line can be a command, in ascending order; asked for in ascending order.
class Hidden {
 public:
  void Add(size_t begin, size_t end) {
    if (begin < end) ranges_.push_back({begin, end});
  }
  bool Contains(size_t pos) {
    while (next_ < ranges_.size() && ranges_[next_].end <= pos) ++next_;
    return next_ < ranges_.size() && ranges_[next_].begin <= pos;
  }

 private:
  struct Range {
    size_t begin;
    size_t end;
  };
  std::vector<Range> ranges_;
  size_t next_ = 0;
};

// Elements whose content is a quote or code though Markdown takes it for ordinary text.
struct Element {
  std::string_view name;
  bool stays_open;  // beyond the end of the paragraph; browsers close the others there
};
constexpr std::array<Element, 9> kElements = {{{"pre", true},
                                               {"blockquote", true},
                                               {"script", true},
                                               {"style", true},
                                               {"textarea", true},
                                               {"template", true},
                                               {"code", false},
                                               {"samp", false},
                                               {"q", false}}};

// Follows HTML tags through the blocks of a text and hides what they turn into code, quotes or parts of tags.
class TagReader {
 public:
  TagReader(std::string_view text, Hidden& hidden) : text_(text), hidden_(hidden) {}

  // One block: `skipped` are its comments and code spans, in ascending order.
  void Read(size_t begin, size_t end, bool html, const std::vector<CommentRange>& skipped) {
    const std::string_view text = text_.substr(0, end);
    size_t skip = 0;
    for (size_t pos = text.find('<', begin); pos < end; pos = text.find('<', pos)) {
      while (skip < skipped.size() && skipped[skip].end <= pos) ++skip;
      if (skip < skipped.size() && skipped[skip].begin <= pos) {
        pos = skipped[skip].end;
        continue;
      }
      if (!html && pos > begin && text_[pos - 1] == '\\') {
        ++pos;
        continue;
      }
      pos = Tag(pos, end, html);
    }
    CloseParagraph(end);
  }

  void Finish() {
    if (Depth() > 0) hidden_.Add(opened_at_, text_.size());
  }

 private:
  // Returns where to go on.
  size_t Tag(size_t pos, size_t end, bool html) {
    size_t name = pos + 1;
    const bool closes = name < end && text_[name] == '/';
    if (closes) ++name;
    size_t name_end = name;
    while (name_end < end &&
           (absl::ascii_isalpha(text_[name_end]) || (text_[name_end] >= '0' && text_[name_end] <= '9')))
      ++name_end;
    if (name_end == name) return pos + 1;
    const size_t element = Find(text_.substr(name, name_end - name));
    if (html && Depth() == 0) {
      // A tag may take several lines.
      const size_t close = no_close_ ? std::string_view::npos : text_.find('>', name_end);
      no_close_ = close == std::string_view::npos;
      hidden_.Add(pos, std::min(close, end));
      name_end = std::max(name_end, std::min(close, end));
    }
    if (element == kElements.size()) return name_end;
    const size_t before = Depth();
    if (!closes) {
      ++depth_[element];
      if (before == 0) opened_at_ = pos;
    } else if (depth_[element] > 0) {
      --depth_[element];
      if (Depth() == 0) hidden_.Add(opened_at_, pos);
    }
    return name_end;
  }

  void CloseParagraph(size_t end) {
    if (Depth() == 0) return;
    for (size_t i = 0; i < kElements.size(); ++i) {
      if (!kElements[i].stays_open) depth_[i] = 0;
    }
    if (Depth() == 0) hidden_.Add(opened_at_, end);
  }

  size_t Find(std::string_view name) const {
    for (size_t i = 0; i < kElements.size(); ++i) {
      const std::string_view known = kElements[i].name;
      if (absl::c_equal(name, known, [](char a, char b) { return absl::ascii_tolower(a) == b; })) return i;
    }
    return kElements.size();
  }

  size_t Depth() const {
    size_t depth = 0;
    for (size_t open : depth_) depth += open;
    return depth;
  }

  std::string_view text_;
  Hidden& hidden_;
  std::array<size_t, kElements.size()> depth_{};
  size_t opened_at_ = 0;
  bool no_close_ = false;
};

// What is known of a text once it was read as Markdown.
class Page {
 public:
  Page(std::string_view text, const std::vector<TextLine>& lines, const std::vector<MarkdownBlock>& blocks)
      : text_(text), lines_(lines), blocks_(blocks), block_of_(lines.size(), kNoBlock) {
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      for (uint32_t line = blocks[i].first_line; line <= blocks[i].last_line; ++line) block_of_[line] = i;
    }
    has_markup_ = text.find_first_of("<`") != std::string_view::npos;
    if (has_markup_) ReadMarkup();
  }

  // Whether the line is text that somebody wrote here, and not code or a quote. To be asked in ascending order.
  bool IsText(const Candidate& candidate) {
    const uint32_t index = block_of_[candidate.line];
    if (index == kNoBlock) return false;
    const MarkdownBlock& block = blocks_[index];
    if (block.quote_depth > 0 || block.kind == BlockKind::kFencedCode || block.kind == BlockKind::kIndentedCode)
      return false;
    if (block.kind == BlockKind::kHtml && IsRaw(text_, block, lines_[block.first_line])) return false;
    if (!has_markup_) return true;
    const size_t begin = candidate.begin;
    return !tags_.Contains(begin) && !spans_.Contains(begin) && !fences_.Contains(begin) &&
           !in_comment_.Contains(begin);
  }

  // Fills in what the line is besides its beginning.
  CommandLine Line(const Candidate& candidate, uint32_t next_line) {
    CommandLine line;
    line.begin = candidate.begin;
    line.end = lines_[candidate.line].end;
    line.rest_end = line.end;
    const uint32_t block = block_of_[candidate.line];
    for (uint32_t i = candidate.line + 1; i < next_line && i < lines_.size() && block_of_[i] == block; ++i)
      line.rest_end = lines_[i].end;
    BlankComments(line);
    return line;
  }

 private:
  void ReadMarkup() {
    TagReader tags(text_, tags_);
    std::vector<CommentRange> skipped;
    uint32_t read_to = 0;  // blocks may claim the same line twice
    for (const MarkdownBlock& block : blocks_) {
      const TextLine& first = lines_[block.first_line];
      const bool markup = block.kind == BlockKind::kParagraph || block.kind == BlockKind::kHeading;
      const bool html = block.kind == BlockKind::kHtml && !IsRaw(text_, block, first);
      const uint32_t begin = std::max(read_to, first.begin);
      const uint32_t end = lines_[block.last_line].end;
      if ((!markup && !html) || begin >= end) continue;
      read_to = end;
      const size_t known = comments_.size();
      std::vector<CommentRange> spans;
      rules::FindHtmlComments(text_, begin, end, markup, comments_, &spans);
      for (const CommentRange& span : spans) spans_.Add(span.begin, span.end);
      skipped.clear();
      std::merge(comments_.begin() + static_cast<std::ptrdiff_t>(known), comments_.end(), spans.begin(), spans.end(),
                 std::back_inserter(skipped),
                 [](const CommentRange& a, const CommentRange& b) { return a.begin < b.begin; });
      if (html) ReadFences(block);
      tags.Read(begin, end, html, skipped);
    }
    tags.Finish();
    for (const CommentRange& comment : comments_) in_comment_.Add(comment.begin, comment.end);
  }

  // Markdown inside of HTML is not parsed, but people put fences there.
  void ReadFences(const MarkdownBlock& block) {
    bool open = false;
    size_t begin = 0;
    for (uint32_t i = block.first_line; i <= block.last_line; ++i) {
      const std::string_view line = text_.substr(lines_[i].begin, lines_[i].end - lines_[i].begin);
      const size_t mark = line.find_first_not_of(" \t");
      if (mark == std::string_view::npos) continue;
      if (line.substr(mark, 3) != "```" && line.substr(mark, 3) != "~~~") continue;
      if (open) fences_.Add(begin, lines_[i].end);
      begin = lines_[i].begin;
      open = !open;
    }
    if (open) fences_.Add(begin, lines_[block.last_line].end);
  }

  void BlankComments(CommandLine& line) {
    while (next_comment_ < comments_.size() && comments_[next_comment_].end <= line.begin) ++next_comment_;
    std::string& text = line.without_comments;
    for (size_t i = next_comment_; i < comments_.size() && comments_[i].begin < line.rest_end; ++i) {
      if (text.empty()) text = text_.substr(line.begin, line.rest_end - line.begin);
      const size_t begin = comments_[i].begin - line.begin;
      const size_t end = std::min<size_t>(comments_[i].end, line.rest_end) - line.begin;
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
                ' ');
    }
  }

  std::string_view text_;
  const std::vector<TextLine>& lines_;
  const std::vector<MarkdownBlock>& blocks_;
  std::vector<uint32_t> block_of_;
  bool has_markup_ = false;
  std::vector<CommentRange> comments_;
  size_t next_comment_ = 0;
  Hidden tags_;
  Hidden spans_;
  Hidden fences_;
  Hidden in_comment_;
};

}  // namespace

bool MayBeCommand(std::string_view line, size_t& begin) {
  begin = SkipBlanks(line, 0);
  if (begin == line.size()) return false;
  const Character first = CharacterAt(line, begin);
  const char mark = AsciiOf(first.code);
  const size_t next = begin + first.length;
  if (next == line.size()) return false;
  return mark == '@' || (mark == '/' && absl::ascii_isalpha(AsciiOf(CharacterAt(line, next).code)));
}

CommandLines FindCommandLines(std::string_view text) {
  CommandLines found;
  const size_t markdown_end = rules::MarkdownEnd(text);
  const std::string_view markdown = text.substr(0, markdown_end);
  if (markdown_end < text.size()) {
    const std::string_view rest = text.substr(markdown_end);
    if (!FindCandidates(rest, rules::SplitLines(rest)).empty()) found.unread = markdown_end;
  }
  const std::vector<TextLine> lines = rules::SplitLines(markdown);
  const std::vector<Candidate> candidates = FindCandidates(markdown, lines);
  if (candidates.empty()) return found;
  const std::vector<MarkdownBlock> blocks = rules::ParseMarkdownBlocks(markdown, lines, found.too_deep);
  if (found.too_deep) return found;
  Page page(markdown, lines, blocks);
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!page.IsText(candidates[i])) continue;
    found.lines.push_back(page.Line(candidates[i], i + 1 < candidates.size() ? candidates[i + 1].line : UINT32_MAX));
  }
  return found;
}

}  // namespace yardmaster::commands
