// A line of one rank and stream that has not ended yet.
#ifndef YARDMASTER_SERVICES_WORKER_LOGS_LINE_STATE_H_
#define YARDMASTER_SERVICES_WORKER_LOGS_LINE_STATE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// What a terminal would show of a line whose end was written over after carriage returns: the text behind the last of
// them that has any. A progress bar leaves its last state, a line end of Windows nothing.
std::string_view LastState(std::string_view line);

// Puts a line together from pieces, in memory that is bounded whatever comes.
class LineState {
 public:
  // A piece without newlines. Of the line, `limit` bytes are kept.
  void Add(std::string_view piece, size_t limit);
  void Clear();

  bool empty() const { return text_.empty() && dropped_ == 0; }
  std::string_view text() const { return text_; }
  // Bytes behind text() that were not kept.
  size_t dropped() const { return dropped_; }

 private:
  std::string text_;
  size_t dropped_ = 0;
  // The last piece ended with a carriage return: what comes next writes over the text.
  bool returned_ = false;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LOGS_LINE_STATE_H_
