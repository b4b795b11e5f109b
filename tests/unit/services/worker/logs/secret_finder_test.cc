#include "services/worker/logs/secret_finder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace yardmaster::worker {
namespace {

// "begin-end" of the first match, or "-".
std::string Found(const std::vector<std::string>& secrets, std::string_view text, size_t from = 0) {
  const auto match = SecretFinder(secrets).Find(text, from);
  return match.has_value() ? std::to_string(match->begin) + "-" + std::to_string(match->end) : "-";
}

TEST(SecretFinder, FindsASecretAnywhere) {
  EXPECT_EQ(Found({"hunter22"}, "hunter22"), "0-8");
  EXPECT_EQ(Found({"hunter22"}, "the password is hunter22"), "16-24");
  EXPECT_EQ(Found({"hunter22"}, "hunter22 and hunter22", 1), "13-21");
  EXPECT_EQ(Found({"hunter22"}, "hunter2"), "-");
  EXPECT_EQ(Found({"hunter22"}, ""), "-");
}

TEST(SecretFinder, TheLeftmostCountsAndOfThoseTheLongest) {
  EXPECT_EQ(Found({"abc", "abcdef", "xyz"}, "--abcdef xyz"), "2-8");
  EXPECT_EQ(Found({"xyz", "abcdef"}, "--xyz abcdef"), "2-5");
}

TEST(SecretFinder, OfOverlappingSecretsNothingIsLeft) {
  EXPECT_EQ(Found({"abcd", "cdef", "efgh"}, "-abcdefgh-"), "1-9");
  EXPECT_EQ(Found({"aaa"}, "aaaaa"), "0-5");
}

TEST(SecretFinder, OneByteIsASecretLikeAnyOther) {
  EXPECT_EQ(Found({"x"}, "abcxd"), "3-4");
  EXPECT_EQ(Found({"x", "longer secret"}, "a longer secret"), "2-15");
}

TEST(SecretFinder, EachLineOfASecretWithSeveralCounts) {
  const std::vector<std::string> key = {"-----BEGIN KEY-----\r\nMIIEpAIBAAKCAQEA7\n}\n-----END KEY-----\n"};
  EXPECT_EQ(Found(key, "read MIIEpAIBAAKCAQEA7"), "5-22");
  EXPECT_EQ(Found(key, "}"), "-");
}

TEST(SecretFinder, WithoutSecretsNothingIsFound) {
  EXPECT_EQ(Found({}, "text"), "-");
  EXPECT_EQ(Found({"", "\n"}, "text\n"), "-");
  EXPECT_TRUE(SecretFinder({""}).empty());
}

TEST(SecretFinder, FindsWhatAPlainSearchFinds) {
  std::mt19937 random(7);
  const auto letters = [&](size_t most) {
    std::string text;
    for (size_t size = random() % most + 1; size > 0; --size) text += static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int i = 0; i < 3'000; ++i) {
    std::vector<std::string> secrets;
    for (size_t count = random() % 4 + 1; count > 0; --count) secrets.push_back(letters(i % 2 == 0 ? 3 : 9));
    const std::string text = letters(60);
    size_t first = std::string::npos;
    for (const std::string& secret : secrets) first = std::min(first, text.find(secret));
    const auto match = SecretFinder(secrets).Find(text);
    ASSERT_EQ(match.has_value() ? match->begin : std::string::npos, first) << text;
  }
}

}  // namespace
}  // namespace yardmaster::worker
