// Patches as forges show them: the hunks of one file in unified format, without the lines that name it.
#ifndef YARDMASTER_SERVICES_REVIEW_PATCH_H_
#define YARDMASTER_SERVICES_REVIEW_PATCH_H_

#include <optional>
#include <string>
#include <string_view>

namespace yardmaster {

// What a file was before a patch: its text now with the patch taken back. nullopt if the patch is no patch, or not one
// that led to this text.
std::optional<std::string> TextBefore(std::string_view text, std::string_view patch);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_PATCH_H_
