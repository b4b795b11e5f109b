#include "services/core/glob.h"

#include <cstddef>
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

// Whether the ends of the pattern that have no wildcard fit: most patterns of a list are ruled out by that.
bool EndsFit(std::string_view pattern, std::string_view path) {
  const size_t first = pattern.find_first_of("*?");
  if (first == std::string_view::npos) return pattern == path;
  if (!path.starts_with(pattern.substr(0, first))) return false;
  std::string_view tail = pattern.substr(pattern.find_last_of("*?") + 1);
  if (tail.starts_with('/')) tail.remove_prefix(1);  // `**/` may be nothing at all
  return path.ends_with(tail);
}

}  // namespace

bool MatchesPath(std::string_view pattern, std::string_view path) {
  if (!EndsFit(pattern, path)) return false;
  // Reachable positions of the pattern, one byte of the path after the other: time is the product of both lengths.
  // Before `**/` the path is between folders; on its second `*` it is within one.
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

bool MatchesGlob(std::string_view pattern, std::string_view path) {
  if (pattern.find('/') == std::string_view::npos) path = path.substr(path.rfind('/') + 1);
  return MatchesPath(pattern, path);
}

}  // namespace yardmaster
