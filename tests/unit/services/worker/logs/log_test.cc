#include "services/worker/logs/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LogTest : public ::testing::Test {
 protected:
  std::unique_ptr<LogWriter> Create(std::vector<std::string> secrets = {}) {
    absl::StatusOr<std::unique_ptr<LogWriter>> log = CreateLog(path(), std::move(secrets));
    EXPECT_TRUE(log.ok()) << log.status();
    return std::move(*log);
  }
  std::unique_ptr<LogReader> Open() {
    absl::StatusOr<std::unique_ptr<LogReader>> log = OpenLog(path());
    EXPECT_TRUE(log.ok()) << log.status();
    return log.ok() ? std::move(*log) : nullptr;
  }
  // The texts of a log made of these pieces of one rank.
  std::vector<std::string> Lines(const std::vector<std::string>& pieces, std::vector<std::string> secrets = {}) {
    const std::unique_ptr<LogWriter> log = Create(std::move(secrets));
    for (const std::string& piece : pieces) log->Append(0, Stream::kStdout, piece);
    EXPECT_TRUE(log->Close().ok());
    return AllTexts(*Open());
  }
  static std::vector<std::string> AllTexts(LogReader& log) {
    std::vector<std::string> texts;
    EXPECT_TRUE(log.Read(1, UINT64_MAX,
                         [&](const LogLine& line) {
                           texts.push_back(line.text);
                           return true;
                         })
                    .ok());
    return texts;
  }
  static std::vector<std::string> Texts(const absl::StatusOr<std::vector<LogLine>>& lines) {
    std::vector<std::string> texts;
    EXPECT_TRUE(lines.ok()) << lines.status();
    if (lines.ok()) {
      for (const LogLine& line : *lines) texts.push_back(line.text);
    }
    return texts;
  }
  // A log of several blocks: "rank R line N" of four ranks in turn, N from 1 to `count`.
  void WriteLarge(size_t count) {
    const std::unique_ptr<LogWriter> log = Create();
    for (size_t i = 1; i <= count; ++i) {
      log->Append(static_cast<int>(i % 4), i % 2 == 0 ? Stream::kStdout : Stream::kStderr,
                  "rank " + std::to_string(i % 4) + " line " + std::to_string(i) + "\n");
    }
    ASSERT_TRUE(log->Close().ok());
  }
  std::filesystem::path path() const { return folder_.path() / "logs" / "step.log"; }
  // Changes the bytes of the file.
  void Rewrite(const std::string& content) const { std::ofstream(path(), std::ios::binary) << content; }
  std::string Content() const { return yardmaster::testing::ReadWholeFile(path()); }

  yardmaster::testing::TempDir folder_;
};

TEST_F(LogTest, LinesComeBackWithNumberTimeRankAndStream) {
  const std::unique_ptr<LogWriter> log = Create();
  log->Append(0, Stream::kStdout, "one\ntwo\n");
  log->Append(kNoRank, Stream::kStderr, "three\n");
  EXPECT_EQ(log->lines(), 3u);
  EXPECT_EQ(log->bytes(), 14u);
  ASSERT_TRUE(log->Close().ok());
  const std::unique_ptr<LogReader> reader = Open();
  EXPECT_EQ(reader->lines(), 3u);
  std::vector<LogLine> lines;
  ASSERT_TRUE(reader
                  ->Read(1, 100,
                         [&](const LogLine& line) {
                           lines.push_back(line);
                           return true;
                         })
                  .ok());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].number, 2u);
  EXPECT_EQ(lines[1].text, "two");
  EXPECT_EQ(lines[1].rank, 0);
  EXPECT_EQ(lines[1].stream, Stream::kStdout);
  EXPECT_EQ(lines[2].rank, kNoRank);
  EXPECT_EQ(lines[2].stream, Stream::kStderr);
  EXPECT_GE(lines[2].micros, lines[1].micros);
}

TEST_F(LogTest, PiecesOfRanksAndStreamsAreNotMixedUp) {
  const std::unique_ptr<LogWriter> log = Create();
  log->Append(0, Stream::kStdout, "zero ");
  log->Append(1, Stream::kStdout, "one ");
  log->Append(0, Stream::kStderr, "error ");
  log->Append(1, Stream::kStdout, "ends\n");
  log->Append(0, Stream::kStdout, "ends\n");
  ASSERT_TRUE(log->Close().ok());
  EXPECT_THAT(AllTexts(*Open()), ElementsAre("one ends", "zero ends", "error "));
}

TEST_F(LogTest, ALineWithoutItsEndHasTheTimeOfItsFirstByte) {
  std::vector<LogLine> seen;
  std::unique_ptr<LogWriter> log = Create();
  log->Follow([&](const LogLine& line) { seen.push_back(line); });
  log->Append(0, Stream::kStdout, "before\ntests/a.py::test_b ");
  log->Append(1, Stream::kStdout, "other\n");
  log->EndLines();
  log->Append(0, Stream::kStdout, "after\n");
  ASSERT_TRUE(log->Close().ok());
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[2].text, "tests/a.py::test_b ");
  EXPECT_EQ(seen[2].micros, seen[0].micros);
  EXPECT_LE(seen[2].micros, seen[1].micros);
  EXPECT_EQ(seen[3].text, "after");
}

TEST_F(LogTest, ALogWithoutLinesIsALog) {
  EXPECT_THAT(Lines({}), IsEmpty());
  EXPECT_EQ(Open()->lines(), 0u);
  EXPECT_THAT(Texts(Open()->Tail(5, kAllRanks)), IsEmpty());
  EXPECT_THAT(Texts(Open()->Search("x", 5, kAllRanks)), IsEmpty());
}

TEST_F(LogTest, AnyBytesComeBackAsTheyCame) {
  std::string bytes;
  for (int c = 0; c < 256; ++c) {
    if (c != '\n' && c != '\r') bytes += static_cast<char>(c);
  }
  EXPECT_THAT(Lines({bytes + "\n\n" + bytes}), ElementsAre(bytes, "", bytes));
}

TEST_F(LogTest, ProgressBarsKeepTheirLastState) {
  EXPECT_THAT(Lines({"10%\r50%\r", "100%\ndone\r\n", "a\r", "\nb\r", "c\n"}), ElementsAre("100%", "done", "a", "c"));
}

TEST_F(LogTest, ALineThatIsTooLongIsCutAndSaysSo) {
  const std::string large(kMaxLogLineBytes + 10, 'x');
  const std::string fits(kMaxLogLineBytes, 'y');
  const std::vector<std::string> lines =
      Lines({large + "\n", large.substr(0, 50'000), large.substr(50'000) + "\n" + fits + "\n"});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], large.substr(0, kMaxLogLineBytes) + " [line cut: 10 bytes more]");
  EXPECT_EQ(lines[1], lines[0]);
  EXPECT_EQ(lines[2], fits);
}

TEST_F(LogTest, ALineWithoutEndTakesNoMemory) {
  const std::unique_ptr<LogWriter> log = Create();
  const std::string piece(1'000'000, 'x');
  for (int i = 0; i < 50; ++i) log->Append(0, Stream::kStdout, piece);
  ASSERT_TRUE(log->Close().ok());
  EXPECT_THAT(AllTexts(*Open())[0],
              EndsWith("[line cut: " + std::to_string(50'000'000 - kMaxLogLineBytes) + " bytes more]"));
}

TEST_F(LogTest, SecretsAreHiddenAlsoAcrossPieces) {
  EXPECT_THAT(Lines({"token=hunter22 ok\nhunt", "er22\nhunter", "22", "\nhunter2\n"}, {"hunter22"}),
              ElementsAre("token=*** ok", "***", "***", "hunter2"));
  EXPECT_EQ(Content().find("hunter22"), std::string::npos);
}

TEST_F(LogTest, ASecretWithSeveralLinesIsHiddenLineByLine) {
  EXPECT_THAT(Lines({"key: BEGIN-KEY\nMIIEpAIBAAKC\nEND\n"}, {"BEGIN-KEY\nMIIEpAIBAAKC\n"}),
              ElementsAre("key: ***", "***", "END"));
}

TEST_F(LogTest, ASecretWhereALineIsCutIsHiddenAsAWhole) {
  const std::string secret = "hunter22hunter22";
  for (size_t inside = 1; inside < secret.size(); ++inside) {
    const std::string line = std::string(kMaxLogLineBytes - inside, 'x') + secret + std::string(100, 'y');
    for (const std::vector<std::string>& pieces :
         {std::vector<std::string>{line}, std::vector<std::string>{line.substr(0, 60'000), line.substr(60'000)}}) {
      const std::vector<std::string> lines = Lines(pieces, {secret});
      ASSERT_EQ(lines.size(), 1u);
      EXPECT_EQ(lines[0].substr(kMaxLogLineBytes - inside), "*** [line cut: 100 bytes more]");
    }
  }
}

TEST_F(LogTest, WhatIsOverwrittenByAReturnCanNotSplitASecretIntoView) {
  EXPECT_THAT(Lines({"hunter22\rxx hunter22\n"}, {"hunter22"}), ElementsAre("xx ***"));
}

TEST_F(LogTest, TheFollowerSeesWhatTheFileHas) {
  const std::unique_ptr<LogWriter> log = Create({"hunter22"});
  std::vector<std::string> followed;
  log->Follow([&](const LogLine& line) { followed.push_back(std::to_string(line.number) + " " + line.text); });
  log->Append(0, Stream::kStdout, "hunter22\n1%\r2%\nrest");
  EXPECT_THAT(followed, ElementsAre("1 ***", "2 2%"));
  ASSERT_TRUE(log->Close().ok());
  EXPECT_THAT(followed, ElementsAre("1 ***", "2 2%", "3 rest"));
}

TEST_F(LogTest, NobodyFollowsAnyMore) {
  const std::unique_ptr<LogWriter> log = Create();
  int lines = 0;
  log->Follow([&](const LogLine&) { ++lines; });
  log->Append(0, Stream::kStdout, "one\n");
  log->Follow(nullptr);
  log->Append(0, Stream::kStdout, "two\n");
  EXPECT_EQ(lines, 1);
}

TEST_F(LogTest, AfterClosingNothingIsTaken) {
  const std::unique_ptr<LogWriter> log = Create();
  ASSERT_TRUE(log->Close().ok());
  log->Append(0, Stream::kStdout, "late\n");
  EXPECT_TRUE(log->Close().ok());
  EXPECT_EQ(log->lines(), 0u);
  EXPECT_EQ(Open()->lines(), 0u);
}

TEST_F(LogTest, ARangeIsReadInOrderAndStopsWhereAsked) {
  WriteLarge(100'000);
  const std::unique_ptr<LogReader> log = Open();
  EXPECT_EQ(log->lines(), 100'000u);
  std::vector<uint64_t> numbers;
  ASSERT_TRUE(log->Read(99'990, 5,
                        [&](const LogLine& line) {
                          EXPECT_EQ(line.text,
                                    "rank " + std::to_string(line.number % 4) + " line " + std::to_string(line.number));
                          EXPECT_EQ(line.rank, static_cast<int>(line.number % 4));
                          numbers.push_back(line.number);
                          return true;
                        })
                  .ok());
  EXPECT_THAT(numbers, ElementsAre(99'990u, 99'991u, 99'992u, 99'993u, 99'994u));
  numbers.clear();
  ASSERT_TRUE(log->Read(0, UINT64_MAX,
                        [&](const LogLine& line) {
                          numbers.push_back(line.number);
                          return numbers.size() < 2;
                        })
                  .ok());
  EXPECT_THAT(numbers, ElementsAre(1u, 2u));
  EXPECT_TRUE(log->Read(100'001, 5, [](const LogLine&) { return true; }).ok());
}

TEST_F(LogTest, TheTailIsTheEndOfAllOrOfOneRank) {
  WriteLarge(100'000);
  const std::unique_ptr<LogReader> log = Open();
  EXPECT_THAT(Texts(log->Tail(2, kAllRanks)), ElementsAre("rank 3 line 99999", "rank 0 line 100000"));
  EXPECT_THAT(Texts(log->Tail(2, 1)), ElementsAre("rank 1 line 99993", "rank 1 line 99997"));
  EXPECT_THAT(Texts(log->Tail(5, 7)), IsEmpty());
  const int64_t before = log->Tail(1, 1)->at(0).micros - 1;
  EXPECT_THAT(Texts(log->TailUntil(5, 1, -1)), IsEmpty());
  const absl::StatusOr<std::vector<LogLine>> earlier = log->TailUntil(5, 1, before);
  ASSERT_TRUE(earlier.ok());
  for (const LogLine& line : *earlier) EXPECT_LE(line.micros, before);
  EXPECT_THAT(Texts(log->Tail(0, kAllRanks)), IsEmpty());
  EXPECT_EQ(Texts(log->Tail(SIZE_MAX, kAllRanks)).size(), 100'000u);
}

TEST_F(LogTest, ASearchFindsLinesOfAllOrOfOneRankUpToTheLimit) {
  WriteLarge(100'000);
  const std::unique_ptr<LogReader> log = Open();
  EXPECT_THAT(Texts(log->Search("line 77777$", 10, kAllRanks)), ElementsAre("rank 1 line 77777"));
  EXPECT_THAT(Texts(log->Search("(?i)LINE 9$", 10, 1)), ElementsAre("rank 1 line 9"));
  EXPECT_THAT(Texts(log->Search("(?i)LINE 9$", 10, 2)), IsEmpty());
  EXPECT_EQ(Texts(log->Search("rank", 3, kAllRanks)).size(), 3u);
  EXPECT_THAT(Texts(log->Search("rank", 0, kAllRanks)), IsEmpty());
}

TEST_F(LogTest, ABadPatternIsNamed) {
  Create();
  const auto found = Open()->Search("a(b", 10, kAllRanks);
  EXPECT_EQ(found.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("'a(b'"));
}

TEST_F(LogTest, WhatNeverWasClosedCanBeReadUpToItsLastBlock) {
  const std::unique_ptr<LogWriter> log = Create();
  std::string line(99, 'x');
  for (int i = 0; i < 50'000; ++i) log->Append(0, Stream::kStdout, line + "\n");
  const std::unique_ptr<LogReader> reader = Open();
  EXPECT_GT(reader->lines(), 40'000u);
  EXPECT_LE(reader->lines(), 50'000u);
  EXPECT_TRUE(reader->damage().ok());
  EXPECT_EQ(AllTexts(*reader).size(), reader->lines());
}

TEST_F(LogTest, ALogThatIsCutOffCanBeReadUpToThere) {
  WriteLarge(100'000);
  const std::string whole = Content();
  Rewrite(whole.substr(0, whole.size() / 2));
  const std::unique_ptr<LogReader> log = Open();
  EXPECT_GT(log->lines(), 1'000u);
  EXPECT_EQ(log->damage().code(), absl::StatusCode::kDataLoss);
  uint64_t seen = 0;
  const absl::Status status = log->Read(1, UINT64_MAX, [&](const LogLine& line) { return line.number == ++seen; });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cut off"));
  EXPECT_EQ(seen, log->lines());
  // Within what is there nothing is wrong.
  EXPECT_TRUE(log->Read(1, 10, [](const LogLine&) { return true; }).ok());
  EXPECT_THAT(Texts(log->Tail(1, kAllRanks))[0], EndsWith("line " + std::to_string(seen)));
}

TEST_F(LogTest, WhereverItIsCutOffItsBeginningIsThere) {
  WriteLarge(40'000);
  const std::string whole = Content();
  uint64_t lines = 0;
  for (size_t size = 8; size < whole.size(); size += size < 200 ? 1 : 997) {
    Rewrite(whole.substr(0, size));
    const std::unique_ptr<LogReader> log = Open();
    ASSERT_NE(log, nullptr);
    EXPECT_GE(log->lines(), lines);
    lines = log->lines();
    uint64_t seen = 0;
    log->Read(1, UINT64_MAX, [&](const LogLine&) { return ++seen > 0; }).IgnoreError();
    EXPECT_EQ(seen, lines) << size;
  }
}

TEST_F(LogTest, ADamagedBlockIsLeftOutAndNamed) {
  WriteLarge(100'000);
  std::string content = Content();
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 0x55);
  Rewrite(content);
  const std::unique_ptr<LogReader> log = Open();
  EXPECT_EQ(log->lines(), 100'000u);
  EXPECT_TRUE(log->damage().ok());
  uint64_t seen = 0;
  const absl::Status status = log->Read(1, UINT64_MAX, [&](const LogLine& line) { return line.number == ++seen; });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("can't be unpacked"));
  EXPECT_GT(seen, 1'000u);
  EXPECT_LT(seen, 100'000u);
  EXPECT_THAT(Texts(log->Tail(1, kAllRanks)), ElementsAre("rank 0 line 100000"));
  EXPECT_LT(Texts(log->Search("line", SIZE_MAX, kAllRanks)).size(), 100'000u);
  EXPECT_EQ(log->damage().code(), absl::StatusCode::kDataLoss);
}

TEST_F(LogTest, WithoutItsIndexEverythingIsFoundAllTheSame) {
  WriteLarge(100'000);
  std::string content = Content();
  content[content.size() - 30] = static_cast<char>(content[content.size() - 30] ^ 0x55);
  Rewrite(content);
  const std::unique_ptr<LogReader> log = Open();
  EXPECT_EQ(log->lines(), 100'000u);
  EXPECT_THAT(Texts(log->Tail(1, 3)), ElementsAre("rank 3 line 99999"));
}

TEST_F(LogTest, WhatIsNoLogIsRefused) {
  EXPECT_EQ(OpenLog(path()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(OpenLog(folder_.path()).status().code(), absl::StatusCode::kNotFound);
  folder_.Write("logs/step.log", "just text");
  EXPECT_EQ(OpenLog(path()).status().code(), absl::StatusCode::kDataLoss);
  folder_.Write("logs/step.log", "");
  EXPECT_EQ(OpenLog(path()).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(LogTest, AFullDiskIsToldAndTheFollowerGoesOn) {
  absl::StatusOr<std::unique_ptr<LogWriter>> log = CreateLog("/dev/full", {});
  ASSERT_TRUE(log.ok());
  int followed = 0;
  (*log)->Follow([&](const LogLine&) { ++followed; });
  (*log)->Append(0, Stream::kStdout, "one\ntwo\n");
  EXPECT_EQ((*log)->Close().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE((*log)->healthy());
  EXPECT_EQ((*log)->lines(), 2u);
  EXPECT_EQ(followed, 2);
}

TEST_F(LogTest, AFolderThatCantBeMadeIsTold) {
  folder_.Write("logs", "a file");
  const auto log = CreateLog(path(), {});
  EXPECT_EQ(log.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(log.status().message()), HasSubstr("step.log"));
}

TEST_F(LogTest, RanksMayTalkAtTheSameTime) {
  const std::unique_ptr<LogWriter> log = Create();
  constexpr int kRanks = 8;
  constexpr int kLines = 2'000;
  std::vector<std::thread> ranks;
  ranks.reserve(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank] {
      for (int i = 0; i < kLines; ++i) {
        log->Append(rank, Stream::kStdout, "line ");
        log->Append(rank, Stream::kStdout, std::to_string(i) + "\n");
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  ASSERT_TRUE(log->Close().ok());
  std::vector<int> next(kRanks, 0);
  ASSERT_TRUE(Open()
                  ->Read(1, UINT64_MAX,
                         [&](const LogLine& line) {
                           EXPECT_EQ(line.text, "line " + std::to_string(next[static_cast<size_t>(line.rank)]++));
                           return true;
                         })
                  .ok());
  EXPECT_EQ(next, std::vector<int>(kRanks, kLines));
}

}  // namespace
}  // namespace yardmaster::worker
