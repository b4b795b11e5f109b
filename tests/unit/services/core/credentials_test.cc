#include "services/core/credentials.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

TEST(Credentials, AreKnownByTheirLook) {
  const auto expect = [](const char* text, const char* result) { EXPECT_EQ(WithoutCredentials(text), result); };
  expect("clone https://user:pass@host/x.git failed", "clone https://[redacted]@host/x.git failed");
  expect("`ghp_abcdefghijklmnopqrstuvwxyz0123456789`", "`[redacted]`");
  expect("github_pat_11ABCDEFG0abcdefghijk_xyz", "[redacted]");
  expect("key = 'AKIAABCDEFGHIJKLMNOP'", "key = '[redacted]'");
  expect("glpat-abcdefghij0123456789", "[redacted]");
  expect("AIzaabcdefghijklmnopqrstuvwxyz012345678", "[redacted]");
  expect("hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "[redacted]");
  expect("sk-ant-abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]");
  expect("xoxb-123456789012-abcdefghijkl", "[redacted]");
  expect("-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----\nafter", "[redacted]\nafter");
}

TEST(Credentials, WhatOnlyResemblesThemStays) {
  for (const char* text : {"", "see https://github.com/a/b#c", "ghp_short", "`f(token=password)`", "task-force",
                           "hf_hub_download", "a basic arithmetic", "AKIA", "${{ secrets.GITHUB_TOKEN }}"}) {
    EXPECT_EQ(WithoutCredentials(text), text);
  }
}

}  // namespace
}  // namespace yardmaster
