#include "services/worker/reports/report_text.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>

#include "services/core/lines.h"
#include "services/core/utf8.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/reports/report.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kLeftOut = "\n[…]\n";
// What a message keeps of its end.
constexpr size_t kTailBytes = kMaxReportMessageBytes / 2;
constexpr size_t kHeadBytes = kMaxReportMessageBytes - kTailBytes - kLeftOut.size();

}  // namespace

std::string CutMessage(std::string_view text) {
  text = TrimBlanks(text);
  if (text.size() <= kMaxReportMessageBytes) return std::string(text);
  std::string out(CutUtf8(text, kHeadBytes));
  out += kLeftOut;
  out += TailUtf8(text, kTailBytes);
  return out;
}

void MessageCollector::Add(std::string_view line) {
  if (!lost_ && head_.size() + line.size() < kMaxReportMessageBytes) {
    head_.append(line).append(1, '\n');
    return;
  }
  lost_ = true;
  tail_.append(line).append(1, '\n');
  // Trimmed seldom, so that a line is not copied once for each that follows.
  if (tail_.size() > 4 * kMaxReportMessageBytes) tail_.erase(0, tail_.size() - kMaxReportMessageBytes);
}

void MessageCollector::Clear() {
  head_.clear();
  tail_.clear();
  lost_ = false;
}

std::string MessageCollector::Message() const { return lost_ ? CutMessage(head_ + tail_) : CutMessage(head_); }

std::string_view PlainLine(std::string_view line, std::string& buffer) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  return WithoutEscapes(line, buffer);
}

double SecondsOf(std::string_view text) {
  std::string number;
  for (const char c : TrimBlanks(text).substr(0, 40)) {
    if (c != ',') number += c;
  }
  double seconds = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), seconds);
  if (error != std::errc() || !std::isfinite(seconds) || seconds < 0) return 0;
  return seconds;
}

std::optional<uint64_t> CountOf(std::string_view text) { return NumberOf(TrimBlanks(text)); }

}  // namespace yardmaster::worker
