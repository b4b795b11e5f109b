// What a build's console log says about its failure. Text of machines in, places in files out.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_CONSOLE_LOG_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_CONSOLE_LOG_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pipeline/pattern.h"

namespace yardmaster::rules {

// Of a longer log only the end is read: that is where failures are told.
inline constexpr size_t kMaxConsoleBytes = 16 * 1024 * 1024;
// Of a longer line the rest is left out.
inline constexpr size_t kMaxConsoleLineBytes = 4096;
inline constexpr size_t kMaxLogFailures = 500;
inline constexpr size_t kMaxExcerptLines = 200;

// One way in which a log tells a failure. The pattern's groups "stage", "rule", "file", "line", "function", "test" and
// "message" give the fields of the same name.
struct LogRule {
  std::string id;
  std::string stage;  // where the pattern has no group for it; empty: the stage whose end the log tells next
  std::string rule;   // where the pattern has no group for it, or nothing is in that
  Pattern pattern;
  bool placed = false;  // it stands where the last of LogRules.places said
};

// What stands in a log when not the code but the machine or its setup failed.
struct InfrastructureRule {
  std::string id;
  std::string why;
  Pattern pattern;
};

struct LogRules {
  std::vector<Pattern> strip;   // taken out of every line, beside colours
  std::vector<Pattern> stages;  // group "stage": it failed
  std::vector<Pattern> places;  // groups "file", "line": of what follows, up to the end of a stage
  std::vector<LogRule> failures;
  std::vector<Pattern> markers;  // lines worth showing
  std::vector<InfrastructureRule> infrastructure;
};

struct LogFailure {
  std::string pattern;  // id of the rule that found it; empty: only the stage is known
  std::string stage;
  std::string rule;
  std::string file;
  uint32_t line = 0;  // 0: unknown
  std::string function;
  std::string test;
  std::string message;
  uint32_t log_line = 0;  // from 1, in what was read
};

struct LogReport {
  std::vector<std::string> stages;  // that failed, in order
  std::vector<LogFailure> failures;
  std::vector<std::string> markers;         // the last kMaxExcerptLines lines worth showing
  std::vector<std::string> excerpt;         // around the first failure
  std::vector<std::string> infrastructure;  // ids of InfrastructureRule, each once
  bool complete = true;                     // false: some limit was passed
};

LogReport ReadConsoleLog(const LogRules& rules, std::string_view text);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_CONSOLE_LOG_H_
