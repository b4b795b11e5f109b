#include "services/core/tls.h"

#include <gtest/gtest.h>

#include "tests/support/certificate.h"

namespace yardmaster {
namespace {

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(testing::MakeSelfSigned(dir_, "one"));
    ASSERT_TRUE(testing::MakeSelfSigned(dir_, "two"));
  }
  std::string Read(const char* name) { return testing::ReadWholeFile(dir_.path() / name); }
  testing::TempDir dir_;
};

TEST_F(TlsTest, AGoodPairIsAccepted) {
  EXPECT_TRUE(ValidateCertificateChain(Read("one.pem"), "one").ok());
  EXPECT_TRUE(ValidateCertificateChain(Read("one.pem") + Read("two.pem"), "chain").ok());
  EXPECT_TRUE(ValidatePrivateKey(Secret(Read("one.key")), "one").ok());
  EXPECT_TRUE(ValidateKeyFitsCertificate({Read("one.pem"), Secret(Read("one.key")), ""}, "one").ok());
}

TEST_F(TlsTest, AKeyOfAnotherCertificateIsRefused) {
  const absl::Status status = ValidateKeyFitsCertificate({Read("one.pem"), Secret(Read("two.key")), ""}, "one.pem");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("one.pem"), absl::string_view::npos);
}

TEST_F(TlsTest, BrokenTextsAreRefused) {
  EXPECT_FALSE(ValidateCertificateChain("", "x").ok());
  EXPECT_FALSE(ValidateCertificateChain(Read("one.key"), "x").ok());
  EXPECT_FALSE(
      ValidateCertificateChain(Read("one.pem") + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "x")
          .ok());
  EXPECT_FALSE(ValidatePrivateKey(Secret(Read("one.pem")), "x").ok());
  EXPECT_FALSE(
      ValidatePrivateKey(Secret("-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----\n"), "x").ok());
}

TEST_F(TlsTest, AKeyWithAPassphraseIsRefusedInsteadOfAskingForIt) {
  const std::string key = (dir_.path() / "one.key").string();
  const std::string locked = (dir_.path() / "locked.key").string();
  testing::Process openssl({"openssl", "ec", "-in", key, "-aes256", "-passout", "pass:secret", "-out", locked});
  ASSERT_EQ(openssl.Wait(std::chrono::seconds(30)), 0);
  EXPECT_FALSE(ValidatePrivateKey(Secret(Read("locked.key")), "x").ok());
}

}  // namespace
}  // namespace yardmaster
