#include "services/core/file_digest.h"

#include <gtest/gtest.h>

#include <string>

#include "services/core/sha256.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

TEST(FileSha256Hex, IsThatOfItsBytesHoweverManyPiecesItIsReadIn) {
  const testing::TempDir dir;
  for (const size_t size : {0U, 3U, 256U * 1024, 600U * 1024}) {
    const std::string text(size, 'x');
    EXPECT_EQ(FileSha256Hex(dir.Write("file", text)).value_or(""), Sha256Hex(text)) << size;
  }
}

TEST(FileSha256Hex, WhatCanNotBeReadHasNone) {
  const testing::TempDir dir;
  EXPECT_FALSE(FileSha256Hex(dir.path() / "absent").ok());
  EXPECT_FALSE(FileSha256Hex(dir.path()).ok());
}

}  // namespace
}  // namespace yardmaster
