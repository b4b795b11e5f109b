#include "clients/cli/table.h"

#include <algorithm>
#include <utility>

#include "clients/cli/terminal.h"

namespace yardmaster::cli {

Cell::Cell(std::string cell_text, Style cell_style) : text(std::move(cell_text)), style(cell_style) {}

Cell::Cell(const char* cell_text) : text(cell_text) {}

void Table::AlignRight(std::initializer_list<size_t> columns) {
  right_.resize(std::max(columns) + 1, false);
  for (const size_t column : columns) right_[column] = true;
}

void Table::Header(std::initializer_list<const char*> names) {
  std::vector<Cell>& header = *rows_.emplace(rows_.begin());
  for (const char* name : names) header.emplace_back(name, Style::kFaint);
}

void Table::Row(std::initializer_list<Cell> cells) { rows_.emplace_back(cells); }

std::string Table::Render(int indent, int columns, bool color) const {
  std::vector<int> widths;
  for (const std::vector<Cell>& row : rows_) {
    if (widths.size() < row.size()) widths.resize(row.size(), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(row[i].text));
  }
  std::string out;
  for (const std::vector<Cell>& row : rows_) {
    std::string line(static_cast<size_t>(indent), ' ');
    int used = indent;
    // Blanks are written only once something follows them.
    int pending = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == row.size();
      std::string text = row[i].text;
      // A last column of fewer than 8 columns says nothing any more; then the line may be too long.
      if (last && columns > 0) text = CutToWidth(text, std::max(8, columns - used - pending));
      const int width = DisplayWidth(text);
      const int padding = std::max(0, widths[i] - width);
      const bool right = i < right_.size() && right_[i];
      if (right) pending += padding;
      if (!text.empty()) {
        line.append(static_cast<size_t>(pending), ' ').append(Paint(text, row[i].style, color));
        used += pending + width;
        pending = 0;
      }
      pending += (right ? 0 : padding) + 2;
    }
    const size_t end = line.find_last_not_of(' ');
    line.resize(end == std::string::npos ? 0 : end + 1);
    out.append(line).push_back('\n');
  }
  return out;
}

}  // namespace yardmaster::cli
