// The cases of checks are most of a file's text, and reviews never look at them: leaving them out before the file is
// parsed is what makes a review of one file quick.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_CASE_TEXT_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_CASE_TEXT_H_

#include <string>
#include <string_view>

namespace yardmaster::rules {

// The text of a checks/*.json with an empty text in place of each entry of the lists "good" and "bad" of its checks.
// Everything else stands on its line and in its column. A text that ends in the middle of something stays as it is.
std::string WithoutCases(std::string_view text);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_CASE_TEXT_H_
