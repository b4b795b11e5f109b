// Sections of a comment of ours that several write: whoever writes the comment anew leaves the others' in it.
#ifndef YARDMASTER_SERVICES_INTAKE_COMMENT_SECTIONS_H_
#define YARDMASTER_SERVICES_INTAKE_COMMENT_SECTIONS_H_

#include <string>
#include <string_view>

namespace yardmaster {

// The name of the comment that sums up what we have to say of a pull request.
inline constexpr std::string_view kSummaryCommentName = "review";

// The body with the section, in place of the one of that name if there is one; an empty text takes it away.
std::string WithSection(std::string_view body, std::string_view name, std::string_view text);
// The sections of an older body, with their marks, behind a body that has none; a body that has some stays as it is.
std::string WithSectionsOf(std::string_view older, std::string_view body);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_COMMENT_SECTIONS_H_
