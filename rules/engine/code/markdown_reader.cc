#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rules/engine/code/fact_builder.h"
#include "rules/engine/code/readers.h"
#include "rules/engine/code/source_file.h"
#include "rules/engine/code/syntax_tree.h"
#include "services/core/readable.h"
#include "services/core/thread_clock.h"

namespace yardmaster::rules {
namespace {

constexpr std::string_view kBlanks = " \t\r";
// Python blocks that are parsed; further ones are texts only.
constexpr size_t kMaxParsedBlocks = 500;
// Brackets that are open at the same time, of links and images in each other.
constexpr size_t kMaxOpenBrackets = 32;

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class MarkdownReader {
 public:
  MarkdownReader(std::chrono::milliseconds limit, FileFacts& facts)
      : limit_(limit), deadline_(ThreadClock::now() + limit), facts_(facts) {}

  void Read() {
    uint32_t offset = FrontMatter();
    while (offset < facts_.text.size() && !full_) {
      const size_t end = facts_.text.find('\n', offset);
      const auto next = static_cast<uint32_t>(end == std::string_view::npos ? facts_.text.size() : end + 1);
      const auto line_end = static_cast<uint32_t>(end == std::string_view::npos ? facts_.text.size() : end);
      Line(offset, line_end);
      offset = next;
    }
    if (in_fence_) CloseFence(static_cast<uint32_t>(facts_.text.size()), static_cast<uint32_t>(facts_.text.size()));
    CloseSections(1, static_cast<uint32_t>(facts_.text.size()));
    CodeSpans();
    ParseBlocks();
  }

 private:
  // For all parts of the file together.
  std::chrono::milliseconds TimeLeft() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - ThreadClock::now());
  }

  // A row was added, or a cell of one.
  void CountRow() {
    if (++facts_.rows < kMaxSourceRows || full_) return;
    full_ = true;
    facts_.limits.push_back({"more than " + std::to_string(kMaxSourceRows) + " facts; the rest was not read"});
  }

  // Entries of a front matter; returns where the rest begins.
  uint32_t FrontMatter() {
    const std::string_view text = facts_.text;
    const size_t first = text.find('\n');
    if (first == std::string_view::npos || Trim(text.substr(0, first)) != "---") return 0;
    for (size_t begin = first + 1; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = Trim(text.substr(begin, end - begin));
      if (line == "---" || line == "...") {
        facts_.front_matter = true;
        const auto from = static_cast<uint32_t>(first + 1);
        const auto to = static_cast<uint32_t>(begin);
        ParseStop stop = ParseStop::kTime;
        if (const SyntaxTree tree = ParseSourcePart(Language::kYaml, text, from, to, TimeLeft(), &stop)) {
          const TSNode root = ts_tree_root_node(tree.get());
          if (ts_node_has_error(root)) FindSyntaxErrors(root, 1, facts_.errors);
          ReadData(root, true, facts_);
        } else {
          facts_.limits.push_back({"front matter: " + Describe(stop, limit_)});
        }
        return static_cast<uint32_t>(std::min(end + 1, text.size()));
      }
      begin = end + 1;
    }
    return 0;
  }

  void Line(uint32_t begin, uint32_t end) {
    const std::string_view whole = facts_.Text({begin, end});
    const std::string_view line = Trim(whole);
    if (in_fence_) {
      if (line.size() >= fence_.size() && line.starts_with(fence_) &&
          line.find_first_not_of(fence_[0]) == std::string_view::npos) {
        CloseFence(begin, end);
      }
      return;
    }
    if (line.starts_with("```") || line.starts_with("~~~")) {
      size_t length = 0;
      while (length < line.size() && line[length] == line[0]) ++length;
      // Back-ticks behind the fence make it a code span.
      if (line[0] == '~' || line.find('`', length) == std::string_view::npos) {
        in_fence_ = true;
        in_table_ = false;
        fence_ = line.substr(0, length);
        fence_begin_ = begin;
        fence_body_ = static_cast<uint32_t>(std::min<size_t>(end + 1, facts_.text.size()));
        fence_language_ = Trim(line.substr(length));
        fence_language_ = fence_language_.substr(0, fence_language_.find_first_of(" {,"));
        return;
      }
    }
    if (Heading(begin, end, whole, line)) return;
    if (line.empty()) {
      in_table_ = false;
      paragraph_ = {};
      return;
    }
    if (line.find('|') != std::string_view::npos && Table(begin, end, line)) return;
    in_table_ = false;
    ListItem(begin, end, line);
    paragraph_ = {begin, end};
  }

  bool Heading(uint32_t begin, uint32_t end, std::string_view whole, std::string_view line) {
    size_t level = 0;
    while (level < line.size() && line[level] == '#') ++level;
    const bool indented = whole.starts_with("    ") || whole.starts_with("\t");
    if (level >= 1 && level <= 6 && !indented && (level == line.size() || line[level] == ' ' || line[level] == '\t')) {
      std::string_view title = Trim(line.substr(level));
      // Closing marks.
      const size_t last = title.find_last_not_of('#');
      if (last == std::string_view::npos) {
        title = {};
      } else if (last + 1 < title.size() && title[last] == ' ') {
        title = Trim(title.substr(0, last));
      }
      OpenSection(begin, {begin, end}, title, static_cast<uint32_t>(level));
      return true;
    }
    // A paragraph underlined with === or ---.
    if (paragraph_.end > 0 && !line.empty() && (line[0] == '=' || line[0] == '-') &&
        line.find_first_not_of(line[0]) == std::string_view::npos && !in_table_) {
      const std::string_view title = Trim(facts_.Text(paragraph_));
      OpenSection(paragraph_.begin, {paragraph_.begin, end}, title, line[0] == '=' ? 1 : 2);
      return true;
    }
    return false;
  }

  void OpenSection(uint32_t begin, ByteSpan head, std::string_view title, uint32_t level) {
    paragraph_ = {};
    in_table_ = false;
    if (!facts_.sections.empty()) facts_.sections.back().own.end = begin;
    CloseSections(level, begin);
    CountRow();
    SectionFact& fact = facts_.sections.emplace_back();
    fact.span = {begin, head.end};
    fact.head = head;
    const auto body = static_cast<uint32_t>(std::min<size_t>(head.end + 1, facts_.text.size()));
    fact.body = fact.own = {body, static_cast<uint32_t>(facts_.text.size())};
    fact.title = title;
    fact.level = level;
    fact.index = static_cast<uint32_t>(facts_.sections.size() - 1);
    fact.parent = open_.empty() ? kNoRow : open_.back();
    open_.push_back(fact.index);
    boxes_ = 0;
  }

  // Sections of this level and below end here.
  void CloseSections(uint32_t level, uint32_t end) {
    while (!open_.empty() && facts_.sections[open_.back()].level >= level) {
      SectionFact& fact = facts_.sections[open_.back()];
      fact.span.end = end;
      fact.body.end = std::max(end, fact.body.begin);
      fact.own.end = std::clamp(fact.own.end, fact.own.begin, fact.body.end);
      open_.pop_back();
    }
  }

  RowIndex Section() const { return open_.empty() ? kNoRow : open_.back(); }

  void CloseFence(uint32_t begin, uint32_t end) {
    in_fence_ = false;
    CountRow();
    CodeBlockFact& fact = facts_.code_blocks.emplace_back();
    fact.span = {fence_begin_, end};
    fact.body = {std::min(fence_body_, begin), begin};
    fact.section = Section();
    fact.language = fence_language_;
    Words(fact.body);
  }

  std::vector<std::string_view> Cells(std::string_view line) {
    std::vector<std::string_view> cells;
    if (line.starts_with('|')) line.remove_prefix(1);
    size_t begin = 0;
    bool code = false;
    for (size_t i = 0; i <= line.size(); ++i) {
      if (i < line.size() && line[i] == '`') code = !code;
      if (i < line.size() && (line[i] != '|' || code || (i > 0 && line[i - 1] == '\\'))) continue;
      if (i == line.size() && Trim(line.substr(begin)).empty()) break;
      CountRow();
      if (full_) break;
      cells.push_back(Trim(line.substr(begin, i - begin)));
      begin = i + 1;
    }
    return cells;
  }

  static bool IsDelimiter(std::string_view line) {
    return line.find('-') != std::string_view::npos && line.find_first_not_of("|-: \t") == std::string_view::npos;
  }

  bool Table(uint32_t begin, uint32_t end, std::string_view line) {
    if (!in_table_) {
      // The line below the names makes it a table.
      if (IsDelimiter(line) && paragraph_.end > 0 && facts_.Text(paragraph_).find('|') != std::string_view::npos) {
        in_table_ = true;
        facts_.table_headers.push_back(Cells(Trim(facts_.Text(paragraph_))));
        table_row_ = 0;
        paragraph_ = {};
        return true;
      }
      return false;
    }
    CountRow();
    TableRowFact& fact = facts_.table_rows.emplace_back();
    fact.span = {begin, end};
    fact.section = Section();
    fact.header = static_cast<RowIndex>(facts_.table_headers.size() - 1);
    fact.table = fact.header;
    fact.index = table_row_++;
    fact.cells = Cells(line);
    return true;
  }

  void ListItem(uint32_t begin, uint32_t end, std::string_view line) {
    size_t marker = 0;
    if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) {
      marker = 2;
    } else {
      size_t digits = 0;
      while (digits < line.size() && digits < 9 && line[digits] >= '0' && line[digits] <= '9') ++digits;
      if (digits > 0 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') &&
          line[digits + 1] == ' ') {
        marker = digits + 2;
      }
    }
    if (marker == 0) return;
    MarkdownItemFact item;
    item.span = {begin, end};
    item.section = Section();
    item.body = Trim(line.substr(marker));
    item.index = static_cast<uint32_t>(facts_.list_items.size());
    CountRow();
    facts_.list_items.push_back(item);
    if (item.body.size() < 3 || item.body[0] != '[') return;
    const size_t close = item.body.find(']');
    // A mark is one character: a blank, x, -, a check mark.
    if (close > 5) return;  // npos too
    const std::string_view mark = item.body.substr(1, close - 1);
    const size_t characters = CodePoints(mark);
    if (characters > 2 || (close + 1 < item.body.size() && item.body[close + 1] == '(')) return;
    item.extra = Trim(mark);
    item.body = Trim(item.body.substr(close + 1));
    item.index = boxes_++;
    CountRow();
    facts_.checkboxes.push_back(item);
  }

  // Every different identifier of a piece of code.
  void Words(ByteSpan span) {
    const std::string_view text = facts_.Text(span);
    for (size_t i = 0; i < text.size() && !full_;) {
      if (!IsWord(text[i])) {
        ++i;
        continue;
      }
      size_t end = i;
      while (end < text.size() && IsWord(text[end])) ++end;
      const std::string_view word = text.substr(i, end - i);
      if (!(word[0] >= '0' && word[0] <= '9') && words_.insert(word).second) {
        MarkdownItemFact fact;
        fact.span = {static_cast<uint32_t>(span.begin + i), static_cast<uint32_t>(span.begin + end)};
        fact.body = word;
        fact.index = static_cast<uint32_t>(facts_.codewords.size());
        CountRow();
        facts_.codewords.push_back(fact);
      }
      i = end;
    }
  }

  // Code spans and links of everything outside of code blocks, one line at a time.
  void CodeSpans() {
    size_t block = 0;
    size_t section = 0;
    for (size_t line = 0; line < facts_.line_starts.size() && !full_; ++line) {
      const uint32_t begin = facts_.line_starts[line];
      const auto end = line + 1 < facts_.line_starts.size() ? facts_.line_starts[line + 1]
                                                            : static_cast<uint32_t>(facts_.text.size());
      while (block < facts_.code_blocks.size() && facts_.code_blocks[block].span.end <= begin) ++block;
      if (block < facts_.code_blocks.size() && facts_.code_blocks[block].span.begin <= begin) continue;
      while (section + 1 < facts_.sections.size() && facts_.sections[section + 1].span.begin <= begin) ++section;
      const RowIndex in = facts_.sections.empty() || facts_.sections[section].span.begin > begin
                              ? kNoRow
                              : static_cast<RowIndex>(section);
      const size_t first = facts_.links.size();
      Inline(begin, facts_.Text({begin, end}), in);
      Order(first);
    }
  }

  // Links in each other were found from the inside.
  void Order(size_t first) {
    const auto from = facts_.links.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(from, facts_.links.end(), [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; });
    for (size_t i = first; i < facts_.links.size(); ++i) facts_.links[i].index = static_cast<uint32_t>(i);
  }

  // Code spans and links of one line, which begins at `begin`. What no bracket closes is looked for once only.
  void Inline(uint32_t begin, std::string_view text, RowIndex section) {
    std::vector<size_t> open;
    size_t i = 0;
    while (i < text.size() && !full_) {
      const char c = text[i];
      if (c == '`') {
        const size_t close = text.find('`', i + 1);
        if (close == std::string_view::npos) return;
        Words({static_cast<uint32_t>(begin + i + 1), static_cast<uint32_t>(begin + close)});
        i = close + 1;
        continue;
      }
      if (c == '[') {
        if (open.size() == kMaxOpenBrackets) open.clear();
        open.push_back(i);
      }
      if (c == ']') {
        const size_t from = open.empty() ? std::string_view::npos : open.back();
        if (!open.empty()) open.pop_back();
        if (i + 1 < text.size() && text[i + 1] == '(') {
          const size_t close = text.find(')', i + 2);
          if (close == std::string_view::npos) {
            CodeSpansOnly(begin, text, i + 1);
            return;
          }
          Link(begin, text, from, i, close, section);
          i = close;
        }
      }
      ++i;
    }
  }

  // The rest of a line in which there are no links any more.
  void CodeSpansOnly(uint32_t begin, std::string_view text, size_t from) {
    for (size_t i = text.find('`', from); i != std::string_view::npos; i = text.find('`', i)) {
      const size_t close = text.find('`', i + 1);
      if (close == std::string_view::npos) return;
      Words({static_cast<uint32_t>(begin + i + 1), static_cast<uint32_t>(begin + close)});
      i = close + 1;
    }
  }

  // `[title](target)`: `open`, if there is one, `middle` and `close` are the places of its brackets in the line.
  void Link(uint32_t begin, std::string_view text, size_t open, size_t middle, size_t close, RowIndex section) {
    CountRow();
    MarkdownItemFact fact;
    const size_t from = open == std::string_view::npos ? middle : open;
    fact.span = {static_cast<uint32_t>(begin + from), static_cast<uint32_t>(begin + close + 1)};
    fact.section = section;
    fact.body = Trim(text.substr(middle + 2, close - middle - 2));
    fact.body = fact.body.substr(0, fact.body.find(' '));
    if (open != std::string_view::npos) fact.extra = text.substr(open + 1, middle - open - 1);
    facts_.links.push_back(fact);
  }

  void ParseBlocks() {
    size_t parsed = 0;
    for (size_t i = 0; i < facts_.code_blocks.size() && facts_.rows < kMaxSourceRows; ++i) {
      CodeBlockFact& block = facts_.code_blocks[i];
      const bool python = block.language == "python" || block.language == "py" || block.language == "python3";
      if (!python || ++parsed > kMaxParsedBlocks) continue;
      ParseStop stop = ParseStop::kTime;
      const SyntaxTree tree =
          ParseSourcePart(Language::kPython, facts_.text, block.body.begin, block.body.end, TimeLeft(), &stop);
      if (!tree) {
        facts_.limits.push_back({"code blocks: " + Describe(stop, limit_)});
        return;
      }
      const TSNode root = ts_tree_root_node(tree.get());
      block.valid = !ts_node_has_error(root);
      if (block.valid) ReadPython(root, static_cast<RowIndex>(i), facts_);
    }
  }

  const std::chrono::milliseconds limit_;
  const ThreadClock::time_point deadline_;
  FileFacts& facts_;
  bool full_ = false;
  std::vector<RowIndex> open_;  // sections that enclose the line
  std::unordered_set<std::string_view> words_;
  ByteSpan paragraph_;  // the line before, if it was one of a paragraph
  bool in_table_ = false;
  uint32_t table_row_ = 0;
  uint32_t boxes_ = 0;  // of the section
  bool in_fence_ = false;
  std::string_view fence_;
  std::string_view fence_language_;
  uint32_t fence_begin_ = 0;
  uint32_t fence_body_ = 0;
};

}  // namespace

void ReadMarkdown(std::chrono::milliseconds parse_limit, FileFacts& facts) {
  MarkdownReader(parse_limit, facts).Read();
}

}  // namespace yardmaster::rules
