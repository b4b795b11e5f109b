// What all report parsers need: messages of bounded length, lines without colours, numbers that programs print.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_TEXT_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// At most kMaxReportMessageBytes of `text`, without blanks around it. What is too long loses its middle: tracebacks say
// what happened at their end.
std::string CutMessage(std::string_view text);

// Collects lines of which CutMessage() keeps the same as of all of them, in bounded memory.
class MessageCollector {
 public:
  void Add(std::string_view line);
  void Clear();
  std::string Message() const;

 private:
  std::string head_;
  std::string tail_;
  bool lost_ = false;
};

// `line` without escape sequences of terminals and without carriage returns at its end. `buffer` holds the result where
// there were any.
std::string_view PlainLine(std::string_view line, std::string& buffer);

// Seconds, not negative; 0 where it is no such number. Thousands may be separated by commas.
double SecondsOf(std::string_view text);

// A number without sign, or nothing.
std::optional<uint64_t> CountOf(std::string_view text);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_TEXT_H_
