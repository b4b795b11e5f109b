#include "clients/git/upload_pack.h"

#include <gtest/gtest.h>

#include <string>

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
  const std::string body = FetchRequest({{"aaaa"}, true, true}, "x/1");
  EXPECT_EQ(body,
            "0012command=fetch\n000eagent=x/1\n0017object-format=sha1\n0001000eofs-delta\n0010no-progress\n"
            "000ddeepen 1\n0015filter blob:none\n000ewant aaaa\n0009done\n0000");
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
