#include "clients/cli/table.h"

#include <gtest/gtest.h>

namespace yardmaster::cli {
namespace {

TEST(Table, ColumnsAlignByWhatTheTerminalShows) {
  Table table;
  table.AlignRight({1});
  table.Header({"name", "n", "note"});
  table.Row({"网络", "5", "wide"});
  table.Row({"net", "12345", "narrow"});
  EXPECT_EQ(table.Render(0, 0, false),
            "name      n  note\n"
            "网络      5  wide\n"
            "net   12345  narrow\n");
}

TEST(Table, NoBlanksAtTheEndOfALine) {
  Table table;
  table.Row({"a", "", ""});
  table.Row({"bbb", "c", ""});
  EXPECT_EQ(table.Render(2, 0, false), "  a\n  bbb  c\n");
}

TEST(Table, TheLastColumnIsCutToTheTerminal) {
  Table table;
  table.Row({"id", "a long sentence that does not fit"});
  EXPECT_EQ(table.Render(0, 20, false), "id  a long sentence…\n");
}

TEST(Table, ColoursDoNotMoveColumns) {
  Table table;
  table.Row({{"a", Style::kGood}, "x"});
  table.Row({{"bbb", Style::kBad}, "y"});
  EXPECT_EQ(table.Render(0, 0, true), "\x1b[32ma\x1b[0m    x\n\x1b[31mbbb\x1b[0m  y\n");
}

}  // namespace
}  // namespace yardmaster::cli
