// What each line of a Markdown text is: the block around it gives the first answer, the pack's line patterns the last
// one.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_LINE_CLASSIFIER_H_
#define YARDMASTER_RULES_ENGINE_TEXT_LINE_CLASSIFIER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "rules/engine/text/html_comments.h"
#include "rules/engine/text/line_patterns.h"
#include "rules/engine/text/markdown_blocks.h"
#include "rules/engine/text/zones.h"

namespace yardmaster::rules {

inline constexpr uint32_t kNoBlock = UINT32_MAX;

struct ClassifiedLine {
  TextLine bytes;
  uint32_t block = kNoBlock;  // index into the blocks
  Zone zone = Zone::kProse;
  bool skipped = false;  // blank, or nothing but HTML comments
};

// Follows traces and dumps from the line that starts them to the line where they end. A region of the one or the other
// is open between; how far a line that fits no pattern may interrupt it depends on the block:
// * in code, a trace goes on to the next blank line or shell prompt, and unknown lines inside a dump belong to it;
// * in prose, only lines that fit belong, and single unknown lines between two that do.
class LineClassifier {
 public:
  // All must outlive the object. `comments` are in ascending order.
  LineClassifier(std::string_view text, const LinePatterns& patterns, const std::vector<MarkdownBlock>& blocks,
                 const std::vector<CommentRange>& comments, std::vector<ClassifiedLine>& lines);

  // Fills in zone and skipped of every line.
  void Run();

 private:
  enum class Region : uint8_t { kNone, kTrace, kEnvironment };

  const MarkdownBlock& BlockOf(const ClassifiedLine& line) const;
  std::string_view TextOf(uint32_t index) const;
  // The part of a line outside of comments that says what it is; false if there is none.
  bool VisibleText(const ClassifiedLine& line, uint32_t index, std::string_view& text);

  void EnterBlock(uint32_t block);
  void LeaveBlock();
  void HeadingLine(uint32_t index, std::string_view text);
  void SetextLine(uint32_t index, std::string_view text);
  void CodeLine(uint32_t index, std::string_view text);
  void ParagraphLine(uint32_t index, std::string_view text);

  // Gives a line outside of regions its zone, and opens a region where the line starts one.
  void StartOrBase(uint32_t index, std::string_view text, Zone base, bool may_be_form);
  void Open(Region region, uint32_t index, Zone base);
  // The line belongs to the open region, and so do the unknown lines since the last one that did.
  void Take(uint32_t index);
  // The line may turn out to belong to the open region if one of the next lines does; closes the region after `limit`
  // such lines.
  void Doubt(uint32_t index, Zone base, uint32_t limit);
  void Close();
  void SettleFenceLines(const MarkdownBlock& block);

  std::string_view text_;
  const LinePatterns& patterns_;
  const std::vector<MarkdownBlock>& blocks_;
  const std::vector<CommentRange>& comments_;
  std::vector<ClassifiedLine>& lines_;
  MarkdownBlock no_block_;  // stands for lines of no block
  size_t next_comment_ = 0;

  uint32_t block_ = kNoBlock;  // of the line before
  Region region_ = Region::kNone;
  uint32_t region_line_ = 0;          // last line that belongs to the region
  uint32_t doubtful_ = 0;             // lines since then that did not fit
  bool error_seen_ = false;           // the trace's last line is its error message
  bool environment_section_ = false;  // below a heading that announces an environment
  bool html_fence_ = false;           // inside ``` lines of an HTML block
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_LINE_CLASSIFIER_H_
