#include "services/worker/results/log_text.h"

#include <cstdint>
#include <cstdio>
#include <deque>
#include <limits>

#include "services/worker/results/text.h"

namespace yardmaster::worker {
namespace {

std::string LineText(const LogLine& line) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%10.3f s  ", static_cast<double>(line.micros) / 1e6);
  std::string out = seconds;
  if (line.rank != kNoRank) out += "rank " + std::to_string(line.rank) + "  ";
  return out + PlainText(line.text, kMaxLogLineBytes) + "\n";
}

}  // namespace

std::string LogTextPath(const std::string& log) { return log + ".txt"; }

std::string LogText(LogReader& log) {
  std::string head;
  std::deque<std::string> tail;
  size_t tail_bytes = 0;
  uint64_t left_out = 0;
  const absl::Status read = log.Read(1, std::numeric_limits<uint64_t>::max() / 2, [&](const LogLine& line) {
    std::string text = LineText(line);
    if (tail.empty() && left_out == 0 && head.size() + text.size() <= kMaxLogTextBytes / 2) {
      head += text;
      return true;
    }
    tail_bytes += text.size();
    tail.push_back(std::move(text));
    while (tail_bytes > kMaxLogTextBytes / 2 && tail.size() > 1) {
      tail_bytes -= tail.front().size();
      tail.pop_front();
      ++left_out;
    }
    return true;
  });
  if (left_out > 0) head += "… " + CountText(left_out) + " lines are left out here; 'yard test logs' has all …\n";
  for (const std::string& text : tail) head += text;
  if (!read.ok()) head += "… the rest of the log is damaged …\n";
  return head;
}

}  // namespace yardmaster::worker
