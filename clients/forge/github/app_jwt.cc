#include "clients/forge/github/app_jwt.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr std::chrono::seconds kBefore{60};
constexpr std::chrono::seconds kAfter{540};
constexpr int kMinBits = 2048;

absl::Status KeyError(std::string_view what) {
  ERR_clear_error();
  return InvalidForgeInput(absl::StrCat("the App's private key ", Abs(what)));
}

// Never asks a person on a terminal.
int NoPassword(char*, int, int, void*) { return -1; }

struct BioDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

struct AppJwtSigner::Key {
  explicit Key(EVP_PKEY* key) : key(key) {}
  ~Key() { EVP_PKEY_free(key); }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  EVP_PKEY* const key;
};

absl::StatusOr<std::unique_ptr<AppJwtSigner>> AppJwtSigner::Make(std::string app_id, const Secret& private_key) {
  const std::string& pem = private_key.Reveal();
  const std::unique_ptr<BIO, BioDeleter> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (bio == nullptr) return KeyError("can't be read");
  EVP_PKEY* raw = PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr);
  if (raw == nullptr) return KeyError("is not an unencrypted PEM private key");
  auto key = std::make_unique<Key>(raw);
  if (EVP_PKEY_base_id(raw) != EVP_PKEY_RSA) return KeyError("is not an RSA key");
  if (EVP_PKEY_bits(raw) < kMinBits) return KeyError(absl::StrCat("has fewer than ", kMinBits, " bits").c_str());
  return std::unique_ptr<AppJwtSigner>(new AppJwtSigner(std::move(app_id), std::move(key)));
}

AppJwtSigner::AppJwtSigner(std::string app_id, std::unique_ptr<Key> key)
    : app_id_(std::move(app_id)), key_(std::move(key)) {}

AppJwtSigner::~AppJwtSigner() = default;

absl::StatusOr<Secret> AppJwtSigner::Sign(std::chrono::system_clock::time_point now) const {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  const nlohmann::json header = {{"alg", "RS256"}, {"typ", "JWT"}};
  const nlohmann::json claims = {
      {"iat", (seconds - kBefore).count()}, {"exp", (seconds + kAfter).count()}, {"iss", app_id_}};
  const std::string signed_part =
      absl::StrCat(absl::WebSafeBase64Escape(header.dump()), ".", absl::WebSafeBase64Escape(claims.dump()));

  const std::unique_ptr<EVP_MD_CTX, ContextDeleter> context(EVP_MD_CTX_new());
  size_t size = 0;
  const auto* const data = reinterpret_cast<const unsigned char*>(signed_part.data());
  if (context == nullptr || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_->key) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, data, signed_part.size()) != 1) {
    return KeyError("can't sign");
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, data,
                     signed_part.size()) != 1) {
    return KeyError("can't sign");
  }
  signature.resize(size);
  return Secret(absl::StrCat(signed_part, ".", absl::WebSafeBase64Escape(signature)));
}

}  // namespace yardmaster
