#include "services/worker/text.h"

#include <charconv>

#include "absl/strings/ascii.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"

namespace yardmaster::worker {

std::vector<std::string_view> Split(std::string_view text, char separator, size_t most) {
  std::vector<std::string_view> pieces;
  for (size_t end = text.find(separator); end != std::string_view::npos && pieces.size() + 1 < most;
       end = text.find(separator)) {
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  pieces.push_back(text);
  return pieces;
}

std::vector<std::string_view> SplitWords(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  std::vector<std::string_view> words;
  for (size_t begin = text.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = text.find_first_not_of(kBlanks)) {
    text.remove_prefix(begin);
    words.push_back(text.substr(0, text.find_first_of(kBlanks)));
    text.remove_prefix(words.back().size());
  }
  return words;
}

std::string_view FirstLine(std::string_view text) {
  for (const std::string_view line : LinesOf(text)) {
    if (!TrimBlanks(line).empty()) return line;
  }
  return {};
}

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string LowerCase(std::string_view text) { return absl::AsciiStrToLower(Abs(text)); }

std::optional<uint64_t> NumberOf(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace yardmaster::worker
