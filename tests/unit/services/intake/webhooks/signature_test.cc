#include "services/intake/webhooks/signature.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster {
namespace {

std::vector<WebhookSecret> Secrets(const std::vector<std::string>& values) {
  std::vector<WebhookSecret> secrets;
  secrets.reserve(values.size());
  for (const std::string& value : values) secrets.push_back({Secret(value), {}});
  return secrets;
}

TEST(Signature, PublishedVectorOfGitHubIsValid) {
  // From GitHub's page "Validating webhook deliveries".
  const std::string header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const ProofResult result =
      CheckProof({.signature = header}, "Hello, World!", Secrets({"It's a Secret to Everybody"}));
  EXPECT_EQ(result.state, ProofState::kValid);
  EXPECT_EQ(result.secrets, std::vector<size_t>{0});
}

TEST(Signature, VectorsOfGitCodeBotsAreValid) {
  EXPECT_EQ(Sign("fgiuagyds", "fihoagdshajbolkhasdb"),
            "sha256=e723b56a8b51b13d11bbdc02775cd180af20a89ff128f052cc09cf66ab6ca6cf");
  EXPECT_EQ(Sign("*****", "fihoagdshajbolkhasdb"),
            "sha256=ed14c459bd15a2460ae7dedc058ce6624bbb32f5b3266dfa237d9b02b118d7fb");
}

TEST(Signature, EverySecretIsTriedAndAllThatFitAreNamed) {
  const std::string header = Sign("two", "body");
  const ProofResult result = CheckProof({.signature = header}, "body", Secrets({"one", "two", "three", "two"}));
  EXPECT_EQ(result.state, ProofState::kValid);
  EXPECT_EQ(result.secrets, (std::vector<size_t>{1, 3}));
}

TEST(Signature, OneChangedByteOfTheBodyIsWrong) {
  const std::string header = Sign("secret", "body");
  EXPECT_EQ(CheckProof({.signature = header}, "bodY", Secrets({"secret"})).state, ProofState::kWrong);
  EXPECT_EQ(CheckProof({.signature = header}, "body ", Secrets({"secret"})).state, ProofState::kWrong);
}

TEST(Signature, PrefixAndDigitsAreReadInEitherCase) {
  std::string header = Sign("secret", "body");
  for (char& c : header) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  EXPECT_EQ(CheckProof({.signature = header}, "body", Secrets({"secret"})).state, ProofState::kValid);
}

TEST(Signature, MalformedHeadersAreWrongAndNotMissing) {
  const std::string good = Sign("secret", "body");
  std::string nul = good;
  nul[20] = '\0';
  for (const std::string& header : {std::string(), std::string("sha256="), good.substr(0, good.size() - 1), good + "0",
                                    "sha1=" + good.substr(7), good.substr(7), "sha256=" + std::string(64, 'g'), nul}) {
    EXPECT_EQ(CheckProof({.signature = header}, "body", Secrets({"secret"})).state, ProofState::kWrong) << header;
  }
}

TEST(Signature, NoHeaderIsMissing) {
  EXPECT_EQ(CheckProof({}, "body", Secrets({"secret"})).state, ProofState::kMissing);
}

TEST(Signature, PlainTokenCountsOnlyWhereItIsAcceptedAndWithoutASignature) {
  const auto secrets = Secrets({"secret"});
  EXPECT_EQ(CheckProof({.token = "secret"}, "body", secrets).state, ProofState::kMissing);
  EXPECT_EQ(CheckProof({.token = "secret", .accept_token = true}, "body", secrets).state, ProofState::kValid);
  EXPECT_EQ(CheckProof({.token = "secre", .accept_token = true}, "body", secrets).state, ProofState::kWrong);
  // A wrong signature is not saved by a right token.
  EXPECT_EQ(CheckProof({.signature = "sha256=00", .token = "secret", .accept_token = true}, "body", secrets).state,
            ProofState::kWrong);
}

TEST(Signature, EmptySecretFitsNothing) {
  EXPECT_EQ(CheckProof({.signature = Sign("", "body")}, "body", Secrets({""})).state, ProofState::kWrong);
  EXPECT_EQ(CheckProof({.token = "", .accept_token = true}, "body", Secrets({""})).state, ProofState::kWrong);
  EXPECT_EQ(CheckProof({.signature = Sign("x", "body")}, "body", {}).state, ProofState::kWrong);
}

}  // namespace
}  // namespace yardmaster
