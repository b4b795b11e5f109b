// The line patterns of a pack's zones.json, compiled so that an ordinary line costs one match.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_LINE_PATTERNS_H_
#define YARDMASTER_RULES_ENGINE_TEXT_LINE_PATTERNS_H_

#include <memory>
#include <string_view>

#include "rules/engine/text/zones.h"
#include "services/core/problem.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace yardmaster::rules {

// Immutable; safe to use from many threads at once. Every pattern is tried at the beginning of the line. The patterns
// of one kind are one alternation, not a RE2::Set: a Set that runs out of memory answers like one that found nothing,
// while a single pattern falls back to a slower way to the right answer.
class LinePatterns {
 public:
  // Adds a problem for each bad pattern. Costs a third of Create, for loaders that compile nothing.
  static void Check(const ZoneRules& rules, Problems& problems);

  // Returns nullptr and adds a problem for each bad pattern.
  static std::unique_ptr<LinePatterns> Create(const ZoneRules& rules, Problems& problems);
  ~LinePatterns();

  // Does the line start something, or is it boilerplate? False for nearly all lines; when true, the four below tell
  // what it is.
  bool IsSpecial(std::string_view line) const;
  bool StartsTrace(std::string_view line) const;
  bool IsError(std::string_view line) const;
  bool StartsEnvironment(std::string_view line) const;
  // The whole line, blanks and the marks of headings, emphasis and a final colon around it aside.
  bool IsBoilerplate(std::string_view line) const;

  // Does the line belong to a trace or a dump that has started? True for lines that would start one, too.
  bool ContinuesTrace(std::string_view line) const;
  bool ContinuesEnvironment(std::string_view line) const;

 private:
  LinePatterns();
  std::unique_ptr<re2::RE2> special_;
  std::unique_ptr<re2::RE2> trace_starts_;
  std::unique_ptr<re2::RE2> errors_;
  std::unique_ptr<re2::RE2> environment_starts_;
  std::unique_ptr<re2::RE2> boilerplate_;
  std::unique_ptr<re2::RE2> in_trace_;
  std::unique_ptr<re2::RE2> in_environment_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_LINE_PATTERNS_H_
