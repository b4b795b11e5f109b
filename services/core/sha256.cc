#include "services/core/sha256.h"

#include <openssl/evp.h>

#include "services/core/hex.h"

namespace yardmaster {
namespace {

// Fetching the algorithm costs more than hashing a short text; the handle is a constant.
const EVP_MD* Algorithm() {
  static EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kSha256;
}

}  // namespace

Sha256Bytes Sha256(std::string_view bytes) {
  Sha256Bytes digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, Algorithm(), nullptr);
  return digest;
}

std::string Sha256Hex(std::string_view bytes) { return Hex(Sha256(bytes)); }

void Sha256Pieces::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256Pieces::Sha256Pieces() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_.get(), Algorithm(), nullptr); }

void Sha256Pieces::Add(std::string_view piece) { EVP_DigestUpdate(context_.get(), piece.data(), piece.size()); }

Sha256Bytes Sha256Pieces::Digest() {
  Sha256Bytes digest{};
  EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
  return digest;
}

}  // namespace yardmaster
