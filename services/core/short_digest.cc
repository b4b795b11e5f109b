#include "services/core/short_digest.h"

#include <span>

#include "rules/engine/hex.h"
#include "rules/engine/sha256.h"

namespace yardmaster {

std::string ShortDigest(std::string_view bytes) {
  constexpr size_t kBytes = 8;
  const rules::Sha256Bytes digest = rules::Sha256(bytes);
  return rules::Hex(std::span(digest).first<kBytes>());
}

}  // namespace yardmaster
