#include "rules/engine/commands/pull_reference.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {
namespace {

constexpr size_t kMaxOwnerOrName = 100;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsNameChar(char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.'; }

// All of `text` as a number that an issue can have.
std::optional<int64_t> Number(std::string_view text) {
  if (text.empty() || text.size() > 10 || text[0] == '0' || !absl::c_all_of(text, IsDigit)) return std::nullopt;
  int64_t value = 0;
  for (char c : text) value = value * 10 + (c - '0');
  if (value > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return value;
}

// Owners and repository names: no path and no option may be hidden in them.
bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxOwnerOrName && text != "." && text != ".." && text[0] != '-' &&
         absl::c_all_of(text, IsNameChar);
}

bool IsRepository(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && IsName(text.substr(0, slash)) && IsName(text.substr(slash + 1));
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (size_t i = 0; i < prefix.size(); ++i) {
    const char c = IsLetter(text[i]) ? static_cast<char>(text[i] | 0x20) : text[i];
    if (c != prefix[i]) return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

// Up to the next slash, which is taken, too.
std::string_view TakeSegment(std::string_view& path) {
  const size_t slash = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, slash);
  path.remove_prefix(std::min(slash + 1, path.size()));
  return segment;
}

std::optional<PullReference> ParseUrl(std::string_view text) {
  if (text.size() > 2 && text.front() == '<' && text.back() == '>') text = text.substr(1, text.size() - 2);
  TakePrefix(text, "https://") || TakePrefix(text, "http://");
  TakePrefix(text, "www.");
  PullReference reference;
  constexpr std::array<std::string_view, 2> kHosts = {"github.com", "gitcode.com"};
  for (std::string_view host : kHosts) {
    std::string_view rest = text;
    if (!TakePrefix(rest, host) || !TakePrefix(rest, "/")) continue;
    reference.host = host;
    text = rest;
    break;
  }
  if (reference.host.empty()) return std::nullopt;
  const std::string_view owner = TakeSegment(text);
  const std::string_view name = TakeSegment(text);
  if (!IsName(owner) || !IsName(name)) return std::nullopt;
  std::string_view kind = TakeSegment(text);
  if (kind == "-") kind = TakeSegment(text);
  reference.issue = kind == "issues" || kind == "issue";
  if (!reference.issue && kind != "pull" && kind != "pulls" && kind != "merge_requests") return std::nullopt;
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end < text.size() && std::string_view("/?#.,;:)").find(text[end]) == std::string_view::npos) return std::nullopt;
  const std::optional<int64_t> number = Number(text.substr(0, end));
  if (!number.has_value()) return std::nullopt;
  reference.number = *number;
  reference.repo = std::string(owner) + "/" + std::string(name);
  return reference;
}

}  // namespace

std::optional<PullReference> ParsePullReference(std::string_view text) {
  PullReference reference;
  const size_t mark = text.find_first_of("#!");
  if (mark == std::string_view::npos || mark == 0) {
    const std::string_view digits = mark == 0 ? text.substr(1) : text;
    if (const std::optional<int64_t> number = Number(digits); number.has_value()) {
      reference.number = *number;
      return reference;
    }
  } else if (IsRepository(text.substr(0, mark))) {
    const std::optional<int64_t> number = Number(text.substr(mark + 1));
    if (number.has_value()) {
      reference.number = *number;
      reference.repo = text.substr(0, mark);
      return reference;
    }
  }
  return ParseUrl(text);
}

bool IsMarkedReference(std::string_view text) {
  return text.find_first_not_of("0123456789") != std::string_view::npos && ParsePullReference(text).has_value();
}

}  // namespace yardmaster::rules
