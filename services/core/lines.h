// Lines of texts, and blanks around them.
#ifndef YARDMASTER_SERVICES_CORE_LINES_H_
#define YARDMASTER_SERVICES_CORE_LINES_H_

#include <string_view>
#include <vector>

namespace yardmaster {

// Without their "\n". What follows the last "\n" is a line only if there is any.
std::vector<std::string_view> LinesOf(std::string_view text);

// `text` without blanks, tabs and line ends at its ends.
std::string_view TrimBlanks(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_LINES_H_
