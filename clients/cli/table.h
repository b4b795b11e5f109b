// Tables for people: columns aligned by what the terminal shows, not by bytes.
#ifndef YARDMASTER_CLIENTS_CLI_TABLE_H_
#define YARDMASTER_CLIENTS_CLI_TABLE_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "clients/cli/style.h"

namespace yardmaster::cli {

struct Cell {
  // Implicit: a cell is its text.
  Cell(std::string cell_text, Style cell_style = Style::kPlain);  // NOLINT(google-explicit-constructor)
  Cell(const char* cell_text);                                    // NOLINT(google-explicit-constructor)
  std::string text;                                               // must be printable (terminal.h)
  Style style = Style::kPlain;
};

class Table {
 public:
  // Right-aligned columns are for numbers.
  void AlignRight(std::initializer_list<size_t> columns);
  void Header(std::initializer_list<const char*> names);
  void Row(std::initializer_list<Cell> cells);
  bool empty() const { return rows_.empty(); }

  // Lines that begin with `indent` blanks, two blanks between columns, none at the end. The last column is cut so that
  // no line takes more than `columns` (0: no limit).
  std::string Render(int indent, int columns, bool color) const;

 private:
  std::vector<std::vector<Cell>> rows_;  // the header, if any, is the first
  std::vector<bool> right_;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_TABLE_H_
