// The frames of git's protocols: four hex digits of length, then the text. Pure.
#ifndef YARDMASTER_CLIENTS_GIT_PKT_LINE_H_
#define YARDMASTER_CLIENTS_GIT_PKT_LINE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster {

inline constexpr std::string_view kPktFlush = "0000";
inline constexpr std::string_view kPktDelimiter = "0001";

// One frame; `text` is at most 65,516 bytes.
std::string PktLine(std::string_view text);

// Reads frame after frame.
class PktReader {
 public:
  enum class Kind : uint8_t { kText, kFlush, kDelimiter, kResponseEnd, kEnd, kBroken };
  struct Pkt {
    Kind kind = Kind::kEnd;
    std::string_view text;  // kText: without its frame, line end included
  };

  explicit PktReader(std::string_view bytes) : bytes_(bytes) {}
  // kEnd behind the last frame; kBroken, and ever after, where there is no frame.
  Pkt Next();

 private:
  std::string_view bytes_;
};

// The text without a line end.
std::string_view PktText(const PktReader::Pkt& pkt);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_PKT_LINE_H_
