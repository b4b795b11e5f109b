#include "clients/chat/valid_text.h"

#include "absl/algorithm/container.h"
#include "services/core/utf8.h"

namespace yardmaster::chat {

bool IsValidText(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const Utf8Char next = DecodeUtf8(text, i);
    if (!next.valid || next.code_point == 0) return false;
    i += next.bytes;
  }
  return true;
}

bool IsValidId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdBytes &&
         absl::c_all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace yardmaster::chat
