#include "services/workflow/copyright.h"

#include <re2/re2.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster::workflow {
namespace {

constexpr int kHeadLines = 5;

// The end of the first lines.
size_t HeadEnd(std::string_view text) {
  size_t end = 0;
  for (int line = 0; line < kHeadLines && end < text.size(); ++line) {
    const size_t at = text.find('\n', end);
    end = at == std::string_view::npos ? text.size() : at + 1;
  }
  return end;
}

}  // namespace

std::optional<std::string> WithYear(std::string_view text, int year) {
  // Up to the end of the line, so that a list of years is seen.
  static const RE2 kYears(
      R"((?i)copyright(?:[ \t]+|[ \t]*(?:\(c\)|©)[ \t]*)(\d{4})\b(?:[ \t]*-[ \t]*(\d{4})\b)?([^\n]*))");
  static const RE2 kListed(R"(^[ \t]*[,;][ \t]*\d{4})");
  const std::string_view head = text.substr(0, HeadEnd(text));
  re2::StringPiece rest(head.data(), head.size());
  re2::StringPiece first;
  re2::StringPiece last;
  re2::StringPiece behind;
  std::string out;
  size_t copied = 0;
  while (RE2::FindAndConsume(&rest, kYears, &first, &last, &behind)) {
    int from = 0;
    int to = 0;
    if (!absl::SimpleAtoi(absl::string_view(first.data(), first.size()), &from)) continue;
    if (last.empty() || !absl::SimpleAtoi(absl::string_view(last.data(), last.size()), &to)) to = from;
    if (to >= year || from > to || RE2::PartialMatch(behind, kListed)) continue;
    const char* const end = last.empty() ? first.data() + first.size() : last.data();
    const auto at = static_cast<size_t>(end - text.data());
    absl::StrAppend(&out, Abs(text.substr(copied, at - copied)), last.empty() ? "-" : "", year);
    copied = at + last.size();
  }
  if (copied == 0) return std::nullopt;
  absl::StrAppend(&out, Abs(text.substr(copied)));
  return out;
}

}  // namespace yardmaster::workflow
