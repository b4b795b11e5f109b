#include "rules/engine/pipeline/result_table.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "services/core/lines.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

constexpr size_t kMaxCellBytes = 300;
constexpr std::string_view kRowEnd = "</tr>";

// The lines of a text; of HTML its rows, whose cells may stand in lines of their own.
std::vector<std::string> RowsOf(std::string_view text) {
  std::vector<std::string> rows;
  if (text.find("<tr") == std::string_view::npos) {
    for (const std::string_view line : LinesOf(text)) rows.emplace_back(line);
    return rows;
  }
  while (!text.empty()) {
    const size_t end = text.find(kRowEnd);
    std::string row(text.substr(0, end));
    absl::c_replace_if(
        row, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    rows.push_back(std::move(row));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + kRowEnd.size());
  }
  return rows;
}

}  // namespace

std::vector<ResultRow> ReadResultTable(const BuildGate& gate, std::string_view comment) {
  std::vector<ResultRow> found;
  if (absl::c_any_of(gate.partial_comments, [&](const Pattern& pattern) { return pattern.Matches(comment); })) {
    return found;
  }
  for (const std::string& row : RowsOf(comment)) {
    for (const Pattern& pattern : gate.result_rows) {
      const auto groups = pattern.Find(row);
      if (!groups.has_value()) continue;
      ResultRow result;
      result.stage = Readable(TrimBlanks(GroupOf(*groups, "stage")), kMaxCellBytes);
      result.result = absl::AsciiStrToUpper(GroupOf(*groups, "result"));
      if (result.result.empty()) result.result = GroupOf(*groups, "failed").empty() ? "SUCCESS" : "FAILURE";
      if (!absl::SimpleAtoi(GroupOf(*groups, "number"), &result.number)) result.number = 0;
      result.url = GroupOf(*groups, "url");
      found.push_back(std::move(result));
      break;
    }
  }
  return found;
}

}  // namespace yardmaster::rules
