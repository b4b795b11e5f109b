#include "services/triage/eval_lines.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "rules/engine/issue_input.h"
#include "services/core/json_document.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/triage/triage_planner.h"

namespace yardmaster {
namespace {

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// Hands out lines of a stream without ever holding more than one line and one block.
class LineReader {
 public:
  enum class Result { kLine, kTooLong, kEnd };

  LineReader(std::istream& in, size_t max_line_bytes) : in_(in), max_line_bytes_(max_line_bytes) {}

  // The next line without its end. A line that is too long is skipped to its end, so that the next one has the right
  // number.
  Result Next(std::string& line) {
    line.clear();
    bool any = false;
    bool too_long = false;
    while (pos_ < size_ || Fill()) {
      any = true;
      const char* begin = block_ + pos_;
      const char* end = std::find(begin, static_cast<const char*>(block_ + size_), '\n');
      const auto length = static_cast<size_t>(end - begin);
      if (line.size() + length > max_line_bytes_) {
        too_long = true;
      } else {
        line.append(begin, length);
      }
      pos_ += length;
      if (pos_ < size_) {
        ++pos_;  // the line end
        return too_long ? Result::kTooLong : Result::kLine;
      }
    }
    if (!any) return Result::kEnd;
    return too_long ? Result::kTooLong : Result::kLine;
  }

 private:
  bool Fill() {
    in_.read(block_, sizeof(block_));
    size_ = static_cast<size_t>(in_.gcount());
    pos_ = 0;
    return size_ > 0;
  }

  std::istream& in_;
  const size_t max_line_bytes_;
  char block_[64 * 1024];
  size_t pos_ = 0;
  size_t size_ = 0;
};

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
  LineReader reader(in, limits.max_line_bytes);
  std::string line;
  size_t total = 0;
  for (uint32_t number = 1;; ++number) {
    const LineReader::Result result = reader.Next(line);
    if (result == LineReader::Result::kEnd) break;
    std::string error;
    if (result == LineReader::Result::kTooLong) {
      error = "the line has more than " + std::to_string(limits.max_line_bytes) + " bytes, the limit for one case";
    } else {
      if (IsBlank(line)) continue;
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
