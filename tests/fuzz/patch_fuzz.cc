// A text and a patch, parted by a NUL byte: never a crash; what is taken back is at most as long as both together.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "services/review/patch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t nul = input.find('\0');
  if (nul == std::string_view::npos) return 0;
  const std::string_view text = input.substr(0, nul);
  const std::optional<std::string> before = yardmaster::TextBefore(text, input.substr(nul + 1));
  if (before.has_value() && before->size() > input.size()) abort();
  if (yardmaster::TextBefore(text, "") != text) abort();
  return 0;
}
