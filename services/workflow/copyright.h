// Years in the copyright lines of files that are committed.
#ifndef YARDMASTER_SERVICES_WORKFLOW_COPYRIGHT_H_
#define YARDMASTER_SERVICES_WORKFLOW_COPYRIGHT_H_

#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::workflow {

// The text with `year` in the copyright lines of its first five lines: "Copyright 2024" becomes "Copyright 2024-2026",
// and "2024-2025" "2024-2026". All other bytes stay, line ends too. nullopt: no line needs it. Lines that have the year
// or a later one, or that list years, are left.
std::optional<std::string> WithYear(std::string_view text, int year);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_COPYRIGHT_H_
