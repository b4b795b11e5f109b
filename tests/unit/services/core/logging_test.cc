#include "services/core/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Collects lines.
struct Lines {
  std::mutex mutex;
  std::vector<std::string> lines;

  LoggerOptions Options(bool async = false, LogLevel level = LogLevel::kInfo) {
    LoggerOptions options;
    options.level = level;
    options.async = async;
    options.sink = [this](std::string_view line) {
      std::lock_guard<std::mutex> lock(mutex);
      lines.emplace_back(line);
    };
    return options;
  }
};

TEST(Logger, ALineIsOneJsonObjectWithTypedFields) {
  Lines out;
  Logger logger(out.Options());
  logger.Info(
      "call served",
      {{"request_id", "r-1"}, {"count", 3}, {"big", uint64_t{18446744073709551615u}}, {"ratio", 0.5}, {"ok", true}});
  ASSERT_EQ(out.lines.size(), 1u);
  const nlohmann::json line = nlohmann::json::parse(out.lines[0]);
  EXPECT_EQ(line["level"], "info");
  EXPECT_EQ(line["msg"], "call served");
  EXPECT_EQ(line["request_id"], "r-1");
  EXPECT_EQ(line["count"], 3);
  EXPECT_EQ(line["big"], uint64_t{18446744073709551615u});
  EXPECT_EQ(line["ratio"], 0.5);
  EXPECT_EQ(line["ok"], true);
  EXPECT_THAT(line["ts"].get<std::string>(), ::testing::MatchesRegex("....-..-..T..:..:......Z"));
}

TEST(Logger, HostileValuesStillGiveOneValidLine) {
  Lines out;
  Logger logger(out.Options());
  constexpr char kHostile[] = "a\"b\\c\nd\re\tf\0g\x1b[31m \xff\xc0\x80\xed\xa0\x80 \xf4\x90\x80\x80 \xe4\xb8\xad";
  const std::string hostile(kHostile, sizeof(kHostile) - 1);
  logger.Info(hostile, {{"value", hostile}, {"nan", std::nan("")}});
  ASSERT_EQ(out.lines.size(), 1u);
  EXPECT_THAT(out.lines[0], Not(HasSubstr("\n")));
  const nlohmann::json line = nlohmann::json::parse(out.lines[0]);
  EXPECT_THAT(line["value"].get<std::string>(), HasSubstr("a\"b\\c\nd\re\tf"));
  EXPECT_TRUE(line["nan"].is_null());
}

TEST(Logger, ALongValueIsCutAndStaysValid) {
  Lines out;
  Logger logger(out.Options());
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "中";
  logger.Info("x", {{"value", text}});
  ASSERT_EQ(out.lines.size(), 1u);
  EXPECT_LT(out.lines[0].size(), 6000u);
  EXPECT_FALSE(nlohmann::json::parse(out.lines[0], nullptr, false).is_discarded());
}

TEST(Logger, LinesBelowTheLevelAreNotWritten) {
  Lines out;
  Logger logger(out.Options(false, LogLevel::kWarning));
  logger.Info("no");
  logger.Debug("no");
  logger.Warning("yes");
  logger.Error("yes");
  EXPECT_EQ(out.lines.size(), 2u);
  EXPECT_FALSE(logger.Enabled(LogLevel::kInfo));
}

TEST(Logger, AsynchronousLinesKeepTheirOrderAndAreThereAfterFlush) {
  Lines out;
  Logger logger(out.Options(/*async=*/true));
  for (int i = 0; i < 500; ++i) logger.Info("x", {{"i", i}});
  logger.Flush();
  std::lock_guard<std::mutex> lock(out.mutex);
  ASSERT_EQ(out.lines.size(), 500u);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(nlohmann::json::parse(out.lines[i])["i"], i);
}

TEST(Logger, WhatWaitsIsWrittenAtTheEnd) {
  Lines out;
  {
    Logger logger(out.Options(/*async=*/true));
    for (int i = 0; i < 100; ++i) logger.Info("x");
  }
  EXPECT_EQ(out.lines.size(), 100u);
}

TEST(Logger, ASlowSinkDoesNotHoldUpCallers) {
  Lines out;
  LoggerOptions options = out.Options(/*async=*/true);
  options.sink = [](std::string_view) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  const auto start = std::chrono::steady_clock::now();
  Logger logger(std::move(options));
  for (int i = 0; i < 10'000; ++i) logger.Info("x");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5))
      << "10,000 lines would take the sink 10 s";
}

TEST(Logger, ManyThreadsMayLog) {
  Lines out;
  Logger logger(out.Options(/*async=*/true));
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&logger, t] {
      for (int i = 0; i < 100; ++i) logger.Info("x", {{"thread", t}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  logger.Flush();
  std::lock_guard<std::mutex> lock(out.mutex);
  EXPECT_EQ(out.lines.size(), 400u);
  for (const std::string& line : out.lines) EXPECT_FALSE(nlohmann::json::parse(line, nullptr, false).is_discarded());
}

TEST(Logger, TheHumanFormatIsOneLineToo) {
  Lines out;
  LoggerOptions options = out.Options();
  options.format = LoggerOptions::Format::kHuman;
  Logger logger(std::move(options));
  logger.Info("ready", {{"grpc", "127.0.0.1:9090"}, {"why", "two words\nand a line"}});
  ASSERT_EQ(out.lines.size(), 1u);
  EXPECT_THAT(out.lines[0], HasSubstr("info    ready  grpc=127.0.0.1:9090  why=\"two words\\nand a line\""));
}

TEST(Logger, RegisteredSecretsNeverReachTheSink) {
  Lines out;
  Logger logger(out.Options());
  logger.redactor().Add(Secret("s3cret\"with\\quotes"));
  logger.Error("failed with s3cret\"with\\quotes",
               {{"error", "sent s3cret\"with\\quotes twice: s3cret\"with\\quotes"}});
  ASSERT_EQ(out.lines.size(), 1u);
  EXPECT_THAT(out.lines[0], Not(HasSubstr("s3cret")));
  EXPECT_THAT(nlohmann::json::parse(out.lines[0])["error"].get<std::string>(), "sent [redacted] twice: [redacted]");
}

TEST(Logger, ASecretAcrossTheCutIsTakenOutAsAWhole) {
  Lines out;
  Logger logger(out.Options());
  logger.redactor().Add(Secret("abcdefghijklmnop"));
  logger.Info("x", {{"value", std::string(4090, '.') + "abcdefghijklmnop"}});
  EXPECT_THAT(out.lines[0], Not(HasSubstr("abcdef")));
}

TEST(Redactor, CredentialsAreKnownByTheirLook) {
  const Redactor redactor;
  const auto expect = [&](const char* text, const char* result) { EXPECT_EQ(redactor.Redact(text), result); };
  expect("Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted]");
  expect("authorization: token 0123456789abcdef", "authorization: token [redacted]");
  expect("PRIVATE-TOKEN: abcdef123456", "PRIVATE-TOKEN: [redacted]");
  expect("clone https://user:pass@host/x.git failed", "clone https://[redacted]@host/x.git failed");
  expect("https://ghs_abcdefghij0123456789@github.com/a/b", "https://[redacted]@github.com/a/b");
  expect("GET /api?access_token=abc123&x=1", "GET /api?access_token=[redacted]&x=1");
  expect("token ghp_abcdefghijklmnopqrstuvwxyz0123456789 is bad", "token [redacted] is bad");
  expect("github_pat_11ABCDEFG0abcdefghijk_xyz", "[redacted]");
  expect("-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----\nafter", "[redacted]\nafter");
  expect("-----BEGIN PRIVATE KEY-----\nMHcCAQ", "[redacted]");
}

TEST(Redactor, OrdinaryTextsStayAsTheyAre) {
  const Redactor redactor;
  for (const char* text : {"", "a@b.example", "see https://github.com/a/b#c", "email me at x@y.z, not https://y",
                           "the bearer of news", "packs loaded", "a = b; c_d-e", "tokenizer=fast"}) {
    EXPECT_EQ(redactor.Redact(text), text);
  }
}

TEST(Redactor, ALongerSecretGoesBeforeOneInsideOfIt) {
  Redactor redactor;
  redactor.Add(Secret("inner"));
  redactor.Add(Secret("the-inner-secret"));
  EXPECT_EQ(redactor.Redact("x the-inner-secret y inner z"), "x [redacted] y [redacted] z");
}

TEST(Redactor, TinyValuesAreIgnored) {
  Redactor redactor;
  redactor.Add(Secret("a"));
  redactor.Add(Secret(""));
  EXPECT_EQ(redactor.Redact("banana"), "banana");
}

}  // namespace
}  // namespace yardmaster
