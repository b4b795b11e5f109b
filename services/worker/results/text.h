// Texts of strangers for files that people and machines read: output of tests, names of tests, what tools print.
#ifndef YARDMASTER_SERVICES_WORKER_RESULTS_TEXT_H_
#define YARDMASTER_SERVICES_WORKER_RESULTS_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// `text` with every byte that is not UTF-8 replaced by U+FFFD; all else stays.
std::string ValidUtf8(std::string_view text);

// `text` without what a terminal obeys and a reader does not see: escape sequences are left out, other control
// characters become their pictures ("␀"), invalid bytes and characters that turn the reading direction U+FFFD. Line
// ends ("\n"; "\r\n" too) and tabs stay. What is longer than `max_bytes` is cut at a character and ends in "…".
std::string PlainText(std::string_view text, size_t max_bytes);

// The same, with what means something in XML and HTML escaped: for texts and for values in double quotes.
std::string EscapeMarkup(std::string_view text, size_t max_bytes);

// "340 ms", "4.2 s", "3 min 07 s", "2 h 05 min".
std::string DurationText(double seconds);

// 1234567 → "1,234,567".
std::string CountText(uint64_t count);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RESULTS_TEXT_H_
