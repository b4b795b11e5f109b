#include "services/core/glob.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace yardmaster {

bool MatchesLike(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;  // last `*` seen, and where its text begins
  size_t from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

namespace {

constexpr size_t kNone = std::string_view::npos;

// The part of a path or a pattern that begins at `begin`, up to the next "/".
std::string_view PartAt(std::string_view text, size_t begin) {
  return text.substr(begin, std::min(text.find('/', begin), text.size()) - begin);
}

// Where the part behind the one at `begin` begins; kNone: that was the last one.
size_t NextPart(std::string_view text, size_t begin) {
  const size_t end = text.find('/', begin);
  return end == kNone ? kNone : end + 1;
}

// Whether `**` only stands for whole folders: nearly always.
bool HasWholeFolders(std::string_view pattern) {
  for (size_t at = pattern.find("**"); at != kNone; at = pattern.find("**", at + 2)) {
    if (at > 0 && pattern[at - 1] != '/') return false;
    if (at + 2 < pattern.size() && pattern[at + 2] != '/') return false;
  }
  return true;
}

// Part by part. Where a part does not fit, the last `**` takes one folder more.
bool MatchesParts(std::string_view pattern, std::string_view path) {
  size_t p = 0;
  size_t t = 0;
  size_t behind = kNone;  // the last `**`
  size_t from = kNone;    // where in the path its folders end
  while (t != kNone) {
    if (p != kNone) {
      const std::string_view part = PartAt(pattern, p);
      const size_t next = NextPart(pattern, p);
      if (part == "**") {
        if (next == kNone) return true;
        behind = p = next;
        from = t;
        continue;
      }
      if (MatchesLike(part, PartAt(path, t))) {
        p = next;
        t = NextPart(path, t);
        continue;
      }
    }
    if (behind == kNone) return false;
    from = NextPart(path, from);
    p = behind;
    t = from;
  }
  return p == kNone;
}

// Any pattern: its reachable positions, one byte of the path after the other, in the time of the product of both
// lengths. Before `**/` the path is between folders; on its second `*` it is within one.
bool MatchesBytes(std::string_view pattern, std::string_view path) {
  std::vector<bool> now(pattern.size() + 1, false);
  const auto is_folders = [&](size_t p) { return pattern.substr(p).starts_with("**/"); };
  const auto close = [&](std::vector<bool>& states) {
    for (size_t p = 0; p < pattern.size(); ++p) {
      if (!states[p] || pattern[p] != '*' || (p > 0 && is_folders(p - 1))) continue;
      states[is_folders(p) ? p + 3 : p + 1] = true;
    }
  };
  now[0] = true;
  close(now);
  for (const char c : path) {
    std::vector<bool> next(pattern.size() + 1, false);
    for (size_t p = 0; p < pattern.size(); ++p) {
      if (!now[p]) continue;
      if (is_folders(p)) {
        next[c == '/' ? p : p + 1] = true;
      } else if (p > 0 && is_folders(p - 1)) {
        next[c == '/' ? p - 1 : p] = true;
      } else if (pattern[p] == '*') {
        const bool twice = pattern.substr(p).starts_with("**") || (p > 0 && pattern[p - 1] == '*');
        if (twice || c != '/') next[p] = true;
      } else if (pattern[p] == c || (pattern[p] == '?' && c != '/')) {
        next[p + 1] = true;
      }
    }
    close(next);
    now = std::move(next);
  }
  return now[pattern.size()];
}

}  // namespace

bool MatchesPath(std::string_view pattern, std::string_view path) {
  return HasWholeFolders(pattern) ? MatchesParts(pattern, path) : MatchesBytes(pattern, path);
}

bool MatchesGlob(std::string_view pattern, std::string_view path) {
  if (pattern.find('/') == std::string_view::npos) path = path.substr(path.rfind('/') + 1);
  return MatchesPath(pattern, path);
}

}  // namespace yardmaster
