#include "rules/engine/text/zones.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/text/html_comments.h"
#include "rules/engine/text/line_classifier.h"
#include "rules/engine/text/line_patterns.h"
#include "rules/engine/text/markdown_blocks.h"
#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

constexpr std::array<std::string_view, kZoneCount> kZoneNames = {
    "title", "prose",        "heading",     "code",    "trace",   "environment",
    "quote", "html_comment", "boilerplate", "command", "overflow"};

bool IsWhitespace(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// Collects stretches of lines and joins those that belong together.
class SpanWriter {
 public:
  SpanWriter(std::string_view text, const std::vector<MarkdownBlock>& blocks, std::vector<ZoneSpan>& spans)
      : text_(text), blocks_(blocks), spans_(spans) {}

  void Add(Zone zone, uint32_t block, uint32_t begin, uint32_t end) {
    if (IsWhitespace(text_.substr(begin, end - begin))) return;
    if (!spans_.empty() && spans_.back().zone == zone && (block == block_ || GoesOn(zone, block))) {
      spans_.back().end = end;
    } else {
      spans_.push_back(
          {zone, begin, end, zone == Zone::kCode && block != kNoBlock ? blocks_[block].language : std::string()});
    }
    block_ = block;
  }

 private:
  // A trace or dump outside of fences may be several paragraphs.
  bool GoesOn(Zone zone, uint32_t block) const {
    return (zone == Zone::kTrace || zone == Zone::kEnvironment) && !IsFence(block) && !IsFence(block_);
  }
  bool IsFence(uint32_t block) const { return block != kNoBlock && blocks_[block].kind == BlockKind::kFencedCode; }

  std::string_view text_;
  const std::vector<MarkdownBlock>& blocks_;
  std::vector<ZoneSpan>& spans_;
  uint32_t block_ = kNoBlock;
};

// Comments of all blocks that may hold some.
std::vector<CommentRange> FindComments(std::string_view text, const std::vector<TextLine>& lines,
                                       const std::vector<MarkdownBlock>& blocks) {
  std::vector<CommentRange> comments;
  if (text.find("<!--") == std::string_view::npos) return comments;
  uint32_t searched = 0;  // blocks may claim the same line twice
  for (const MarkdownBlock& block : blocks) {
    const bool markup = block.kind == BlockKind::kParagraph || block.kind == BlockKind::kHeading;
    if (!markup && (block.kind != BlockKind::kHtml || block.raw_html)) continue;
    const uint32_t begin = std::max(searched, lines[block.first_line].begin);
    const uint32_t end = lines[block.last_line].end;
    if (begin >= end) continue;
    FindHtmlComments(text, begin, end, markup, comments);
    searched = end;
  }
  return comments;
}

void WriteSpans(std::string_view text, const std::vector<MarkdownBlock>& blocks,
                const std::vector<CommentRange>& comments, const std::vector<ClassifiedLine>& lines,
                std::vector<ZoneSpan>& spans) {
  SpanWriter writer(text, blocks, spans);
  size_t next = 0;
  for (const ClassifiedLine& line : lines) {
    uint32_t pos = line.bytes.begin;
    // Cut the comments out of the line.
    while (next < comments.size() && comments[next].begin < line.bytes.end) {
      const uint32_t begin = std::max(pos, comments[next].begin);
      const uint32_t end = std::min(comments[next].end, line.bytes.end);
      if (begin > pos) writer.Add(line.zone, line.block, pos, begin);
      if (end > begin) writer.Add(Zone::kHtmlComment, line.block, begin, end);
      pos = std::max(pos, end);
      if (comments[next].end > line.bytes.end) break;
      ++next;
    }
    if (pos < line.bytes.end) writer.Add(line.zone, line.block, pos, line.bytes.end);
  }
}

}  // namespace

size_t MarkdownEnd(std::string_view text) {
  if (text.size() <= kMaxMarkdownBytes) return text.size();
  const size_t eol = text.find_last_of("\r\n", kMaxMarkdownBytes - 1);
  return eol != std::string_view::npos ? eol + 1 : CutUtf8(text, kMaxMarkdownBytes).size();
}

std::string_view ZoneName(Zone zone) { return kZoneNames[static_cast<size_t>(zone)]; }

std::optional<Zone> ZoneFromName(std::string_view name) {
  const auto it = absl::c_find(kZoneNames, name);
  return it == kZoneNames.end() ? std::nullopt : std::optional(static_cast<Zone>(it - kZoneNames.begin()));
}

struct ZoneSplitter::Impl {
  std::unique_ptr<const LinePatterns> patterns;
};

std::unique_ptr<ZoneSplitter> ZoneSplitter::Create(const ZoneRules& rules, Problems& problems) {
  auto impl = std::make_unique<Impl>();
  impl->patterns = LinePatterns::Create(rules, problems);
  if (impl->patterns == nullptr) return nullptr;
  return std::unique_ptr<ZoneSplitter>(new ZoneSplitter(std::move(impl)));
}

ZoneSplitter::ZoneSplitter(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
ZoneSplitter::~ZoneSplitter() = default;

std::vector<ZoneSpan> ZoneSplitter::Split(std::string_view text, bool* too_deep) const {
  const size_t markdown_end = MarkdownEnd(text);
  const std::string_view markdown = text.substr(0, markdown_end);
  const std::vector<TextLine> bounds = SplitLines(markdown);
  bool deep = false;
  const std::vector<MarkdownBlock> blocks = ParseMarkdownBlocks(markdown, bounds, deep);
  if (too_deep != nullptr) *too_deep = deep;
  const std::vector<CommentRange> comments = FindComments(markdown, bounds, blocks);

  // Each line knows its block.
  std::vector<ClassifiedLine> lines(bounds.size());
  for (size_t i = 0; i < bounds.size(); ++i) lines[i].bytes = bounds[i];
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    for (uint32_t line = blocks[i].first_line; line <= blocks[i].last_line; ++line) lines[line].block = i;
  }
  LineClassifier(markdown, *impl_->patterns, blocks, comments, lines).Run();

  std::vector<ZoneSpan> spans;
  spans.reserve(blocks.size() + 2);
  WriteSpans(markdown, blocks, comments, lines, spans);
  if (markdown_end < text.size() && !IsWhitespace(text.substr(markdown_end))) {
    spans.push_back({Zone::kOverflow, markdown_end, text.size(), std::string()});
  }
  return spans;
}

}  // namespace yardmaster::rules
