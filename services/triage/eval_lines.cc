#include "services/triage/eval_lines.h"

#include <limits>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "rules/engine/issue_input.h"
#include "services/core/json_document.h"
#include "services/core/lines.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/triage/triage_planner.h"

namespace yardmaster {
namespace {

// Reads the next line, without its end, into `room`. False at the end of the stream. Of a line that does not fit only
// `too_long` is told; it is skipped to its end, so that the next one has the right number.
bool NextLine(std::istream& in, std::vector<char>& room, std::string_view& line, bool& too_long) {
  in.getline(room.data(), static_cast<std::streamsize>(room.size()));
  const auto count = static_cast<size_t>(in.gcount());
  if (in.bad() || (in.fail() && count == 0)) return false;
  too_long = in.fail();
  if (too_long) {
    in.clear();
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  } else {
    // The line end is counted, and the last line may have none.
    line = {room.data(), in.eof() ? count : count - 1};
  }
  return true;
}

}  // namespace

std::optional<v1::IssueSnapshot> ParseIssue(std::string_view json, const EvalLimits& limits, std::string& error) {
  const JsonLimits json_limits{.max_bytes = limits.max_line_bytes};
  const std::optional<nlohmann::json> value = ParseJsonLimited(json, json_limits, error);
  if (!value.has_value()) return std::nullopt;
  const std::optional<rules::IssueInput> input = rules::ParseIssueInput(*value, error);
  if (!input.has_value()) return std::nullopt;
  v1::IssueSnapshot issue = SnapshotOf(*input);
  if (const absl::Status size = CheckIssueSize(issue); !size.ok()) {
    error = std::string(size.message());
    return std::nullopt;
  }
  return issue;
}

std::optional<std::vector<EvalCase>> ReadEvalLines(std::istream& in, const std::string& file, const EvalLimits& limits,
                                                   Problems& problems) {
  std::vector<EvalCase> cases;
  const size_t problems_before = problems.size();
  std::vector<char> room(limits.max_line_bytes + 1);
  std::string_view line;
  bool too_long = false;
  size_t total = 0;
  for (uint32_t number = 1; NextLine(in, room, line, too_long); ++number) {
    std::string error;
    if (too_long) {
      error = "the line has more than " + std::to_string(limits.max_line_bytes) + " bytes, the limit for one case";
    } else {
      if (TrimBlanks(line).empty()) continue;
      total += line.size();
      if (total > limits.max_total_bytes) {
        problems.push_back({file, "", number, 0,
                            "the lines up to here have more than " + std::to_string(limits.max_total_bytes) +
                                " bytes together, the limit for one run: split the file"});
        break;
      }
      std::optional<v1::IssueSnapshot> issue = ParseIssue(line, limits, error);
      if (issue.has_value()) {
        cases.push_back({number, std::move(*issue)});
        continue;
      }
    }
    problems.push_back({file, "", number, 0, std::move(error)});
    if (problems.size() - problems_before >= limits.max_problems) break;
  }
  if (in.bad()) problems.push_back({file, "", 0, 0, "reading failed before the end of the file"});
  if (problems.size() > problems_before) return std::nullopt;
  return cases;
}

}  // namespace yardmaster
