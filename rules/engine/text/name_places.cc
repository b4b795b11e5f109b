#include "rules/engine/text/name_places.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"

namespace yardmaster::rules {
namespace {

constexpr size_t kFarthest = 512;
constexpr size_t kLongestExtension = 6;

// The first words of commands after which names are those of packages and targets.
constexpr std::array<std::string_view, 17> kBuilders = {"pip",     "pip3",  "conda",  "mamba", "uv",   "apt",
                                                        "apt-get", "yum",   "dnf",    "brew",  "make", "gmake",
                                                        "cmake",   "ninja", "docker", "wget",  "curl"};

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// What no path has: blanks, quotes, brackets, and bytes beyond ASCII.
constexpr std::array<bool, 256> kEndsPath = [] {
  std::array<bool, 256> ends{};
  for (const char c : std::string_view(" \t\r\n\"'`()[]{}<>,;|=*")) ends[static_cast<unsigned char>(c)] = true;
  for (size_t c = 0x80; c < ends.size(); ++c) ends[c] = true;
  return ends;
}();
bool EndsPath(char c) { return kEndsPath[static_cast<unsigned char>(c)]; }

bool IsAlnum(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

// "x.py", "lib/x.so.2:15": a dot and a few letters and digits, of which the first is a letter.
bool EndsInExtension(std::string_view path) {
  while (!path.empty() &&
         (IsOneOf(path.back(), ".:") || absl::ascii_isdigit(static_cast<unsigned char>(path.back())))) {
    path.remove_suffix(1);
  }
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || !IsAlnum(path[dot - 1])) return false;
  const std::string_view extension = path.substr(dot + 1);
  return !extension.empty() && extension.size() <= kLongestExtension &&
         absl::ascii_isalpha(static_cast<unsigned char>(extension.front())) &&
         std::all_of(extension.begin(), extension.end(), IsAlnum);
}

bool BeginsAsPath(std::string_view path) {
  return path.starts_with('/') || path.starts_with("./") || path.starts_with("../") || path.starts_with("~/") ||
         path.starts_with("$") || path.find("://") != std::string_view::npos ||
         (path.size() > 2 && path[1] == ':' && IsOneOf(path[2], "/\\"));
}

std::string_view NextWord(std::string_view& line) {
  const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

// "USE_NCCL=0" before a command.
bool IsSetting(std::string_view word) {
  const size_t sign = word.find('=');
  return sign != std::string_view::npos && sign > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(sign),
                     [](char c) { return IsAlnum(c) || c == '_'; });
}

}  // namespace

bool IsInPath(std::string_view text, size_t begin, size_t end) {
  bool has_slash = false;
  const auto belongs = [&](char c) {
    has_slash = has_slash || c == '/' || c == '\\';
    return !EndsPath(c);
  };
  size_t from = begin;
  while (from > 0 && begin - from < kFarthest && belongs(text[from - 1])) --from;
  size_t to = end;
  while (to < text.size() && to - end < kFarthest && belongs(text[to])) ++to;
  if (!has_slash) return false;
  const std::string_view path = text.substr(from, to - from);
  return BeginsAsPath(path) || EndsInExtension(path);
}

bool IsInBuildCommand(std::string_view text, size_t at) {
  const size_t before = text.substr(0, at).rfind('\n');
  const size_t from = before == std::string_view::npos ? 0 : before + 1;
  std::string_view line = text.substr(from, std::min(at - from, kFarthest));
  std::string_view word = NextWord(line);
  while (word == "$" || word == "#" || word == "!" || word == "RUN" || word == "sudo" || IsSetting(word))
    word = NextWord(line);
  if (word.starts_with('!')) word.remove_prefix(1);
  if (word == "git") return NextWord(line) == "clone";
  if (word.starts_with("python")) {
    const std::string_view what = NextWord(line);
    return what == "setup.py" || (what == "-m" && NextWord(line) == "pip");
  }
  return std::find(kBuilders.begin(), kBuilders.end(), word) != kBuilders.end();
}

}  // namespace yardmaster::rules
