#include "services/core/short_digest.h"

#include <openssl/evp.h>

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace yardmaster {

std::string ShortDigest(std::string_view bytes) {
  // Fetching the algorithm costs more than hashing a short issue; the handle is a constant.
  static EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), hash.data(), &size, kSha256, nullptr);
  constexpr size_t kBytes = 8;
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(hash.data()), kBytes));
}

}  // namespace yardmaster
