// Which lines two versions of a text share, in order.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_LINE_DIFF_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_LINE_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// Lines count from 1; the first element of each list is unused. 0: the other version does not have the line at its
// place.
struct LineMatch {
  std::vector<uint32_t> base_of;  // by line of head: 0 is an added line
  std::vector<uint32_t> head_of;  // by line of base: 0 is a removed line
};

// A longest common subsequence for small differences. Large ones are split first at lines that both have exactly once,
// as patience diff does, so that the time stays near linear.
LineMatch MatchLines(std::string_view base, std::string_view head);

// Lines of both versions that a change touches: those that it adds or removes and those beside them. So a piece of one
// version has such a line if and only if what became of it, or what it was, has one.
struct TouchedLines {
  std::vector<bool> base;
  std::vector<bool> head;
};

// `base_of` is LineMatch::base_of.
TouchedLines TouchedBy(const std::vector<uint32_t>& base_of, size_t lines_of_base);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_LINE_DIFF_H_
