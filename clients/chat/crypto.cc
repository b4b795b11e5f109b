#include "clients/chat/crypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <array>
#include <climits>
#include <memory>
#include <span>

#include "absl/strings/escaping.h"
#include "services/core/absl_view.h"
#include "services/core/hex.h"
#include "services/core/sha256.h"

namespace yardmaster::chat {
namespace {

constexpr size_t kAesBlock = 16;
constexpr size_t kAesKey = 32;

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string HexOf(std::string_view bytes) { return Hex(std::span(Bytes(bytes), bytes.size())); }

// Without the padding; nullopt if it is none.
std::optional<std::string> WithoutPadding(std::string text, size_t block) {
  const size_t padding = static_cast<unsigned char>(text.back());
  if (padding == 0 || padding > block || padding > text.size()) return std::nullopt;
  for (size_t i = text.size() - padding; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) != padding) return std::nullopt;
  }
  text.resize(text.size() - padding);
  return text;
}

}  // namespace

std::string HmacSha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Bytes(text), text.size(), digest.data(), &size);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string HmacSha256Hex(std::string_view key, std::string_view text) { return HexOf(HmacSha256(key, text)); }

std::string Sha1Hex(std::string_view text) {
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  return Hex(digest);
}

std::string Base64(std::string_view bytes) { return absl::Base64Escape(Abs(bytes)); }

std::optional<std::string> FromBase64(std::string_view text) {
  std::string bytes;
  if (!absl::Base64Unescape(Abs(text), &bytes)) return std::nullopt;
  return bytes;
}

bool SameSecret(std::string_view given, std::string_view secret) {
  // By their digests, so that length takes no part in the time.
  const Sha256Bytes a = Sha256(given);
  const Sha256Bytes b = Sha256(secret);
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0 && !secret.empty();
}

std::optional<std::string> DecryptAes256Cbc(std::string_view key, std::string_view iv, std::string_view text,
                                            size_t block) {
  if (key.size() != kAesKey || iv.size() != kAesBlock) return std::nullopt;
  if (text.empty() || text.size() % kAesBlock != 0 || text.size() > INT_MAX) return std::nullopt;
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                EVP_CIPHER_CTX_free);
  if (context == nullptr) return std::nullopt;
  std::string plain(text.size() + kAesBlock, '\0');
  auto* out = reinterpret_cast<unsigned char*>(plain.data());
  int first = 0;
  int last = 0;
  if (EVP_DecryptInit_ex(context.get(), EVP_aes_256_cbc(), nullptr, Bytes(key), Bytes(iv)) != 1 ||
      // OpenSSL's own padding ends at 16 bytes.
      EVP_CIPHER_CTX_set_padding(context.get(), 0) != 1 ||
      EVP_DecryptUpdate(context.get(), out, &first, Bytes(text), static_cast<int>(text.size())) != 1 ||
      EVP_DecryptFinal_ex(context.get(), out + first, &last) != 1) {
    return std::nullopt;
  }
  plain.resize(static_cast<size_t>(first) + static_cast<size_t>(last));
  return WithoutPadding(std::move(plain), block);
}

}  // namespace yardmaster::chat
