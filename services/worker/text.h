// Texts taken apart and put together.
#ifndef YARDMASTER_SERVICES_WORKER_TEXT_H_
#define YARDMASTER_SERVICES_WORKER_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace yardmaster::worker {

// One text of texts and whole numbers.
inline void Put(std::string& out, std::string_view part) { out += part; }
template <typename Number, typename = std::enable_if_t<std::is_integral_v<Number>>>
void Put(std::string& out, Number part) {
  out += std::to_string(part);
}
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  std::string text;
  (Put(text, parts), ...);
  return text;
}

// The pieces between separators; the last of `most` pieces has the rest.
std::vector<std::string_view> Split(std::string_view text, char separator, size_t most = std::string_view::npos);
// At blanks, without empty words.
std::vector<std::string_view> SplitWords(std::string_view text);
// The first line that is not blank; empty if there is none.
std::string_view FirstLine(std::string_view text);

bool Contains(std::string_view text, std::string_view part);
// Of ASCII.
std::string LowerCase(std::string_view text);
// A number without sign that is all of `text`.
std::optional<uint64_t> NumberOf(std::string_view text);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_TEXT_H_
