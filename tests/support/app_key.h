// The private key of a GitHub App, made once for all tests of a program: making one takes a while.
#ifndef YARDMASTER_TESTS_SUPPORT_APP_KEY_H_
#define YARDMASTER_TESTS_SUPPORT_APP_KEY_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <string>

#include "services/core/secret.h"

namespace yardmaster::testing {

class AppKey {
 public:
  AppKey() : key_(EVP_RSA_gen(2048)) {}
  ~AppKey() { EVP_PKEY_free(key_); }
  AppKey(const AppKey&) = delete;
  AppKey& operator=(const AppKey&) = delete;
  EVP_PKEY* get() const { return key_; }
  Secret Pem() const { return Secret(ToPem(key_)); }
  static std::string ToPem(EVP_PKEY* key) {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string pem(data, static_cast<size_t>(size));
    BIO_free(bio);
    return pem;
  }

 private:
  EVP_PKEY* const key_;
};

inline const AppKey& Key() {
  static const AppKey kKey;
  return kKey;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_APP_KEY_H_
