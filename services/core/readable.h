// Text for messages: whatever people, files and requests contain, made short, printable and valid UTF-8.
#ifndef YARDMASTER_SERVICES_CORE_READABLE_H_
#define YARDMASTER_SERVICES_CORE_READABLE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster {

// `text` as valid UTF-8 without control characters: other bytes are written "<FF>". Longer texts are cut near
// `max_bytes` and end in "…". Messages travel through protobuf strings and terminals, so nothing else may be put into
// them.
std::string Readable(std::string_view text, size_t max_bytes = 80);

// The same between double quotes.
std::string Quoted(std::string_view text, size_t max_bytes = 80);

// The known name that differs from `name` by so little that it was probably meant; empty if there is none.
std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& known);

// "; did you mean …?" for the end of a message; empty if no known name is that near.
std::string DidYouMean(std::string_view name, const std::vector<std::string_view>& known);

// Characters of a text: code points, that is bytes that continue none.
size_t CodePoints(std::string_view text);

// True if `text` is well-formed UTF-8 (no surrogates, nothing overlong, at most U+10FFFF).
bool IsValidUtf8(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_READABLE_H_
