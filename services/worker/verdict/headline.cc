#include "services/worker/verdict/headline.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "services/core/lines.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxMessageLines = 400;

size_t IndentOf(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

}  // namespace

bool IsErrorLine(std::string_view line) { return line.starts_with("E  "); }

std::vector<std::string_view> ErrorLines(std::string_view message) {
  std::vector<std::string_view> lines = LinesOf(message);
  if (lines.size() > kMaxMessageLines) lines.resize(kMaxMessageLines);
  std::vector<std::string_view> errors;
  for (std::string_view line : lines) {
    if (IsErrorLine(line)) errors.push_back(TrimBlanks(line.substr(1)));
  }
  if (errors.empty()) return lines;
  errors.insert(errors.begin(), lines.front());
  return errors;
}

std::string_view Headline(std::string_view message) {
  std::vector<std::string_view> lines = LinesOf(message);
  if (lines.size() > kMaxMessageLines) lines.resize(kMaxMessageLines);
  const std::string_view first = TrimBlanks(FirstLine(message));
  const bool about_module = first.starts_with("collection failure") || first.starts_with("failed on ");
  std::string_view inner;
  std::optional<size_t> traceback;  // how far it is indented
  for (std::string_view line : lines) {
    const bool marked = IsErrorLine(line);
    if (marked) line.remove_prefix(1);
    const std::string_view text = TrimBlanks(line);
    if (text == "Traceback (most recent call last):") {
      traceback = IndentOf(line);
    } else if (traceback.has_value() && !text.empty() && IndentOf(line) <= *traceback) {
      inner = text;
      traceback.reset();
    } else if (about_module && marked && inner.empty()) {
      inner = text;
    }
  }
  return inner.empty() ? first : inner;
}

}  // namespace yardmaster::worker
