#include "services/core/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

#include "services/core/errors.h"

namespace yardmaster {
namespace {

struct OpenSslDelete {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using BioPtr = std::unique_ptr<BIO, OpenSslDelete>;
using X509Ptr = std::unique_ptr<X509, OpenSslDelete>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslDelete>;

BioPtr Reader(std::string_view text) { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// An encrypted key is an error: there is no one to type its passphrase, and OpenSSL would ask on the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

KeyPtr ReadKey(const Secret& pem) {
  return KeyPtr(PEM_read_bio_PrivateKey(Reader(pem.Reveal()).get(), nullptr, NoPassphrase, nullptr));
}

}  // namespace

absl::Status ValidateCertificateChain(std::string_view pem, std::string_view name) {
  BioPtr bio = Reader(pem);
  int count = 0;
  while (X509Ptr(PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr)) != nullptr) ++count;
  // The last read fails at the end of the text; any other reason is a broken block.
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (count == 0) return errors::PemInvalid("certificate", name, "there is no certificate in PEM form");
  if (!at_end) {
    return errors::PemInvalid("certificate", name, "block " + std::to_string(count + 1) + " is not a certificate");
  }
  return absl::OkStatus();
}

absl::Status ValidatePrivateKey(const Secret& pem, std::string_view name) {
  const KeyPtr key = ReadKey(pem);
  ERR_clear_error();
  if (key == nullptr) {
    return errors::PemInvalid("private key", name, "there is no key in PEM form, or it is protected by a passphrase");
  }
  return absl::OkStatus();
}

absl::Status ValidateKeyFitsCertificate(const TlsMaterial& material, std::string_view certificate_name) {
  const X509Ptr certificate(
      PEM_read_bio_X509(Reader(material.certificate_chain).get(), nullptr, NoPassphrase, nullptr));
  const KeyPtr key = ReadKey(material.private_key);
  const bool fits =
      certificate != nullptr && key != nullptr && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return fits ? absl::OkStatus() : errors::KeyDoesNotFitCertificate(certificate_name);
}

}  // namespace yardmaster
