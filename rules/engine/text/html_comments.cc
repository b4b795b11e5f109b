#include "rules/engine/text/html_comments.h"

#include <unordered_map>

namespace yardmaster::rules {
namespace {

constexpr std::string_view kOpen = "<!--";
constexpr std::string_view kClose = "-->";

// A run of backticks; `next` is the index of the next run of the same length, 0 for none.
struct BacktickRun {
  size_t begin = 0;
  size_t length = 0;
  size_t next = 0;
};

// All runs of backticks, each with the run that would close it as a code span.
std::vector<BacktickRun> FindBackticks(std::string_view text) {
  std::vector<BacktickRun> runs;
  for (size_t pos = text.find('`'); pos != std::string_view::npos;) {
    size_t end = pos;
    while (end < text.size() && text[end] == '`') ++end;
    runs.push_back({pos, end - pos, 0});
    pos = text.find('`', end);
  }
  std::unordered_map<size_t, size_t> later;  // length → index of the nearest run to the right
  for (size_t i = runs.size(); i-- > 0;) {
    size_t& nearest = later[runs[i].length];
    runs[i].next = nearest;
    nearest = i;
  }
  return runs;
}

bool IsEscaped(std::string_view text, size_t pos) {
  size_t slashes = 0;
  while (slashes < pos && text[pos - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 == 1;
}

}  // namespace

void FindHtmlComments(std::string_view text, uint32_t begin, uint32_t end, bool inline_markup,
                      std::vector<CommentRange>& comments, std::vector<CommentRange>* code_spans) {
  const std::string_view block = text.substr(begin, end - begin);
  const auto range = [begin](size_t from, size_t to) {
    return CommentRange{static_cast<uint32_t>(begin + from), static_cast<uint32_t>(begin + to)};
  };
  size_t open = block.find(kOpen);
  const bool all_runs = inline_markup && code_spans != nullptr;
  if (open == std::string_view::npos && !all_runs) return;
  std::vector<BacktickRun> runs;
  if (inline_markup) runs = FindBackticks(block);
  size_t run = 0;
  size_t pos = 0;  // everything before is decided
  while (open != std::string_view::npos || (all_runs && run < runs.size())) {
    // Code spans that begin before the comment hide what they hold.
    while (run < runs.size() && runs[run].begin < pos) ++run;
    if (run < runs.size() && runs[run].begin < open) {
      const BacktickRun& current = runs[run];
      if (current.next != 0 && !IsEscaped(block, current.begin)) {
        pos = runs[current.next].begin + runs[current.next].length;
        if (code_spans != nullptr) code_spans->push_back(range(current.begin, pos));
        run = current.next + 1;
      } else {
        pos = current.begin + current.length;
        ++run;
      }
      if (open < pos) open = block.find(kOpen, pos);
      continue;
    }
    if (open == std::string_view::npos) return;
    if (inline_markup && IsEscaped(block, open)) {
      pos = open + 1;
      open = block.find(kOpen, pos);
      continue;
    }
    size_t close = block.find(kClose, open + kOpen.size());
    if (close == std::string_view::npos) {
      if (!inline_markup) {
        comments.push_back({static_cast<uint32_t>(begin + open), end});
        return;
      }
      if (!all_runs) return;
      open = std::string_view::npos;  // no comment: what comes after may still be code
      continue;
    }
    pos = close + kClose.size();
    comments.push_back(range(open, pos));
    open = block.find(kOpen, pos);
  }
}

}  // namespace yardmaster::rules
