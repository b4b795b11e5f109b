// How a text gets to RE2, whose StringPiece takes no std::string_view.
#ifndef YARDMASTER_SERVICES_WORKER_RE2_PIECE_H_
#define YARDMASTER_SERVICES_WORKER_RE2_PIECE_H_

#include <re2/stringpiece.h>

#include <string_view>

namespace yardmaster::worker {

inline re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RE2_PIECE_H_
