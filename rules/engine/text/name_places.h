// Places where a word names nothing: inside of a path, an address, or a command that installs or builds.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_NAME_PLACES_H_
#define YARDMASTER_RULES_ENGINE_TEXT_NAME_PLACES_H_

#include <cstddef>
#include <string_view>

namespace yardmaster::rules {

// Whether text[begin, end) is a part of a path or address: of what stands without blanks, quotes and brackets around
// it, has a slash, and begins as a path does ("/", "./", "~/", "C:\", "https://") or ends in a file's extension. Words
// with slashes between them ("DDP/FSDP") are no path. Looks at most 512 bytes to each side.
bool IsInPath(std::string_view text, size_t begin, size_t end);

// Whether the line of text[at] is a command that installs, fetches or builds: pip, conda, apt-get, cmake, make, docker,
// git clone …, also behind a prompt, `sudo` and settings of variables. Only for code: in prose, "make" begins
// sentences.
bool IsInBuildCommand(std::string_view text, size_t at);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_NAME_PLACES_H_
