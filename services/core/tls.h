// Certificates and keys for both listeners.
#ifndef YARDMASTER_SERVICES_CORE_TLS_H_
#define YARDMASTER_SERVICES_CORE_TLS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "services/core/secret.h"

namespace yardmaster {

// PEM texts, as read.
struct TlsMaterial {
  std::string certificate_chain;  // the server's certificate first
  Secret private_key;             // unencrypted
  std::string client_ca;          // empty: clients need no certificate
};

// Checks what would otherwise fail at the first handshake: that everything parses, that the key is not encrypted and
// belongs to the certificate. The names are for messages.
absl::Status ValidateCertificateChain(std::string_view pem, std::string_view name);
absl::Status ValidatePrivateKey(const Secret& pem, std::string_view name);
absl::Status ValidateKeyFitsCertificate(const TlsMaterial& material, std::string_view certificate_name);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_TLS_H_
