// What programs send to terminals to move and colour: nothing that a reader of their output sees.
#ifndef YARDMASTER_SERVICES_WORKER_LOGS_ESCAPE_SEQUENCES_H_
#define YARDMASTER_SERVICES_WORKER_LOGS_ESCAPE_SEQUENCES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// How many bytes the escape sequence takes that begins at `pos` with ESC. One that is never closed takes nothing of the
// text with it: neither what follows nor the end of the line.
size_t EscapeSequenceBytes(std::string_view text, size_t pos);

// `text` without escape sequences. `buffer` holds the result where there were any.
std::string_view WithoutEscapes(std::string_view text, std::string& buffer);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LOGS_ESCAPE_SEQUENCES_H_
