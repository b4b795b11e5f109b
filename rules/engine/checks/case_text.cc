#include "rules/engine/checks/case_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {
namespace {

constexpr size_t kNone = std::string_view::npos;
// A check is an object in the list "checks" of the document.
constexpr std::string_view kInsideCheck = "{[{";

// The closing quote of the string that opens at `at`.
size_t EndOfString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at < text.size() ? at : kNone;
}

size_t SkipBlanks(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// The closing bracket of the list that opens at `at`, and how many entries it has.
size_t EndOfList(std::string_view text, size_t at, size_t& entries) {
  entries = SkipBlanks(text, at + 1) < text.size() && text[SkipBlanks(text, at + 1)] == ']' ? 0 : 1;
  size_t depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = EndOfString(text, at);
      if (at == kNone) return kNone;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (--depth == 0) return at;
    } else if (c == ',' && depth == 1) {
      ++entries;
    }
  }
  return kNone;
}

// As many empty texts, and blanks that keep what follows in its place.
void AppendEmpty(std::string_view cases, size_t entries, std::string& out) {
  const size_t begin = out.size();
  for (size_t i = 0; i < entries; ++i) out += i == 0 ? "\"\"" : ",\"\"";
  const size_t lines = static_cast<size_t>(absl::c_count(cases, '\n'));
  out.append(lines, '\n');
  const size_t width = lines == 0 ? cases.size() : cases.size() - cases.rfind('\n') - 1;
  const size_t written = lines == 0 ? out.size() - begin : 0;
  if (width > written) out.append(width - written, ' ');
}

}  // namespace

std::string WithoutCases(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::string open;  // brackets around the place
  bool in_checks = false;
  size_t copied = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      open += c;
    } else if (c == '}' || c == ']') {
      if (open.empty()) return std::string(text);
      open.pop_back();
    } else if (c == '"') {
      const size_t end = EndOfString(text, at);
      if (end == kNone) return std::string(text);
      const std::string_view key = text.substr(at + 1, end - at - 1);
      at = end;
      const size_t colon = SkipBlanks(text, end + 1);
      if (colon == text.size() || text[colon] != ':') continue;
      if (open.size() == 1) in_checks = key == "checks";
      if (!in_checks || open != kInsideCheck || (key != "good" && key != "bad")) continue;
      const size_t list = SkipBlanks(text, colon + 1);
      if (list == text.size() || text[list] != '[') continue;
      size_t entries = 0;
      const size_t close = EndOfList(text, list, entries);
      if (close == kNone) return std::string(text);
      out.append(text.substr(copied, list + 1 - copied));
      AppendEmpty(text.substr(list + 1, close - list - 1), entries, out);
      copied = close;
      at = close;
    }
  }
  out.append(text.substr(copied));
  return out;
}

}  // namespace yardmaster::rules
