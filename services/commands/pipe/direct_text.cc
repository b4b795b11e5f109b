#include "services/commands/pipe/direct_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster::commands {
namespace {

constexpr std::string_view kOneCommandForAll = "/yard";
// Commands about channels: elsewhere a bare "/subscribe" is another bot's.
constexpr std::string_view kOnlyInChat[] = {"subscribe", "unsubscribe", "subscriptions"};

std::string_view Stripped(std::string_view text) {
  const auto is_blank = [](char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Whether a word is nothing but the subject's name.
bool NamesSubject(std::string_view word, const std::string& number) {
  if (!word.ends_with(number)) return false;
  const std::string_view before = word.substr(0, word.size() - number.size());
  if (before.empty()) return true;
  if (before.back() == '#' || before.back() == '!') {
    return before.size() == 1 || before.find('/') != std::string_view::npos;
  }
  return before.back() == '/' && (before.starts_with("https://") || before.starts_with("http://"));
}

}  // namespace

std::string DirectText(std::string_view text, std::string_view login) {
  text = Stripped(text);
  const std::string_view rest = text.substr(std::min(text.size(), kOneCommandForAll.size()));
  if (absl::StartsWithIgnoreCase(Abs(text), Abs(kOneCommandForAll)) &&
      (rest.empty() || absl::ascii_isspace(static_cast<unsigned char>(rest.front())))) {
    text = Stripped(rest);
  }
  if (text.starts_with('/')) return std::string(text);
  const std::string first = absl::AsciiStrToLower(Abs(text.substr(0, text.find_first_of(" \t\r\n"))));
  for (const std::string_view own : kOnlyInChat) {
    if (first == own) return absl::StrCat(Abs(kOneCommandForAll), " ", Abs(text));
  }
  return absl::StrCat("@", Abs(login.empty() ? kDirectLogin : login), " ", Abs(text));
}

std::string WithoutSubject(std::string_view text, const v1::Subject& subject) {
  const std::string number = absl::StrCat(subject.number());
  std::string out;
  for (size_t pos = 0; pos < text.size();) {
    const bool blank = absl::ascii_isspace(static_cast<unsigned char>(text[pos]));
    size_t end = pos;
    while (end < text.size() && absl::ascii_isspace(static_cast<unsigned char>(text[end])) == blank) ++end;
    const std::string_view piece = text.substr(pos, end - pos);
    pos = end;
    if (blank || !NamesSubject(piece, number)) absl::StrAppend(&out, Abs(piece));
  }
  return out;
}

}  // namespace yardmaster::commands
