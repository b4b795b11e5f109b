#include "services/core/short_digest.h"

#include <span>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/hex.h"
#include "services/core/sha256.h"

namespace yardmaster {

std::string ShortDigest(std::string_view bytes) {
  constexpr size_t kBytes = 8;
  const Sha256Bytes digest = Sha256(bytes);
  return Hex(std::span(digest).first<kBytes>());
}

std::string LengthPrefixed(absl::Span<const std::string_view> parts) {
  std::string bytes;
  for (const std::string_view part : parts) absl::StrAppend(&bytes, part.size(), ":", Abs(part));
  return bytes;
}

std::string ShortDigestOf(absl::Span<const std::string_view> parts) { return ShortDigest(LengthPrefixed(parts)); }

}  // namespace yardmaster
