#include "clients/forge/github/app_credentials.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "tests/support/app_key.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_forge_transport.h"

namespace yardmaster {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::AppKey;
using testing::ErrorAnswer;
using testing::FakeClock;
using testing::FakeForgeTransport;
using testing::Key;
using testing::OkAnswer;

std::string Decode(absl::string_view part) {
  std::string out;
  EXPECT_TRUE(absl::WebSafeBase64Unescape(part, &out));
  return out;
}

bool SignedBy(const std::string& jwt, const AppKey& key) {
  const size_t dot = jwt.rfind('.');
  const std::string signature = Decode(absl::string_view(jwt).substr(dot + 1));
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  const bool verified =
      EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
      EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                       reinterpret_cast<const unsigned char*>(jwt.data()), dot) == 1;
  EVP_MD_CTX_free(context);
  return verified;
}

TEST(AppJwt, HasTheClaimsThatTheForgeWantsAndAValidSignature) {
  const auto signer = AppJwtSigner::Make("12345", Key().Pem());
  ASSERT_TRUE(signer.ok()) << signer.status();
  FakeClock clock;
  const auto jwt = (*signer)->Sign(clock.Now());
  ASSERT_TRUE(jwt.ok());
  const std::vector<std::string> parts = absl::StrSplit(jwt->Reveal(), '.');
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(jwt->Reveal().find('='), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(Decode(parts[0])), (nlohmann::json{{"alg", "RS256"}, {"typ", "JWT"}}));
  const nlohmann::json claims = nlohmann::json::parse(Decode(parts[1]));
  EXPECT_EQ(claims["iss"], "12345");
  EXPECT_EQ(claims["iat"], 1'714'564'800 - 60);
  EXPECT_EQ(claims["exp"], 1'714'564'800 + 540);

  EXPECT_TRUE(SignedBy(jwt->Reveal(), Key()));
}

TEST(AppJwt, WhatIsNoFittingKeyIsRefusedWithoutShowingIt) {
  const auto garbage =
      AppJwtSigner::Make("1", Secret("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"));
  EXPECT_EQ(garbage.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(garbage.status().message().find("c2VjcmV0"), std::string::npos);
  EXPECT_FALSE(AppJwtSigner::Make("1", Secret("")).ok());

  EVP_PKEY* ec = EVP_EC_gen("P-256");
  EXPECT_EQ(AppJwtSigner::Make("1", Secret(AppKey::ToPem(ec))).status().message(),
            "the App's private key is not an RSA key");
  EVP_PKEY_free(ec);
  EVP_PKEY* weak = EVP_RSA_gen(1024);
  EXPECT_FALSE(AppJwtSigner::Make("1", Secret(AppKey::ToPem(weak))).ok());
  EVP_PKEY_free(weak);
}

class AppCredentialsTest : public ::testing::Test {
 protected:
  AppCredentialsTest()
      : credentials_(*AppJwtSigner::Make("12345", Key().Pem()), "777", inner_, clock_,
                     [this](const Secret& token) { heard_.push_back(token.Reveal()); }) {}

  // The forge's clock stands at 12:00.
  void GiveToken(const std::string& token, const std::string& expires_at) {
    ForgeAnswer answer = OkAnswer(R"({"token": ")" + token + R"(", "expires_at": ")" + expires_at + R"("})");
    answer.status = 201;
    inner_.Then(answer);
  }
  std::string Token() {
    const auto token = credentials_.Token(clock_.Monotonic() + seconds(30));
    return token.ok() ? token->Reveal() : "error: " + std::string(token.status().message());
  }

  FakeClock clock_;
  FakeForgeTransport inner_;
  std::vector<std::string> heard_;
  AppCredentials credentials_;
};

TEST_F(AppCredentialsTest, TheTokenIsFetchedOnceAndKeptUntilFiveMinutesBeforeItsEnd) {
  GiveToken("ghs_one", "2024-05-01T13:00:00Z");
  GiveToken("ghs_two", "2024-05-01T14:00:00Z");
  EXPECT_EQ(Token(), "ghs_one");
  clock_.Advance(minutes(54) + seconds(59));
  EXPECT_EQ(Token(), "ghs_one");
  clock_.Advance(seconds(1));
  EXPECT_EQ(Token(), "ghs_two");
  EXPECT_EQ(inner_.count(), 2u);
  EXPECT_EQ(heard_, (std::vector<std::string>{"ghs_one", "ghs_two"}));

  const ForgeRequest request = inner_.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/app/installations/777/access_tokens");
  EXPECT_EQ(request.headers.at(0).name, "Authorization");
  EXPECT_EQ(request.headers.at(0).value.substr(0, 9), "Bearer ey");
}

TEST_F(AppCredentialsTest, AFailedFetchIsNoFailureWhileTheOldTokenHolds) {
  GiveToken("ghs_one", "2024-05-01T13:00:00Z");
  EXPECT_EQ(Token(), "ghs_one");
  inner_.Then(ErrorAnswer(ForgeReason::kServer, ForgeOutcome::kUnknown, 502));
  clock_.Advance(minutes(57));
  EXPECT_EQ(Token(), "ghs_one");
  inner_.Then(ErrorAnswer(ForgeReason::kServer, ForgeOutcome::kUnknown, 502));
  clock_.Advance(minutes(3));
  EXPECT_EQ(Token(), "error: scripted");
}

TEST_F(AppCredentialsTest, AReplacedKeySignsTheNextFetch) {
  GiveToken("ghs_one", "2024-05-01T13:00:00Z");
  EXPECT_EQ(Token(), "ghs_one");
  const AppKey other;
  ForgeConfig config;
  config.name = "github";
  config.app = ForgeApp{"12345", "777", other.Pem()};
  ASSERT_TRUE(credentials_.Replace(config).ok());
  // The old token holds until its end.
  EXPECT_EQ(Token(), "ghs_one");
  clock_.Advance(minutes(56));
  GiveToken("ghs_two", "2024-05-01T14:00:00Z");
  EXPECT_EQ(Token(), "ghs_two");
  const auto jwt = [&](size_t i) { return inner_.requests().at(i).headers.at(0).value.substr(strlen("Bearer ")); };
  EXPECT_TRUE(SignedBy(jwt(0), Key()));
  EXPECT_TRUE(SignedBy(jwt(1), other));
}

TEST_F(AppCredentialsTest, AKeyThatCantBeUsedLeavesTheOldOne) {
  ForgeConfig config;
  config.name = "github";
  config.app = ForgeApp{"12345", "777", Secret("no key at all")};
  EXPECT_EQ(credentials_.Replace(config).code(), absl::StatusCode::kInvalidArgument);
  config.app.reset();
  EXPECT_EQ(credentials_.Replace(config).code(), absl::StatusCode::kInvalidArgument);
  GiveToken("ghs_one", "2024-05-01T13:00:00Z");
  EXPECT_EQ(Token(), "ghs_one");
}

TEST_F(AppCredentialsTest, ARefusedTokenIsFetchedAgainButNotOverAndOver) {
  GiveToken("ghs_one", "2024-05-01T13:00:00Z");
  EXPECT_EQ(Token(), "ghs_one");
  // Fresh: it is the rights that are missing.
  EXPECT_FALSE(credentials_.Refused(Secret("ghs_one")));
  clock_.Advance(minutes(2));
  EXPECT_TRUE(credentials_.Refused(Secret("ghs_one")));
  GiveToken("ghs_two", "2024-05-01T13:02:00Z");
  EXPECT_EQ(Token(), "ghs_two");
  // A caller that still had the old one.
  EXPECT_TRUE(credentials_.Refused(Secret("ghs_one")));
  EXPECT_EQ(Token(), "ghs_two");
  EXPECT_EQ(inner_.count(), 2u);
}

TEST_F(AppCredentialsTest, ARequestWithoutATokenIsNotSent) {
  inner_.Then(ErrorAnswer(ForgeReason::kTimeout, ForgeOutcome::kUnknown, 0));
  FakeForgeTransport outer;
  CredentialsTransport transport(outer, credentials_, {"Authorization", "Bearer "});
  const ForgeAnswer answer = transport.Send(testing::WriteRequest());
  EXPECT_EQ(answer.error->outcome, ForgeOutcome::kNotSent);
  EXPECT_EQ(answer.error->reason, ForgeReason::kTimeout);
  EXPECT_EQ(outer.count(), 0u);
}

TEST_F(AppCredentialsTest, TheAccountIsTheAppsBot) {
  inner_.Then(OkAnswer(R"({"slug": "yardmaster"})"));
  const auto account = credentials_.Account(clock_.Monotonic() + seconds(30));
  ASSERT_TRUE(account.ok()) << account.status();
  ASSERT_TRUE(account->has_value());
  EXPECT_EQ((*account)->login, "yardmaster[bot]");
  EXPECT_EQ(inner_.requests().at(0).target, "/app");
}

TEST_F(AppCredentialsTest, AClockThatIsWrongIsPutRightByTheRefusal) {
  // Ours is five minutes ahead: what it signs was not issued yet.
  ForgeAnswer refused = ErrorAnswer(ForgeReason::kUnauthorized, ForgeOutcome::kRefused, 401);
  refused.headers = {{"Date", "Wed, 01 May 2024 11:55:00 GMT"}};
  inner_.Then(refused);
  GiveToken("ghs_one", "2024-05-01T12:55:00Z");
  EXPECT_EQ(Token(), "ghs_one");
  ASSERT_EQ(inner_.count(), 2u);
  const auto issued = [&](size_t request) {
    const std::string token = inner_.requests().at(request).headers.back().value.substr(7);
    const size_t begin = token.find('.') + 1;
    std::string claims;
    absl::WebSafeBase64Unescape(token.substr(begin, token.find('.', begin) - begin), &claims);
    return nlohmann::json::parse(claims)["iat"].get<int64_t>();
  };
  EXPECT_EQ(issued(0) - issued(1), 300);
  // From here on it is known: the token holds as long as the forge says.
  clock_.Advance(std::chrono::minutes(50));
  EXPECT_EQ(Token(), "ghs_one");
  EXPECT_EQ(inner_.count(), 2u);
}

TEST_F(AppCredentialsTest, ARefusalWithTheRightTimeIsARefusal) {
  ForgeAnswer refused = ErrorAnswer(ForgeReason::kUnauthorized, ForgeOutcome::kRefused, 401);
  refused.headers = {{"Date", "Wed, 01 May 2024 12:00:10 GMT"}};
  inner_.Then(refused);
  EXPECT_FALSE(credentials_.Token(clock_.Monotonic() + seconds(30)).ok());
  EXPECT_EQ(inner_.count(), 1u);
}

TEST_F(AppCredentialsTest, AnEchoOfTheJwtIsTakenOut) {
  FakeForgeTransport inner;
  ForgeAnswer echo = ErrorAnswer(ForgeReason::kUnauthorized, ForgeOutcome::kRefused, 401);
  echo.message = "bad " + (*AppJwtSigner::Make("12345", Key().Pem()))->Sign(clock_.Now())->Reveal();
  inner.Then(echo);
  AppCredentials credentials(*AppJwtSigner::Make("12345", Key().Pem()), "777", inner, clock_, nullptr);
  EXPECT_EQ(credentials.Token(clock_.Monotonic() + seconds(30)).status().message(), "bad [redacted]");
}

}  // namespace
}  // namespace yardmaster
