#include "services/worker/verdict/headline.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "services/core/lines.h"
#include "services/worker/text.h"
#include "services/worker/verdict/completion.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxMessageLines = 400;

std::vector<std::string_view> FirstLines(std::string_view message) {
  std::vector<std::string_view> lines = LinesOf(message);
  if (lines.size() > kMaxMessageLines) lines.resize(kMaxMessageLines);
  return lines;
}

}  // namespace

size_t IndentOf(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

bool IsErrorLine(std::string_view line) { return line.starts_with("E  "); }

std::vector<std::string_view> ErrorLines(std::string_view message) {
  std::vector<std::string_view> lines = FirstLines(message);
  std::vector<std::string_view> errors;
  for (std::string_view line : lines) {
    if (IsErrorLine(line)) errors.push_back(TrimBlanks(line.substr(1)));
  }
  if (errors.empty()) return lines;
  // Above what pytest shows stands the text of the exception; what is indented in it may be source.
  std::vector<std::string_view> text;
  for (const std::string_view line : lines) {
    if (TrimBlanks(line).empty() || line.starts_with('>') || IsErrorLine(line)) break;
    if (text.empty() || IndentOf(line) == 0) text.push_back(line);
  }
  errors.insert(errors.begin(), text.begin(), text.end());
  return errors;
}

std::string_view Headline(std::string_view message) {
  const std::vector<std::string_view> lines = FirstLines(message);
  const std::string_view first = TrimBlanks(FirstLine(message));
  const bool about_module = first.starts_with("collection failure") || first.starts_with("failed on ");
  std::string_view inner;
  std::optional<size_t> traceback;  // how far it is indented
  std::optional<size_t> frames;     // and its frames, if there are any: what ends it stands further out
  for (std::string_view line : lines) {
    const bool marked = IsErrorLine(line);
    if (marked) line.remove_prefix(1);
    const std::string_view text = TrimBlanks(line);
    if (text.ends_with("Traceback (most recent call last):")) {
      traceback = IndentOf(line);
      frames.reset();
    } else if (traceback.has_value() && !frames.has_value() && text.starts_with("File \"")) {
      frames = IndentOf(line);
    } else if (traceback.has_value() && !text.empty() &&
               (frames.has_value() ? IndentOf(line) < *frames : IndentOf(line) <= *traceback)) {
      inner = text;
      traceback.reset();
    } else if (about_module && marked && inner.empty()) {
      inner = text;
    }
  }
  return inner.empty() ? first : inner;
}

std::string WithLineBelow(std::string_view headline, std::string_view message) {
  std::string text(headline);
  Completion completion(headline);
  bool below = false;
  for (const std::string_view line : FirstLines(message)) {
    if (below && !completion.Next(line)) break;
    below = below || TrimBlanks(IsErrorLine(line) ? line.substr(1) : line) == headline;
  }
  const std::string words = completion.Take();
  return words.empty() ? text : Concat(text, " ", words);
}

}  // namespace yardmaster::worker
