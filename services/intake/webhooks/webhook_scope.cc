#include "services/intake/webhooks/webhook_scope.h"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <optional>

#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// One past the string's closing quote for a string that begins at `begin` (behind its opening quote); npos if it does
// not end.
size_t EndOfString(std::string_view text, size_t begin) {
  size_t from = begin;
  while (true) {
    const void* found = std::memchr(text.data() + from, '"', text.size() - from);
    if (found == nullptr) return std::string_view::npos;
    const size_t quote = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    // An odd number of backslashes in front escapes it. Runs are counted once: the next search starts behind.
    size_t backslashes = 0;
    while (quote > begin + backslashes && text[quote - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return quote + 1;
    from = quote + 1;
  }
}

// The text of a string's inside; nullopt if it is too long or has an escape that names do not need. Names are ASCII on
// every forge, so an escape above U+007F can't be one.
std::optional<std::string> Unescape(std::string_view inside) {
  if (inside.size() > kMaxScannedBytes * 6) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\') {
      out += inside[i];
      continue;
    }
    if (++i == inside.size()) return std::nullopt;
    switch (inside[i]) {
      case '"':
      case '\\':
      case '/':
        out += inside[i];
        break;
      case 'u': {
        if (i + 4 >= inside.size()) return std::nullopt;
        unsigned value = 0;
        for (size_t k = 1; k <= 4; ++k) {
          const char c = inside[i + k];
          const int digit = c >= '0' && c <= '9'   ? c - '0'
                            : c >= 'a' && c <= 'f' ? c - 'a' + 10
                            : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                   : -1;
          if (digit < 0) return std::nullopt;
          value = value * 16 + static_cast<unsigned>(digit);
        }
        if (value >= 0x80) return std::nullopt;
        out += static_cast<char>(value);
        i += 4;
        break;
      }
      default:
        return std::nullopt;
    }
  }
  if (out.size() > kMaxScannedBytes) return std::nullopt;
  return out;
}

bool KeyIs(std::string_view inside, std::string_view name) {
  if (inside == name) return true;
  if (inside.find('\\') == std::string_view::npos) return false;
  return Unescape(inside) == name;
}

}  // namespace

ScanResult FindMember(std::string_view body, const PayloadMember& path) {
  ScanResult not_json{ScanState::kNotJson, {}};
  size_t i = 0;
  if (body.starts_with("\xef\xbb\xbf")) i = 3;
  while (i < body.size() && IsBlank(body[i])) ++i;
  if (i >= body.size() || body[i] != '{') return not_json;

  // By level: is it an object, and may a key come next. Level 1 is the body itself.
  std::bitset<kMaxScanDepth + 1> is_object;
  bool key_next = false;
  size_t depth = 0;
  const bool at_top = path.object.empty();
  bool inside_object = false;   // level 1's current member is `path.object`
  bool member_follows = false;  // the current member of level 2, or of level 1 at the top, is `path.member`
  while (i < body.size()) {
    const char c = body[i];
    switch (c) {
      case '{':
      case '[':
        // A name that is no string is no name.
        if (member_follows) return {ScanState::kAbsent, {}};
        if (depth == kMaxScanDepth) return not_json;
        ++depth;
        is_object[depth] = c == '{';
        key_next = c == '{';
        ++i;
        break;
      case '}':
      case ']':
        if (depth == 0 || is_object[depth] != (c == '}')) return not_json;
        --depth;
        // A name inside an object that was closed without one: others may follow, but they would be duplicates.
        if (depth == 1 && inside_object) return {ScanState::kAbsent, {}};
        if (depth == 0) return {ScanState::kAbsent, {}};
        key_next = false;
        member_follows = false;
        ++i;
        break;
      case ',':
        if (member_follows) return {ScanState::kAbsent, {}};
        if (depth == 1 && inside_object) return {ScanState::kAbsent, {}};
        key_next = is_object[depth];
        ++i;
        break;
      case '"': {
        const size_t end = EndOfString(body, i + 1);
        if (end == std::string_view::npos) return not_json;
        const std::string_view inside = body.substr(i + 1, end - i - 2);
        i = end;
        if (key_next) {
          key_next = false;
          if (depth == 1 && at_top) member_follows = KeyIs(inside, path.member);
          if (depth == 1 && !at_top) inside_object = KeyIs(inside, path.object);
          if (depth == 2 && inside_object) member_follows = is_object[2] && KeyIs(inside, path.member);
          break;
        }
        if (!member_follows) break;
        std::optional<std::string> name = Unescape(inside);
        if (!name.has_value() || name->empty()) return {ScanState::kAbsent, {}};
        return {ScanState::kFound, *std::move(name)};
      }
      default:
        ++i;
    }
  }
  return not_json;
}

bool InScope(std::string_view repository, const std::vector<size_t>& matched,
             const std::vector<WebhookSecret>& secrets) {
  return std::any_of(matched.begin(), matched.end(), [&](size_t index) {
    const std::vector<std::string>& patterns = secrets[index].repositories;
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
             return RepositoryMatches(pattern, repository);
           });
  });
}

bool AnyUnlimited(const std::vector<size_t>& matched, const std::vector<WebhookSecret>& secrets) {
  return std::any_of(matched.begin(), matched.end(), [&](size_t index) { return secrets[index].repositories.empty(); });
}

}  // namespace yardmaster
