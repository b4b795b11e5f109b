// What a writer says to a git server, and the server to it.
#include "clients/git/receive_pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "clients/git/pkt_line.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Field;
using ::testing::HasSubstr;

const std::string kOld(40, '1');
const std::string kNew(40, '2');

std::string Greeting(const std::string& abilities) {
  return PktLine("# service=git-receive-pack\n") + "0000" +
         PktLine(kOld + " refs/heads/main" + std::string(1, '\0') + abilities + "\n") + PktLine(kNew + " .have\n") +
         "0000";
}

TEST(ReceivePack, GreetingsTellWhereRefsAreAndWhatElseIsThere) {
  std::string error;
  const auto greeting = ParseReceiveGreeting(Greeting("report-status object-format=sha1"), error);
  ASSERT_TRUE(greeting.has_value()) << error;
  EXPECT_TRUE(greeting->reports);
  EXPECT_THAT(greeting->refs, ElementsAre(Field(&GitRef::name, "refs/heads/main"), Field(&GitRef::name, ".have")));
  const auto empty = ParseReceiveGreeting(
      PktLine(std::string(40, '0') + " capabilities^{}" + std::string(1, '\0') + "report-status") + "0000", error);
  ASSERT_TRUE(empty.has_value()) << error;
  EXPECT_TRUE(empty->refs.empty());
}

TEST(ReceivePack, WhatIsNoGreetingIsRefused) {
  std::string error;
  EXPECT_FALSE(ParseReceiveGreeting("", error).has_value());
  EXPECT_FALSE(ParseReceiveGreeting(PktLine("hello\n") + "0000", error).has_value());
  EXPECT_FALSE(ParseReceiveGreeting(PktLine(kOld + " refs/heads/main"), error).has_value()) << "it has no end";
  EXPECT_FALSE(ParseReceiveGreeting(Greeting("report-status object-format=sha256"), error).has_value());
  EXPECT_THAT(error, HasSubstr("SHA-1"));
  EXPECT_FALSE(ParseReceiveGreeting(PktLine("ERR no such repository\n") + "0000", error).has_value());
  EXPECT_EQ(error, "no such repository");
}

TEST(ReceivePack, RequestsNameWhereTheRefMustBe) {
  const std::string line = kOld + " " + kNew + " refs/heads/topic";
  const std::string pushed = PushRequest({"refs/heads/topic", kOld, kNew}, "PACK…", "git/2 test");
  EXPECT_THAT(pushed, HasSubstr(line));
  EXPECT_THAT(pushed, EndsWith("0000PACK…"));
  const std::string created = PushRequest({"refs/heads/topic", "", kNew}, "", "git/2 test");
  EXPECT_THAT(created, HasSubstr(std::string(40, '0') + " " + kNew));
  EXPECT_THAT(created, HasSubstr("0000PACK")) << "a server wants a pack, if only one with nothing in it";
  EXPECT_THAT(PushRequest({"refs/heads/topic", kOld, ""}, "PACK…", "git/2 test"), EndsWith("0000"));
}

TEST(ReceivePack, ReportsTellWhatBecameOfIt) {
  std::string error;
  const auto read = [&error](const std::string& text) { return ParsePushReport(text, "refs/heads/topic", error); };
  const auto done = read(PktLine("unpack ok\n") + PktLine("ok refs/heads/topic\n") + "0000");
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(done->done);
  const auto refused = read(PktLine("unpack ok\n") + PktLine("ng refs/heads/topic protected branch\n") + "0000");
  ASSERT_TRUE(refused.has_value());
  EXPECT_FALSE(refused->done);
  EXPECT_EQ(refused->refusal, "protected branch");
  const auto broken = read(PktLine("unpack index-pack failed\n") + PktLine("ng refs/heads/topic unpacker error\n"));
  ASSERT_TRUE(broken.has_value());
  EXPECT_EQ(broken->refusal, "index-pack failed");
  EXPECT_FALSE(read("").has_value());
  EXPECT_FALSE(read(PktLine("unpack ok\n") + PktLine("ok refs/heads/other\n") + "0000").has_value());
}

}  // namespace
}  // namespace yardmaster
