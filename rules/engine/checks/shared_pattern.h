// Patterns that many checks of many packs ask for, compiled once.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_SHARED_PATTERN_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_SHARED_PATTERN_H_

#include <re2/re2.h>

#include <memory>
#include <string>

namespace yardmaster::rules {

// The pattern of this text, with the options of checks; look at ok(). The same object for the same text as long as
// somebody holds it: of the shipped packs' patterns, three of four are asked for again. Safe to use from many threads
// at once, and so are the patterns.
std::shared_ptr<const re2::RE2> SharedPattern(const std::string& text);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_SHARED_PATTERN_H_
