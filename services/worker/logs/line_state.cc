#include "services/worker/logs/line_state.h"

#include <algorithm>

namespace yardmaster::worker {

std::string_view LastState(std::string_view line) {
  const size_t last = line.find_last_not_of('\r');
  if (last == std::string_view::npos) return {};
  line = line.substr(0, last + 1);
  const size_t begin = line.rfind('\r');
  return begin == std::string_view::npos ? line : line.substr(begin + 1);
}

void LineState::Add(std::string_view piece, size_t limit) {
  const bool returns = !piece.empty() && piece.back() == '\r';
  const std::string_view state = LastState(piece);
  if (!state.empty()) {
    // Does it follow what is there, or write over it?
    if (returned_ || state.data() != piece.data()) Clear();
    const size_t kept = std::min(state.size(), limit - std::min(limit, text_.size()));
    text_ += state.substr(0, kept);
    dropped_ += state.size() - kept;
    returned_ = returns;
  } else if (returns) {
    returned_ = true;
  }
}

void LineState::Clear() {
  text_.clear();
  dropped_ = 0;
  returned_ = false;
}

}  // namespace yardmaster::worker
