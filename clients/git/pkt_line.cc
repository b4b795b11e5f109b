#include "clients/git/pkt_line.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace yardmaster {

std::string PktLine(std::string_view text) {
  std::array<char, 5> length{};
  std::snprintf(length.data(), length.size(), "%04x", static_cast<unsigned>(text.size() + 4) & 0xffffu);
  return std::string(length.data(), 4) + std::string(text);
}

PktReader::Pkt PktReader::Next() {
  if (bytes_.empty()) return {Kind::kEnd, {}};
  unsigned length = 0;
  const char* const digits_end = bytes_.data() + 4;
  if (bytes_.size() < 4) return {Kind::kBroken, {}};
  const auto [end, error] = std::from_chars(bytes_.data(), digits_end, length, 16);
  if (error != std::errc() || end != digits_end) return {Kind::kBroken, {}};
  if (length < 4) {
    if (length == 3) return {Kind::kBroken, {}};
    bytes_.remove_prefix(4);
    static constexpr std::array<Kind, 3> kSpecial = {Kind::kFlush, Kind::kDelimiter, Kind::kResponseEnd};
    return {kSpecial[length], {}};
  }
  if (length > bytes_.size()) return {Kind::kBroken, {}};
  const std::string_view text = bytes_.substr(4, length - 4);
  bytes_.remove_prefix(length);
  return {Kind::kText, text};
}

std::string_view PktText(const PktReader::Pkt& pkt) {
  std::string_view text = pkt.text;
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

}  // namespace yardmaster
