#include "clients/chat/slack_markup.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

// "&lt;!channel&gt;" is a text, "<!channel>" would call everybody.
std::string SlackEscaped(std::string_view text) {
  return absl::StrReplaceAll(Abs(text), {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

// Whether an address may stand in Slack's form of links.
bool IsSlackAddress(std::string_view url) {
  return (url.starts_with("https://") || url.starts_with("http://")) && std::all_of(url.begin(), url.end(), [](char c) {
           return static_cast<unsigned char>(c) > 0x20 && c != '<' && c != '>' && c != '|' && c != '`';
         });
}

// A link at the beginning of `text`, "[words](address)", as Slack writes it; empty if there is none. `size`: its bytes.
std::string SlackLink(std::string_view text, size_t& size) {
  if (!text.starts_with('[')) return {};
  const size_t end = text.find(']');
  if (end == std::string_view::npos || end < 2 || !text.substr(end).starts_with("](")) return {};
  const size_t close = text.find(')', end);
  if (close == std::string_view::npos) return {};
  const std::string_view words = text.substr(1, end - 1);
  const std::string_view url = text.substr(end + 2, close - end - 2);
  if (!IsSlackAddress(url) || words.find_first_of("[\n|") != std::string_view::npos) return {};
  size = close + 1;
  return absl::StrCat("<", SlackEscaped(url), "|", SlackEscaped(words), ">");
}

// How many of these a text begins with.
size_t RunOf(char c, std::string_view text) { return std::min(text.find_first_not_of(c), text.size()); }

void AppendSlackSpan(std::string_view text, std::string& out) {
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    size_t size = 1;
    if (rest.front() == '`') {
      // Code, up to as many ticks as began it.
      const size_t ticks = RunOf('`', rest);
      const size_t end = rest.find(rest.substr(0, ticks), ticks);
      size = end == std::string_view::npos ? ticks : end + ticks;
      absl::StrAppend(&out, SlackEscaped(rest.substr(0, size)));
    } else if (rest.starts_with("**")) {
      size = 2;
      out += '*';
    } else if (const std::string link = SlackLink(rest, size); !link.empty()) {
      out += link;
    } else {
      size = std::max<size_t>(1, std::min(rest.find_first_of("`*[", 1), rest.size()));
      absl::StrAppend(&out, SlackEscaped(rest.substr(0, size)));
    }
    i += size;
  }
}

void AppendSlackLine(std::string_view line, std::string& out) {
  const size_t indent = RunOf(' ', line);
  const std::string_view text = line.substr(indent);
  if (const size_t marks = RunOf('#', text); marks > 0 && marks <= 6 && text.substr(marks).starts_with(' ')) {
    out += '*';
    AppendSlackSpan(absl::StrReplaceAll(Abs(text.substr(marks + 1)), {{"**", ""}}), out);
    out += '*';
    return;
  }
  if (text.starts_with("* ") || text.starts_with("- ")) {
    absl::StrAppend(&out, Abs(line.substr(0, indent)), "• ");
    AppendSlackSpan(text.substr(2), out);
    return;
  }
  AppendSlackSpan(line, out);
}

}  // namespace

std::string SlackMarkup(std::string_view markdown) {
  std::string out;
  out.reserve(markdown.size() + markdown.size() / 8);
  bool in_code = false;
  for (size_t begin = 0; begin <= markdown.size();) {
    const size_t end = std::min(markdown.find('\n', begin), markdown.size());
    const std::string_view line = markdown.substr(begin, end - begin);
    const bool fence = line.substr(RunOf(' ', line)).starts_with("```");
    if (fence) in_code = !in_code;
    if (fence || in_code) {
      absl::StrAppend(&out, SlackEscaped(line));
    } else {
      AppendSlackLine(line, out);
    }
    if (end < markdown.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

}  // namespace yardmaster::chat
