#include "services/worker/logs/escape_sequences.h"

#include <re2/re2.h>

namespace yardmaster::worker {
namespace {

constexpr char kEscape = '\x1b';

}  // namespace

size_t EscapeSequenceBytes(std::string_view text, size_t pos) {
  // ESC [, parameters, then one letter; ESC ] and the like up to BEL or ESC \, but never over the end of the line; ESC
  // and one character; ESC alone.
  static const RE2 kSequence(R"(\x1b(?:\[[ -?]*[@-~]?|[\]P^_][^\n\a]*?(?:\a|\x1b\\)|[ -~])?)", RE2::Latin1);
  const re2::StringPiece rest(text.data() + pos, text.size() - pos);
  re2::StringPiece sequence;
  kSequence.Match(rest, 0, rest.size(), RE2::ANCHOR_START, &sequence, 1);
  return sequence.size();
}

std::string_view WithoutEscapes(std::string_view text, std::string& buffer) {
  size_t at = text.find(kEscape);
  if (at == std::string_view::npos) return text;
  buffer.clear();
  size_t begin = 0;
  for (; at != std::string_view::npos; at = text.find(kEscape, begin)) {
    buffer.append(text.substr(begin, at - begin));
    begin = at + EscapeSequenceBytes(text, at);
  }
  buffer.append(text.substr(begin));
  return buffer;
}

}  // namespace yardmaster::worker
