#include "rules/engine/text/line_classifier.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace yardmaster::rules {
namespace {

// How many lines that fit no pattern may interrupt a trace or a dump.
constexpr uint32_t kGapInCode = 3;
constexpr uint32_t kGapInProseTrace = 1;
constexpr uint32_t kGapInProseDump = 2;
// How many lines above the start of a dump are looked at: the frame of a table, a column header.
constexpr uint32_t kLookBack = 3;

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

// A prompt of a shell or an interpreter: what follows was typed, so a trace has ended.
bool IsPrompt(std::string_view text) {
  return text.starts_with("$ ") || text.starts_with(">>> ") || text.starts_with("In [");
}

// What the name of a command may have behind its first letter.
bool IsNameChar(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; }

// "/label bug": a slash, a name and then a blank or nothing. Paths do not look like that.
bool IsSlashCommand(std::string_view line) {
  const size_t slash = line.find_first_not_of(' ');
  if (slash > 3 || line[slash] != '/') return false;  // npos is greater, too
  size_t pos = slash + 1;
  if (pos >= line.size() || !absl::ascii_isalpha(static_cast<unsigned char>(line[pos]))) return false;
  while (pos < line.size() && IsNameChar(line[pos])) ++pos;
  return pos == line.size() || line[pos] == ' ' || line[pos] == '\t';
}

Zone ZoneOfBlock(const MarkdownBlock& block) {
  if (block.quote_depth > 0) return Zone::kQuote;
  switch (block.kind) {
    case BlockKind::kFencedCode:
    case BlockKind::kIndentedCode:
      return Zone::kCode;
    case BlockKind::kHeading:
      return Zone::kHeading;
    case BlockKind::kHtml:
      return block.raw_html ? Zone::kCode : Zone::kProse;
    case BlockKind::kParagraph:
      break;
  }
  return Zone::kProse;
}

bool IsCode(const MarkdownBlock& block) {
  return block.kind == BlockKind::kFencedCode || block.kind == BlockKind::kIndentedCode || block.raw_html;
}

}  // namespace

LineClassifier::LineClassifier(std::string_view text, const LinePatterns& patterns,
                               const std::vector<MarkdownBlock>& blocks, const std::vector<CommentRange>& comments,
                               std::vector<ClassifiedLine>& lines)
    : text_(text), patterns_(patterns), blocks_(blocks), comments_(comments), lines_(lines) {}

void LineClassifier::Run() {
  for (uint32_t index = 0; index < lines_.size(); ++index) {
    ClassifiedLine& line = lines_[index];
    std::string_view text;
    if (!VisibleText(line, index, text)) {
      line.skipped = true;
      continue;
    }
    if (line.block != block_) {
      LeaveBlock();
      EnterBlock(line.block);
    }
    const MarkdownBlock& block = BlockOf(line);
    if (block.setext) {
      SetextLine(index, text);
    } else if (block.kind == BlockKind::kHeading) {
      HeadingLine(index, text);
    } else if (IsCode(block)) {
      CodeLine(index, text);
    } else {
      ParagraphLine(index, text);
    }
  }
  LeaveBlock();
}

const MarkdownBlock& LineClassifier::BlockOf(const ClassifiedLine& line) const {
  return line.block == kNoBlock ? no_block_ : blocks_[line.block];
}

std::string_view LineClassifier::TextOf(uint32_t index) const {
  const ClassifiedLine& line = lines_[index];
  return TextInBlock(text_.substr(line.bytes.begin, line.bytes.end - line.bytes.begin), BlockOf(line), index);
}

bool LineClassifier::VisibleText(const ClassifiedLine& line, uint32_t index, std::string_view& text) {
  uint32_t begin = line.bytes.begin;
  uint32_t end = line.bytes.end;
  while (next_comment_ < comments_.size() && comments_[next_comment_].end <= begin) ++next_comment_;
  // Take the first stretch between comments that is not blank.
  for (size_t i = next_comment_; i < comments_.size() && comments_[i].begin < line.bytes.end; ++i) {
    if (comments_[i].begin > begin && !IsBlank(text_.substr(begin, comments_[i].begin - begin))) {
      end = comments_[i].begin;
      break;
    }
    begin = std::max(begin, std::min(comments_[i].end, line.bytes.end));
  }
  text = text_.substr(begin, end - begin);
  if (IsBlank(text)) return false;
  if (begin == line.bytes.begin) text = TextInBlock(text, BlockOf(line), index);
  return true;
}

void LineClassifier::EnterBlock(uint32_t block_index) {
  const MarkdownBlock& from = block_ == kNoBlock ? no_block_ : blocks_[block_];
  const MarkdownBlock& to = block_index == kNoBlock ? no_block_ : blocks_[block_index];
  block_ = block_index;
  html_fence_ = false;
  // A trace or dump without a fence may have blank lines, and frames that Markdown takes for indented code. Nothing
  // else goes on.
  const bool fence = from.kind == BlockKind::kFencedCode || to.kind == BlockKind::kFencedCode;
  const bool after_error = region_ == Region::kTrace && error_seen_ && to.kind == BlockKind::kIndentedCode;
  const bool heading =
      to.kind == BlockKind::kHeading && !to.setext && region_ == Region::kTrace;  // dumps: see HeadingLine
  if (fence || after_error || heading || from.quote_depth != to.quote_depth) Close();
}

void LineClassifier::LeaveBlock() {
  const MarkdownBlock& block = block_ == kNoBlock ? no_block_ : blocks_[block_];
  if (IsCode(block) && region_ == Region::kEnvironment && doubtful_ > 0) {
    // A dump in code goes on to the end, unknown last lines included.
    for (uint32_t index = region_line_ + 1; index <= block.last_line && index < lines_.size(); ++index) {
      if (!lines_[index].skipped && !(block.closed_fence && index == block.last_line)) Take(index);
    }
  }
  doubtful_ = 0;
  if (block.kind == BlockKind::kFencedCode) SettleFenceLines(block);
}

// The fence lines go with what they hold.
void LineClassifier::SettleFenceLines(const MarkdownBlock& block) {
  const uint32_t content_begin = block.first_line + 1;
  const uint32_t content_end = block.closed_fence ? block.last_line : block.last_line + 1;
  uint32_t first = content_begin;
  while (first < content_end && lines_[first].skipped) ++first;
  if (first >= content_end) return;
  uint32_t last = content_end - 1;
  while (last > first && lines_[last].skipped) --last;
  if (lines_[block.first_line].zone == ZoneOfBlock(block)) lines_[block.first_line].zone = lines_[first].zone;
  if (block.closed_fence) lines_[block.last_line].zone = lines_[last].zone;
}

void LineClassifier::HeadingLine(uint32_t index, std::string_view text) {
  const MarkdownBlock& block = BlockOf(lines_[index]);
  const size_t title_begin = text.find_first_not_of("# \t");
  if (title_begin == std::string_view::npos && region_ == Region::kEnvironment) {
    Take(index);  // package lists begin with lines of "#"
    return;
  }
  Close();
  Zone& zone = lines_[index].zone;
  zone = ZoneOfBlock(block);
  const std::string_view title = title_begin == std::string_view::npos ? text : text.substr(title_begin);
  environment_section_ = patterns_.StartsEnvironment(title);
  if (patterns_.IsBoilerplate(text)) {
    zone = Zone::kBoilerplate;
  } else if (patterns_.StartsTrace(text) || patterns_.IsError(text)) {
    error_seen_ = patterns_.IsError(text);
    Open(Region::kTrace, index, zone);
  } else if (environment_section_ || patterns_.StartsEnvironment(text)) {
    Open(Region::kEnvironment, index, zone);
  }
}

// Rules of "=" and "-" are as common in logs as headings with an underline are in prose: the lines are looked at like a
// paragraph's, and are a heading only where nothing else claims them.
void LineClassifier::SetextLine(uint32_t index, std::string_view text) {
  const MarkdownBlock& block = BlockOf(lines_[index]);
  if (index != block.last_line) {
    ParagraphLine(index, text);
    const Zone zone = lines_[index].zone;
    if (zone == Zone::kHeading || zone == Zone::kBoilerplate) environment_section_ = patterns_.StartsEnvironment(text);
    return;
  }
  const Zone title = lines_[index - 1].zone;
  const bool goes_on = region_ == Region::kTrace         ? patterns_.ContinuesTrace(text)
                       : region_ == Region::kEnvironment ? patterns_.ContinuesEnvironment(text)
                                                         : false;
  if (goes_on && title != Zone::kBoilerplate) {
    Take(index);
  } else {
    lines_[index].zone = title;
  }
}

void LineClassifier::CodeLine(uint32_t index, std::string_view text) {
  const MarkdownBlock& block = BlockOf(lines_[index]);
  const Zone base = ZoneOfBlock(block);
  if (block.kind == BlockKind::kFencedCode &&
      (index == block.first_line || (block.closed_fence && index == block.last_line))) {
    lines_[index].zone = base;
    // Some people put the first line of a trace behind the fence.
    const size_t info = text.find_first_not_of("`~ \t");
    if (index == block.first_line && info != std::string_view::npos) StartOrBase(index, text.substr(info), base, false);
    return;
  }
  // Indentation is what frames outside of fences are known by.
  const std::string_view whole =
      block.kind == BlockKind::kIndentedCode
          ? text_.substr(lines_[index].bytes.begin, lines_[index].bytes.end - lines_[index].bytes.begin)
          : text;
  if (region_ == Region::kNone) {
    StartOrBase(index, text, base, false);
  } else if (IsPrompt(text)) {
    Close();
    lines_[index].zone = base;
  } else if (region_ == Region::kTrace) {
    if (patterns_.ContinuesTrace(whole) || region_line_ + 1 == index) {
      Take(index);
    } else if (patterns_.IsSpecial(text)) {
      Close();
      StartOrBase(index, text, base, false);
    } else {
      Doubt(index, base, kGapInCode);
    }
  } else if (patterns_.ContinuesEnvironment(text)) {
    Take(index);
  } else if (patterns_.StartsTrace(text) || patterns_.IsError(text)) {
    Close();
    StartOrBase(index, text, base, false);
  } else {
    Doubt(index, base, kGapInCode);
  }
}

void LineClassifier::ParagraphLine(uint32_t index, std::string_view text) {
  const MarkdownBlock& block = BlockOf(lines_[index]);
  Zone base = ZoneOfBlock(block);
  if (block.kind == BlockKind::kHtml) {
    // Markdown inside of HTML is not parsed, but people put fences there.
    const bool fence = text.starts_with("```");
    if (fence) html_fence_ = !html_fence_;
    if (fence || html_fence_) base = Zone::kCode;
  }
  const bool adjacent = region_line_ + 1 + doubtful_ == index && lines_[region_line_].block == lines_[index].block;
  if (region_ == Region::kTrace) {
    if (patterns_.ContinuesTrace(text)) {
      error_seen_ = patterns_.IsError(text);
      Take(index);
      return;
    }
    if (adjacent && !error_seen_ && !patterns_.IsSpecial(text)) {
      Doubt(index, base, kGapInProseTrace);
      return;
    }
    Close();
  } else if (region_ == Region::kEnvironment) {
    if (patterns_.ContinuesEnvironment(text)) {
      Take(index);
      return;
    }
    if (adjacent && !patterns_.IsSpecial(text)) {
      Doubt(index, base, kGapInProseDump);
      return;
    }
    Close();
  }
  StartOrBase(index, text, base, true);
}

void LineClassifier::StartOrBase(uint32_t index, std::string_view text, Zone base, bool may_be_form) {
  ClassifiedLine& line = lines_[index];
  line.zone = base;
  if (patterns_.IsSpecial(text)) {
    const bool error = patterns_.IsError(text);
    if (error || patterns_.StartsTrace(text)) {
      error_seen_ = error;
      Open(Region::kTrace, index, base);
      return;
    }
    const bool form = may_be_form && patterns_.IsBoilerplate(text);
    if (patterns_.StartsEnvironment(text)) Open(Region::kEnvironment, index, base);
    if (form) line.zone = Zone::kBoilerplate;
    if (form || region_ != Region::kNone) return;
  }
  if (environment_section_ && patterns_.ContinuesEnvironment(text)) {
    Open(Region::kEnvironment, index, base);
  } else if (may_be_form && base == Zone::kProse) {
    const std::string_view whole = text_.substr(line.bytes.begin, line.bytes.end - line.bytes.begin);
    if (IsSlashCommand(whole)) line.zone = Zone::kCommand;
  }
}

void LineClassifier::Open(Region region, uint32_t index, Zone base) {
  region_ = region;
  doubtful_ = 0;
  region_line_ = index;
  lines_[index].zone = region == Region::kTrace ? Zone::kTrace : Zone::kEnvironment;
  if (region == Region::kTrace) return;
  // Frames and column headers of tables come before the line that gives the dump away.
  for (uint32_t back = 1; back <= kLookBack && back <= index; ++back) {
    ClassifiedLine& line = lines_[index - back];
    if (line.skipped || line.block != lines_[index].block || line.zone != base) return;
    if (!patterns_.ContinuesEnvironment(TextOf(index - back))) return;
    line.zone = Zone::kEnvironment;
  }
}

void LineClassifier::Take(uint32_t index) {
  const Zone zone = region_ == Region::kTrace ? Zone::kTrace : Zone::kEnvironment;
  if (doubtful_ > 0) {
    for (uint32_t line = region_line_ + 1; line < index; ++line) {
      if (!lines_[line].skipped) lines_[line].zone = zone;
    }
    doubtful_ = 0;
  }
  lines_[index].zone = zone;
  region_line_ = index;
}

void LineClassifier::Doubt(uint32_t index, Zone base, uint32_t limit) {
  lines_[index].zone = base;
  if (++doubtful_ > limit) Close();
}

void LineClassifier::Close() {
  region_ = Region::kNone;
  doubtful_ = 0;
  error_seen_ = false;
}

}  // namespace yardmaster::rules
