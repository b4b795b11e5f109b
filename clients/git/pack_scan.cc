#include "clients/git/pack_scan.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>

namespace yardmaster {
namespace {

constexpr size_t kHeadBytes = 12;
constexpr size_t kDigestBytes = 20;
// Sizes at the beginning of a difference: two numbers of at most ten bytes.
constexpr size_t kDifferenceHead = 20;

uint32_t BigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// A number in pieces of seven bits, the lowest first, behind `value`, which has `bits` already.
std::optional<uint64_t> MoreBits(std::string_view& bytes, uint64_t value, unsigned bits) {
  while (true) {
    if (bytes.empty() || bits > 56) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << bits;
    if ((byte & 0x80) == 0) return value;
    bits += 7;
  }
}

struct Inflated {
  uint64_t size = 0;
  std::array<char, kDifferenceHead> head{};
};

class Inflater {
 public:
  Inflater() { good_ = inflateInit(&stream_) == Z_OK; }
  ~Inflater() {
    if (good_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Takes one stream from the front; nullopt if it is none, or longer than `most`.
  std::optional<Inflated> Take(std::string_view& bytes, uint64_t most) {
    if (!good_ || inflateReset(&stream_) != Z_OK) return std::nullopt;
    Inflated out;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(std::min<size_t>(bytes.size(), UINT32_MAX));
    int result = Z_OK;
    while (result == Z_OK) {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      result = inflate(&stream_, Z_NO_FLUSH);
      const size_t got = buffer_.size() - stream_.avail_out;
      if (out.size < out.head.size()) {
        std::copy_n(buffer_.data(), std::min(got, out.head.size() - static_cast<size_t>(out.size)),
                    out.head.data() + out.size);
      }
      out.size += got;
      if (out.size > most) return std::nullopt;
    }
    if (result != Z_STREAM_END) return std::nullopt;
    bytes.remove_prefix(bytes.size() - stream_.avail_in);
    return out;
  }

 private:
  z_stream stream_{};
  bool good_ = false;
  std::array<char, 64 * 1024> buffer_;
};

}  // namespace

PackVerdict ScanPack(std::string_view pack, const PackLimits& limits) {
  if (pack.size() < kHeadBytes + kDigestBytes || pack.size() > UINT32_MAX || !pack.starts_with("PACK") ||
      BigEndian(pack.substr(4)) != 2) {
    return PackVerdict::kBroken;
  }
  const uint32_t objects = BigEndian(pack.substr(8));
  if (objects > limits.objects) return PackVerdict::kTooLarge;
  std::string_view rest = pack.substr(kHeadBytes, pack.size() - kHeadBytes - kDigestBytes);
  Inflater inflater;
  uint64_t total = 0;
  for (uint32_t i = 0; i < objects; ++i) {
    // 1. The head: kind and size, then where a difference has its base.
    if (rest.empty()) return PackVerdict::kBroken;
    const auto first = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    const unsigned kind = (first >> 4) & 7;
    std::optional<uint64_t> size = first & 0x0f;
    if ((first & 0x80) != 0) size = MoreBits(rest, *size, 4);
    if (!size.has_value()) return PackVerdict::kBroken;
    if (*size > limits.object_bytes) return PackVerdict::kTooLarge;
    const bool by_offset = kind == 6;
    const bool by_name = kind == 7;
    if (kind == 0 || kind == 5) return PackVerdict::kBroken;
    if (by_offset && !MoreBits(rest, 0, 0).has_value()) return PackVerdict::kBroken;
    if (by_name) {
      if (rest.size() < kDigestBytes) return PackVerdict::kBroken;
      rest.remove_prefix(kDigestBytes);
    }
    // 2. Its bytes.
    const std::optional<Inflated> bytes = inflater.Take(rest, *size);
    if (!bytes.has_value() || bytes->size != *size) return PackVerdict::kBroken;
    // 3. What a difference grows to.
    uint64_t grown = *size;
    if (by_offset || by_name) {
      std::string_view head(bytes->head.data(), std::min<uint64_t>(bytes->size, kDifferenceHead));
      const std::optional<uint64_t> base = MoreBits(head, 0, 0);
      const std::optional<uint64_t> result = base.has_value() ? MoreBits(head, 0, 0) : std::nullopt;
      if (!result.has_value()) return PackVerdict::kBroken;
      if (*base > limits.object_bytes || *result > limits.object_bytes) return PackVerdict::kTooLarge;
      grown = std::max(grown, *result);
    }
    total += grown;
    if (total > limits.total_bytes) return PackVerdict::kTooLarge;
  }
  return rest.empty() ? PackVerdict::kGood : PackVerdict::kBroken;
}

}  // namespace yardmaster
