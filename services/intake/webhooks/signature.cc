#include "services/intake/webhooks/signature.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdint>

#include "services/core/hex.h"
#include "services/core/sha256.h"

namespace yardmaster {
namespace {

using Digest = Sha256Bytes;

constexpr std::string_view kPrefix = "sha256=";

Digest Hmac(std::string_view key, std::string_view text) {
  Digest digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest.data(), &size);
  return digest;
}

bool SameDigest(const Digest& a, const Digest& b) { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<Digest> ParseSignature(std::string_view text) {
  if (text.size() != kPrefix.size() + 2 * Digest().size()) return std::nullopt;
  for (size_t i = 0; i < kPrefix.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != kPrefix[i]) return std::nullopt;
  }
  Digest digest{};
  for (size_t i = 0; i < digest.size(); ++i) {
    const int high = HexDigit(text[kPrefix.size() + 2 * i]);
    const int low = HexDigit(text[kPrefix.size() + 2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return digest;
}

}  // namespace

ProofResult CheckProof(const Proof& proof, std::string_view body, const std::vector<WebhookSecret>& secrets) {
  ProofResult result;
  const bool by_token = !proof.signature.has_value() && proof.token.has_value() && proof.accept_token;
  if (!proof.signature.has_value() && !by_token) return result;
  result.state = ProofState::kWrong;

  // A token is compared by its digest, so that its length takes no part in the time.
  Digest given{};
  if (by_token) {
    given = Sha256(*proof.token);
  } else {
    const std::optional<Digest> parsed = ParseSignature(*proof.signature);
    if (!parsed.has_value()) return result;
    given = *parsed;
  }
  // No early end: the time must not tell which secret fits.
  for (size_t i = 0; i < secrets.size(); ++i) {
    const std::string& value = secrets[i].secret.Reveal();
    const Digest expected = by_token ? Sha256(value) : Hmac(value, body);
    // Secrets of a config that was only checked are empty: they fit nothing.
    if (SameDigest(given, expected) && !value.empty()) result.secrets.push_back(i);
  }
  if (!result.secrets.empty()) result.state = ProofState::kValid;
  return result;
}

std::string Sign(std::string_view secret, std::string_view body) {
  return std::string(kPrefix) + Hex(Hmac(secret, body));
}

}  // namespace yardmaster
