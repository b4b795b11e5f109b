// Reads the cases of `yard triage eval`: one JSON object a line. All lines are read before the first decision, so that
// a bad line anywhere leaves no half-written predictions behind.
#ifndef YARDMASTER_SERVICES_TRIAGE_EVAL_LINES_H_
#define YARDMASTER_SERVICES_TRIAGE_EVAL_LINES_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/problem.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

struct EvalLimits {
  size_t max_line_bytes = size_t{4} << 20;
  // All lines of a file together: they are held in memory.
  size_t max_total_bytes = size_t{1} << 30;
  // Bad lines that are reported before the reader gives up.
  size_t max_problems = 10;
};

struct EvalCase {
  uint32_t line = 0;  // in the file, from 1
  v1::IssueSnapshot issue;
};

// Parses one issue: {number, title, body, labels_before?, comments?, author?}; other keys are ignored. The sizes that
// the server checks (services/core/limits.h) are checked here too. On failure returns nullopt and, in `error`, what is
// wrong and what was expected.
std::optional<v1::IssueSnapshot> ParseIssue(std::string_view json, const EvalLimits& limits, std::string& error);

// Reads all lines; blank ones are skipped, "\r\n" is accepted, the last line may lack its end. Returns nullopt if there
// was a problem: every one names its line. `file` is only used in problems.
std::optional<std::vector<EvalCase>> ReadEvalLines(std::istream& in, const std::string& file, const EvalLimits& limits,
                                                   Problems& problems);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_EVAL_LINES_H_
