#include "services/core/short_digest.h"

#include <span>

#include "services/core/hex.h"
#include "services/core/sha256.h"

namespace yardmaster {

std::string ShortDigest(std::string_view bytes) {
  constexpr size_t kBytes = 8;
  const Sha256Bytes digest = Sha256(bytes);
  return Hex(std::span(digest).first<kBytes>());
}

}  // namespace yardmaster
