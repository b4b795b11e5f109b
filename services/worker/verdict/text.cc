#include "services/worker/verdict/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "absl/strings/ascii.h"
#include "services/core/lines.h"
#include "services/core/utf8.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/verdict/line_prefix.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxListedRanks = 8;

}  // namespace

std::string Decimal(double number) {
  std::array<char, 40> digits{};
  std::snprintf(digits.data(), digits.size(), "%.9g", number);
  return digits.data();
}

std::string Quoted(std::string_view line) {
  std::string buffer;
  std::string_view text = TrimBlanks(WithoutEscapes(line, buffer));
  if (text.size() > kMaxQuotedBytes) text = WithoutPrefix(text);
  if (text.size() <= kMaxQuotedBytes) return std::string(text);
  return Concat(CutUtf8(text, kMaxQuotedBytes - kQuotedEndBytes), "…", TailUtf8(text, kQuotedEndBytes));
}

std::string Quoted(std::string_view line, size_t place) {
  // What stands before it says where: some of it stays.
  constexpr size_t kBytesBefore = 40;
  if (place <= (kMaxQuotedBytes - kQuotedEndBytes) / 2 || place >= line.size()) return Quoted(line);
  const size_t begin = std::min(place - kBytesBefore, line.size() - std::min(line.size(), kMaxQuotedBytes));
  return "…" + Quoted(line.substr(CutUtf8(line, begin).size()));
}

std::string Count(size_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string SignalName(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? Concat("signal ", signal) : Concat("SIG", name);
}

std::string SignalMeaning(int signal) {
  const char* meaning = ::sigabbrev_np(signal) == nullptr ? nullptr : ::sigdescr_np(signal);
  return meaning == nullptr ? std::string() : absl::AsciiStrToLower(meaning);
}

std::string RankList(const std::vector<int>& ranks) {
  if (ranks.empty()) return "";
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  const size_t shown = ranks.size() <= kMaxListedRanks ? ranks.size() : kMaxListedRanks - 1;
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  if (shown < ranks.size()) text += " and " + std::to_string(ranks.size() - shown) + " more";
  return text;
}

}  // namespace yardmaster::worker
