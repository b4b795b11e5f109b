// Texts of 64 KiB that bring Markdown parsers down: seconds, gigabytes or a crash in some library or other.
#ifndef YARDMASTER_TESTS_SUPPORT_HOSTILE_TEXTS_H_
#define YARDMASTER_TESTS_SUPPORT_HOSTILE_TEXTS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yardmaster::testing {

inline std::string Repeat(std::string_view unit, size_t bytes) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() + unit.size() <= bytes) text += unit;
  return text;
}

// Name and text, each at most `bytes` long.
inline std::vector<std::pair<std::string, std::string>> HostileTexts(size_t bytes) {
  std::vector<std::pair<std::string, std::string>> texts;
  const auto add = [&](std::string name, std::string text) {
    if (text.size() > bytes) text.resize(bytes);
    texts.emplace_back(std::move(name), std::move(text));
  };
  // One unit over and over, as it stands and with something behind it that keeps it from being a rule or a heading.
  using namespace std::string_view_literals;
  for (std::string_view unit : {"["sv,
                                "]"sv,
                                "("sv,
                                "![[]()"sv,
                                "[]("sv,
                                "[a](<b"sv,
                                "*_"sv,
                                "**"sv,
                                "*a **a "sv,
                                "_a __a "sv,
                                "~~a "sv,
                                "`a"sv,
                                "` "sv,
                                "<"sv,
                                "<a "sv,
                                "<a b='"sv,
                                "<!--"sv,
                                "<!-- a "sv,
                                "<?"sv,
                                "<!A"sv,
                                "<![CDATA["sv,
                                "<div>"sv,
                                "<div>\n"sv,
                                "<details>\n\n"sv,
                                "<pre>\n"sv,
                                "\\"sv,
                                "&"sv,
                                "&#"sv,
                                "&#x;"sv,
                                ">"sv,
                                "> "sv,
                                ">\n"sv,
                                "> - "sv,
                                ">- "sv,
                                "- "sv,
                                "-\t"sv,
                                "* "sv,
                                "+ "sv,
                                "1. "sv,
                                "1) "sv,
                                "-\n"sv,
                                "1.\n"sv,
                                "# "sv,
                                "#\n"sv,
                                "=\n"sv,
                                "a\n=\n"sv,
                                "a\n---\n"sv,
                                "- - -\n"sv,
                                "```\n"sv,
                                "~~~\n"sv,
                                "``` a\n"sv,
                                "    a\n"sv,
                                "\t"sv,
                                " \n"sv,
                                "\n"sv,
                                "\r"sv,
                                "\r\n"sv,
                                "\0"sv,
                                "\0\n"sv,
                                "\xff"sv,
                                "\xf0\x9f"sv,
                                "\xe4\xb8\xad"sv,
                                "[a]: b\n"sv,
                                "[a]: b \"\n"sv,
                                "[a]: b 'c\n"sv,
                                "[a]:\n"sv,
                                "[a]: <\n"sv,
                                "[^a]: b\n"sv,
                                "| a "sv,
                                "|-"sv,
                                "| a |\n|-|\n"sv,
                                "a"sv,
                                "a b "sv,
                                "a\n"sv,
                                "http://a."sv,
                                "www.a"sv,
                                "a@b.c "sv,
                                "::"sv,
                                "/a\n"sv,
                                "RuntimeError: a\n"sv,
                                "  File \"a\", line 1\n"sv,
                                "Traceback (most recent call last):\n"sv,
                                "[pip3] a==1\n"sv,
                                "a: "sv,
                                "a.b"sv,
                                "OS: a\n\n"sv,
                                "[rank0]: "sv,
                                "[ 0] a(\n"sv,
                                "terminate called "sv,
                                "E0224 16:22:34\n\n"sv}) {
    std::string name(unit.substr(0, 24));
    add("repeated " + name, Repeat(unit, bytes));
    add("repeated and ended " + name, Repeat(unit, bytes - 2) + " a");
    add("repeated in a quote " + name, "> " + Repeat(unit, bytes - 2));
    add("repeated in a fence " + name, "```\n" + Repeat(unit, bytes - 4));
    add("repeated in HTML " + name, "<div>" + Repeat(unit, bytes - 5));
  }
  // Nesting, then lines that make a parser walk through all of it.
  for (std::string_view outer : {"- "sv, "* "sv, "1. "sv, ">"sv, "> - "sv, "-\t"sv}) {
    for (std::string_view inner : {"\n"sv, " \n"sv, "a\n"sv, ">\n"sv, "- \n"sv, "\ta\n"sv}) {
      for (size_t share : {8, 4, 2}) {
        add("nested " + std::string(outer) + " 1/" + std::to_string(share),
            Repeat(outer, bytes / share) + "a\n" + Repeat(inner, bytes));
      }
    }
  }
  for (size_t step : {1, 4, 16, 64, 256}) {
    std::string text;
    for (size_t indent = 0; text.size() < bytes / 2; indent += 2 * step)
      text += std::string(indent, ' ') + Repeat("- ", 2 * step) + "a\n";
    add("nested in steps of " + std::to_string(step), text + Repeat("\n", bytes));
  }
  // Runs that grow.
  for (char c : {'`', '*', '[', '<', '>', '#', '~', '-', '=', ' ', '\\'}) {
    std::string text;
    for (size_t length = 1; text.size() < bytes; ++length) text += std::string(length, c) + "a ";
    add(std::string("growing runs of ") + c, text);
    text.clear();
    for (size_t length = 1; text.size() < bytes; ++length) text += std::string(length, c) + "a\n";
    add(std::string("growing lines of ") + c, text);
  }
  std::string comments;
  for (size_t length = 1; comments.size() < bytes; ++length) comments += std::string(length, '`') + "<!--";
  add("growing backticks before comments", comments);
  return texts;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_HOSTILE_TEXTS_H_
