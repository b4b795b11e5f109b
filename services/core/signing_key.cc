#include "services/core/signing_key.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <system_error>

#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

constexpr size_t kEd25519SignatureBytes = 64;

struct FreeKeyBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using KeyBio = std::unique_ptr<BIO, FreeKeyBio>;
struct FreeDigestContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using DigestContextPtr = std::unique_ptr<EVP_MD_CTX, FreeDigestContext>;

KeyBio BioOf(std::string_view text) { return KeyBio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

void SigningKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

absl::StatusOr<std::unique_ptr<SigningKey>> SigningKey::Open(const std::filesystem::path& file) {
  std::error_code error;
  std::unique_ptr<SigningKey> out;
  if (std::filesystem::exists(file, error)) {
    ASSIGN_OR_RETURN(const std::string pem, ReadSmallFile(file, kMaxKeyFileBytes));
    const KeyBio bio = BioOf(pem);
    out.reset(new SigningKey(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr)));
    if (out->key_ == nullptr || EVP_PKEY_base_id(out->key_.get()) != EVP_PKEY_ED25519) {
      return absl::FailedPreconditionError(
          absl::StrCat(file.string(), " is no Ed25519 key: put the old one back, or remove it, and a new one is made"));
    }
  } else {
    out.reset(new SigningKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")));
    const KeyBio bio(BIO_new(BIO_s_mem()));
    if (out->key_ == nullptr ||
        PEM_write_bio_PrivateKey(bio.get(), out->key_.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
      return errors::Internal("no key could be made");
    }
    std::filesystem::create_directories(file.parent_path(), error);
    // Nobody else may read it, not even for a moment.
    const mode_t before = ::umask(0077);
    const absl::Status written = WriteFileAtomically(file, TextOf(bio.get()));
    ::umask(before);
    RETURN_IF_ERROR(written);
  }
  const KeyBio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PUBKEY(bio.get(), out->key_.get()) != 1) return errors::Internal("the key has no public half");
  out->public_key_ = TextOf(bio.get());
  return out;
}

absl::StatusOr<std::string> SigningKey::Sign(std::string_view text) const {
  const DigestContextPtr context(EVP_MD_CTX_new());
  std::string signature(kEd25519SignatureBytes, '\0');
  size_t size = signature.size();
  if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, Bytes(text),
                     text.size()) != 1) {
    return errors::Internal("a signature could not be made");
  }
  return signature;
}

absl::StatusOr<bool> SignatureHolds(std::string_view public_key, std::string_view text, std::string_view signature) {
  if (public_key.size() > kMaxKeyFileBytes) return absl::InvalidArgumentError("the public key is too large for one");
  const KeyBio bio = BioOf(public_key);
  struct FreeKey {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  const std::unique_ptr<EVP_PKEY, FreeKey> key(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || EVP_PKEY_base_id(key.get()) != EVP_PKEY_ED25519) {
    return absl::InvalidArgumentError("the public key is no Ed25519 key in PEM");
  }
  if (signature.size() != kEd25519SignatureBytes) return false;
  const DigestContextPtr context(EVP_MD_CTX_new());
  if (EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) {
    return errors::Internal("signatures can't be checked");
  }
  return EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(text), text.size()) == 1;
}

}  // namespace yardmaster
