// Certificates for tests, made by the openssl program.
#ifndef YARDMASTER_TESTS_SUPPORT_CERTIFICATE_H_
#define YARDMASTER_TESTS_SUPPORT_CERTIFICATE_H_

#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::testing {

// Makes DIR/NAME.pem and DIR/NAME.key: a self-signed certificate for localhost and 127.0.0.1. False if openssl fails.
inline bool MakeSelfSigned(const TempDir& dir, const std::string& name) {
  const std::string base = (dir.path() / name).string();
  Process openssl({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                   "-keyout", base + ".key", "-out", base + ".pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                   "subjectAltName=DNS:localhost,IP:127.0.0.1"});
  return openssl.Wait(std::chrono::seconds(30)) == 0;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_CERTIFICATE_H_
