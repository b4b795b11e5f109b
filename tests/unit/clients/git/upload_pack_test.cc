#include "clients/git/upload_pack.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clients/git/pkt_line.h"

namespace yardmaster {
namespace {

using Kind = PktReader::Kind;

TEST(PktReader, ReadsFramesAndStopsAtWhatIsNone) {
  const std::string bytes = PktLine("ab\n") + std::string(kPktDelimiter) + PktLine("") + std::string(kPktFlush);
  PktReader reader(bytes);
  EXPECT_EQ(PktText(reader.Next()), "ab");
  EXPECT_EQ(reader.Next().kind, Kind::kDelimiter);
  EXPECT_EQ(reader.Next().kind, Kind::kText);
  EXPECT_EQ(reader.Next().kind, Kind::kFlush);
  EXPECT_EQ(reader.Next().kind, Kind::kEnd);
  for (const char* broken : {"0", "00zz", "0003", "0009abc", "+004", "-001"}) {
    PktReader bad(broken);
    EXPECT_EQ(bad.Next().kind, Kind::kBroken) << broken;
    EXPECT_EQ(bad.Next().kind, Kind::kBroken) << broken;
  }
}

TEST(UploadPack, AbilitiesAreThoseOfFetch) {
  std::string error;
  const std::string begin = PktLine("version 2\n") + PktLine("agent=git/2.39.5\n") + PktLine("ls-refs=unborn\n");
  auto abilities = ParseAbilities(begin + PktLine("fetch=shallow wait-for-done filter\n") + "0000", error);
  ASSERT_TRUE(abilities.has_value()) << error;
  EXPECT_TRUE(abilities->shallow && abilities->filter);
  abilities =
      ParseAbilities(PktLine("# service=git-upload-pack\n") + "0000" + begin + PktLine("fetch") + "0000", error);
  ASSERT_TRUE(abilities.has_value()) << error;
  EXPECT_FALSE(abilities->shallow || abilities->filter);
  EXPECT_FALSE(ParseAbilities(begin + "0000", error).has_value()) << "nothing can be fetched";
  EXPECT_FALSE(ParseAbilities("", error).has_value());
}

TEST(UploadPack, TheRequestAsksForOneCommitWithoutWhatNobodyWants) {
  const std::string body = FetchRequest({{"aaaa"}, 1, true}, "x/1");
  EXPECT_EQ(body,
            "0012command=fetch\n000eagent=x/1\n0017object-format=sha1\n0001000eofs-delta\n0010no-progress\n"
            "000ddeepen 1\n0015filter blob:none\n000ewant aaaa\n0009done\n0000");
}

TEST(UploadPack, AFetchSaysWhatIsHere) {
  const std::string body = FetchRequest({{"aaaa"}, kWholeHistory, false, {"bbbb"}, {"cccc"}}, "x/1");
  EXPECT_TRUE(body.ends_with("0011shallow cccc\n0016deepen 2147483647\n000ewant aaaa\n000ehave bbbb\n0009done\n0000"))
      << body;
}

TEST(UploadPack, RefsAreListed) {
  EXPECT_EQ(RefsRequest("refs/pull/7/head", "x/1"),
            "0014command=ls-refs\n000eagent=x/1\n0017object-format=sha1\n00010020ref-prefix refs/pull/7/head\n0000");
  const std::string object(40, 'a');
  std::string error;
  const auto refs =
      ParseRefs(PktLine(object + " refs/pull/7/head\n") + PktLine(object + " refs/tags/v1 peeled:" + object) +
                    PktLine("unborn HEAD\n") + "0000",
                error);
  ASSERT_TRUE(refs.has_value()) << error;
  ASSERT_EQ(refs->size(), 2u);
  EXPECT_EQ((*refs)[0].name, "refs/pull/7/head");
  EXPECT_EQ((*refs)[0].object, object);
  EXPECT_EQ((*refs)[1].name, "refs/tags/v1");
  EXPECT_TRUE(ParseRefs("0000", error)->empty());
  EXPECT_FALSE(ParseRefs(PktLine(object + " refs/heads/main\n"), error).has_value());
  EXPECT_FALSE(ParseRefs(PktLine("ERR access denied\n") + "0000", error).has_value());
  EXPECT_EQ(error, "access denied");
}

TEST(UploadPack, AnAnswerNamesCommitsWithoutParents) {
  const std::string object(40, 'a');
  std::string error;
  const auto answer =
      ParseFetchAnswer(PktLine("acknowledgments\n") + PktLine("ready\n") + "0001" + PktLine("shallow-info\n") +
                           PktLine("shallow " + object + "\n") + PktLine("unshallow " + object + "\n") + "0001" +
                           PktLine("packfile\n") + PktLine("\1PACK") + "0000",
                       error);
  ASSERT_TRUE(answer.has_value()) << error;
  EXPECT_EQ(answer->shallow, std::vector<std::string>{object});
}

TEST(UploadPack, ThePackIsPutTogetherFromItsPieces) {
  std::string error;
  const std::string begin = PktLine("shallow-info\n") + PktLine("shallow aaaa") + "0001" + PktLine("packfile\n");
  const auto answer = ParseFetchAnswer(
      begin + PktLine("\1PA") + PktLine("\2Counting…") + PktLine("\1CK") + PktLine("\1") + "0000", error);
  ASSERT_TRUE(answer.has_value()) << error;
  EXPECT_EQ(answer->pack, "PACK");
  EXPECT_EQ(answer->refusal, "");
  EXPECT_EQ(ParseFetchAnswer(begin + PktLine("\1PA") + PktLine("\3out of memory\n"), error)->refusal, "out of memory");
  EXPECT_EQ(ParseFetchAnswer(PktLine("ERR upload-pack: not our ref a"), error)->refusal, "upload-pack: not our ref a");
  for (const std::string& cut :
       {std::string(), std::string("0000"), begin, begin + PktLine("\1PA"), begin + PktLine(""), begin + "12",
        begin + PktLine("\7x") + "0000", PktLine("shallow-info") + "0000"}) {
    EXPECT_FALSE(ParseFetchAnswer(cut, error).has_value()) << cut;
  }
}

}  // namespace
}  // namespace yardmaster
