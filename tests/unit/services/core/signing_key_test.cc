#include "services/core/signing_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

TEST(SigningKeyTest, WhatOneKeySignsHoldsByItsPublicHalfOnly) {
  testing::TempDir dir;
  const auto key = SigningKey::Open(dir.path() / "key/signing.pem");
  ASSERT_TRUE(key.ok()) << key.status();
  struct stat info {};
  ASSERT_EQ(::stat((dir.path() / "key/signing.pem").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  const std::string signature = *(*key)->Sign("a result");
  EXPECT_TRUE(*SignatureHolds((*key)->public_key(), "a result", signature));
  EXPECT_FALSE(*SignatureHolds((*key)->public_key(), "another", signature));
  EXPECT_FALSE(*SignatureHolds((*key)->public_key(), "a result", "short"));
  // The same key after a restart, and another one elsewhere.
  EXPECT_EQ((*SigningKey::Open(dir.path() / "key/signing.pem"))->public_key(), (*key)->public_key());
  EXPECT_FALSE(*SignatureHolds((*SigningKey::Open(dir.path() / "other"))->public_key(), "a result", signature));
}

TEST(SigningKeyTest, WhatIsNoKeyIsRefused) {
  testing::TempDir dir;
  dir.Write("key", "not a key");
  EXPECT_EQ(SigningKey::Open(dir.path() / "key").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(SignatureHolds("nothing", "x", std::string(64, 'x')).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace yardmaster
