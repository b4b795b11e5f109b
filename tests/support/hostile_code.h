// Files that bring parsers of code down or fill the memory, each with how a review of it has to end: parentheses by the
// ten thousand, tables and links that Markdown libraries are quadratic in, keys that come twice, and texts of 2 MiB in
// which every byte is a token.
#ifndef YARDMASTER_TESTS_SUPPORT_HOSTILE_CODE_H_
#define YARDMASTER_TESTS_SUPPORT_HOSTILE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::testing {

enum class HostileEnd : uint8_t {
  kLimit,     // a finding YM-LIMIT
  kParse,     // a finding YM-PARSE; a query over what is left may pass its limit as well
  kReviewed,  // neither: time and memory are in proportion to the text, so it is read and judged like any other
};

struct HostileFile {
  std::string name;
  std::string path;
  std::string text;
  HostileEnd end = HostileEnd::kReviewed;
};

inline std::string Times(std::string_view unit, size_t times) {
  std::string text;
  text.reserve(unit.size() * times);
  for (size_t i = 0; i < times; ++i) text += unit;
  return text;
}

// Of at most `bytes` bytes.
inline std::string Filled(std::string_view unit, size_t bytes) { return Times(unit, bytes / unit.size()); }

inline std::vector<HostileFile> HostileCode() {
  constexpr size_t kKilo = 1024;
  constexpr size_t kWhole = 2 * 1024 * kKilo - 64;  // as large as files may be
  using enum HostileEnd;
  std::vector<HostileFile> files;
  const auto add = [&](std::string_view name, std::string_view extension, std::string text, HostileEnd end) {
    const std::string path = "h" + std::to_string(files.size()) + "." + std::string(extension);
    files.push_back({std::string(name), path, std::move(text), end});
  };

  // 1. What breaks parsers and libraries.
  add("open parentheses", "py", Times("(", 66'000), kParse);
  add("open parentheses", "cc", Times("(", 66'000), kParse);
  add("open parentheses", "cu", Times("(", 66'000), kParse);
  add("open parentheses for queries", "py", Times("(", 64 * kKilo), kParse);
  add("open brackets", "json", Times("[", 100'000), kParse);
  add("balanced brackets", "json", Times("[", 100'000) + Times("]", 100'000), kLimit);
  add("keys that come twice", "json", "{" + Times("\"a\": 1,\n", 20'000) + "\"a\": 2}", kReviewed);
  add("open brackets", "yaml", Times("[", 66'000), kParse);
  add("lists in lists", "yaml", Times("- ", 33'000), kLimit);
  add("a table of 41 KB", "md", "| a | b |\n|---|---|\n" + Times("| a | b |\n", 4'100), kReviewed);
  add("many tables", "md", Filled("| a |\n|-|\n", 60 * kKilo), kReviewed);
  add("images in links, 63 KB", "md", Filled("![[]()", 63 * kKilo), kReviewed);
  add("images in links, 255 KB", "md", Filled("![[]()", 255 * kKilo), kReviewed);
  add("a front matter of brackets", "md", "---\n" + Times("[", 66'000) + "\n---\n", kParse);
  add("a code block of parentheses", "md", "```python\n" + Times("(", 66'000) + "\n```\n", kReviewed);
  add("balanced parentheses", "py", "x = " + Times("(", 66'000) + "1" + Times(")", 66'000) + "\n", kLimit);

  // 2. Nesting without brackets.
  std::string blocks;
  for (size_t i = 0; i < 900; ++i) blocks += std::string(i, ' ') + "if x:\n";
  add("blocks in blocks", "py", blocks + std::string(900, ' ') + "pass\n", kLimit);
  add("lambdas in lambdas", "py", Times("lambda:", 20'000) + "1\n", kLimit);
  add("attributes of attributes", "py", "a" + Filled(".a", kWhole) + "\n", kLimit);

  // 3. As many tokens as fit.
  add("too large", "py", Filled("x = 1\n", 2 * kKilo * kKilo + 10), kLimit);
  add("statements", "py", Filled("a\n", kWhole), kLimit);
  add("numbers of a list", "py", "[" + Filled("0,", kWhole) + "]\n", kLimit);
  add("calls", "py", Filled("f();", kWhole) + "\n", kLimit);
  add("names of an import", "py", "from " + std::string(500, 'm') + " import b as x\n" + Filled("x.a\n", 128 * kKilo),
      kReviewed);
  add("nothing but errors", "py", Filled("= ", kWhole), kLimit);
  add("many errors", "py", Filled("= ", 512 * kKilo), kParse);
  add("bytes that are no text", "py", std::string(kWhole, '\xff'), kParse);
  add("empty lines", "py", Filled("\n", kWhole), kReviewed);
  add("statements", "cc", "int f() {" + Filled("a;", kWhole) + "}\n", kLimit);
  add("commas", "cu", "int f() {" + Filled("a,", kWhole) + "a;}\n", kLimit);
  add("templates", "cc", Filled("template<", 1024 * kKilo), kParse);
  add("numbers", "json", "[" + Filled("1,", kWhole) + "1]", kLimit);
  add("objects", "json", "[" + Filled("{},", kWhole) + "1]", kLimit);
  add("a list", "yaml", Filled("-\n", kWhole), kLimit);
  add("a flow list", "yaml", "[" + Filled("a,", kWhole) + "a]", kLimit);
  add("headings", "md", Filled("# a\n", kWhole), kLimit);
  add("boxes", "md", Filled("- [x]\n", kWhole), kLimit);
  add("cells", "md", "|a|\n|-|\n" + Filled("|", kWhole), kLimit);
  add("brackets that nothing closes", "md", Filled("](", kWhole), kReviewed);
  add("links that nothing opens", "md", Filled("](a)", kWhole), kLimit);
  add("open brackets", "md", Filled("[", kWhole), kReviewed);
  add("links in links", "md", Filled("[", 512 * kKilo) + Filled("](a)", 512 * kKilo), kReviewed);
  add("code words", "md", Filled("`a` ", kWhole), kReviewed);
  add("quotes in quotes", "md", Filled("> ", kWhole), kReviewed);
  return files;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_HOSTILE_CODE_H_
