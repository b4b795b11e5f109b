#include "clients/cli/markdown_text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "clients/cli/style.h"
#include "clients/cli/terminal.h"

namespace yardmaster::cli {
namespace {

constexpr std::string_view kItem = "- ";
constexpr std::string_view kStrongMark = "**";

// A word, or a part of one: what is shown alike.
struct Piece {
  std::string text;
  Style style = Style::kPlain;
  bool blank_before = false;
};

// Adds `text` word by word. Blanks in code stay where they are: a command is not torn apart.
void AddText(std::string_view text, Style style, bool whole, bool& blank, std::vector<Piece>& pieces) {
  while (!text.empty()) {
    const size_t end = whole ? text.size() : std::min(text.find(' '), text.size());
    if (end > 0) {
      pieces.push_back({Printable(text.substr(0, end)), style, blank});
      blank = false;
    }
    if (end < text.size()) blank = true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// One line of Markdown without its marks.
std::vector<Piece> PiecesOf(std::string_view line) {
  std::vector<Piece> pieces;
  bool blank = false;
  bool strong = false;
  while (!line.empty()) {
    const size_t mark = std::min(line.find_first_of("`*"), line.size());
    AddText(line.substr(0, mark), strong ? Style::kStrong : Style::kPlain, false, blank, pieces);
    line.remove_prefix(mark);
    if (line.empty()) break;
    if (line.starts_with(kStrongMark)) {
      strong = !strong;
      line.remove_prefix(kStrongMark.size());
      continue;
    }
    // A code span ends at as many backticks as it begins with.
    const size_t fence = std::min(line.find_first_not_of('`'), line.size());
    const size_t end = fence == 0 ? std::string_view::npos : line.find(line.substr(0, fence), fence);
    if (end == std::string_view::npos) {
      AddText(line.substr(0, 1), Style::kPlain, true, blank, pieces);
      line.remove_prefix(1);
      continue;
    }
    AddText(line.substr(fence, end - fence), strong ? Style::kStrong : Style::kName, true, blank, pieces);
    line.remove_prefix(end + fence);
  }
  return pieces;
}

}  // namespace

std::string MarkdownText(std::string_view markdown, int columns, bool color) {
  std::string out;
  while (!markdown.empty()) {
    const size_t end = std::min(markdown.find('\n'), markdown.size());
    std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    const bool item = line.starts_with(kItem);
    if (item) line.remove_prefix(kItem.size());
    // What does not fit goes below the text of its item.
    const std::string indent(item ? 4 : 0, ' ');
    out += item ? "  * " : "";
    int used = static_cast<int>(indent.size());
    bool first = true;
    for (const Piece& piece : PiecesOf(line)) {
      const int width = DisplayWidth(piece.text);
      if (columns > 0 && !first && piece.blank_before && used + 1 + width > columns) {
        out += "\n" + indent;
        used = static_cast<int>(indent.size());
      } else if (piece.blank_before && !first) {
        out += ' ';
        ++used;
      }
      out += Paint(piece.text, piece.style, color);
      used += width;
      first = false;
    }
    out += '\n';
  }
  return out;
}

}  // namespace yardmaster::cli
