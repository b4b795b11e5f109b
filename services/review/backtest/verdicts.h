// What people judged about findings of merged changes, kept as JSON lines beside the packs, so that a change of a rule
// shows which of them it gains or loses:
//
//   {"repository": "owner/name", "commit": "40 hex digits", "rule": "RULE or RULE.PART", "path": "a/b.py", "line": 12,
//    "verdict": "true" | "false" | "arguable", "why": "one line"}
//
// `commit` is what was merged, against its first parent; `line` is that of its head, 1 for a whole file.
#ifndef YARDMASTER_SERVICES_REVIEW_BACKTEST_VERDICTS_H_
#define YARDMASTER_SERVICES_REVIEW_BACKTEST_VERDICTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/problem.h"

namespace yardmaster {

inline constexpr size_t kMaxVerdictBytes = 16 * 1024 * 1024;

enum class Judgement : uint8_t { kTrue, kFalse, kArguable };

// "true", "false", "arguable".
std::string_view JudgementName(Judgement judgement);

struct Verdict {
  std::string repository;
  std::string commit;
  std::string rule;
  std::string path;
  uint32_t line = 1;
  Judgement judgement = Judgement::kTrue;
  std::string why;
};

// Blank lines are skipped. nullopt if there was a problem: every one names its line. `file` is only used in problems.
std::optional<std::vector<Verdict>> ReadVerdicts(std::string_view text, const std::string& file, Problems& problems);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_BACKTEST_VERDICTS_H_
