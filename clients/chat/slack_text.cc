#include "clients/chat/slack_text.h"

#include <utility>

#include "clients/chat/reading.h"
#include "services/core/lines.h"

namespace yardmaster::chat {
namespace {

constexpr std::pair<std::string_view, char> kSlackEscapes[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}};

void AppendUnescaped(std::string_view text, std::string& out) {
  for (size_t i = 0; i < text.size();) {
    const size_t before = i;
    for (const auto& [escape, character] : kSlackEscapes) {
      if (text.substr(i).starts_with(escape)) {
        out.push_back(character);
        i += escape.size();
        break;
      }
    }
    if (i == before) out.push_back(text[i++]);
  }
}

// What stands between "<" and ">".
void AppendReference(std::string_view reference, std::string& out) {
  const size_t bar = reference.find('|');
  const std::string_view target = reference.substr(0, bar);
  if (!target.empty() && (target[0] == '@' || target[0] == '#' || target[0] == '!')) {
    // A person or a channel: by the name if it came with one.
    out.push_back(target[0]);
    AppendUnescaped(bar == std::string_view::npos ? target.substr(1) : reference.substr(bar + 1), out);
  } else {
    AppendUnescaped(target, out);
  }
}

}  // namespace

std::string SlackPlainText(std::string_view text) {
  text = TrimBlanks(text);
  while (text.starts_with("<@")) {
    const size_t end = text.find('>');
    if (end == std::string_view::npos) break;
    text = TrimBlanks(text.substr(end + 1));
  }
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t open = text.find('<');
    const size_t close = open == std::string_view::npos ? open : text.find('>', open);
    AppendUnescaped(text.substr(0, close == std::string_view::npos ? text.size() : open), out);
    if (close == std::string_view::npos) break;
    AppendReference(text.substr(open + 1, close - open - 1), out);
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace yardmaster::chat
