// The real `yard review file|tree --watch`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using Json = nlohmann::json;

const std::string kReturns = "def k():\n    return 1\n";
const std::string kGood = "def k(): pass\n";

class WatchTest : public ::testing::Test {
 protected:
  WatchTest() {
    for (const auto& [path, text] : testing::ReviewPackFiles()) dir_.Write("packs/" + path, text);
  }
  ~WatchTest() override {
    if (yard_ == nullptr) return;
    yard_->Signal(SIGINT);
    EXPECT_EQ(yard_->Wait(seconds(10)).value_or(-1), 130) << yard_->Stderr();
  }

  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  void Start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {std::string(YARD_PROGRAMS) + "/yard", "review"});
    arguments.insert(arguments.end(), {"--watch", "--json", "--packs", Path("packs")});
    yard_ = std::make_unique<testing::Process>(arguments);
  }
  // The answers so far, once there are `count` of them; fewer if they don't come.
  std::vector<Json> Answers(size_t count) {
    std::vector<Json> answers;
    for (int i = 0; i < 2'000; ++i) {
      answers.clear();
      std::istringstream lines(yard_->Stdout());
      for (std::string line; std::getline(lines, line);) {
        Json json = Json::parse(line, nullptr, false);
        if (!json.is_discarded()) answers.push_back(std::move(json));
      }
      if (answers.size() >= count || yard_->Wait(milliseconds(0)).has_value()) break;
      std::this_thread::sleep_for(milliseconds(10));
    }
    EXPECT_GE(answers.size(), count) << yard_->Stderr();
    answers.resize(std::max(answers.size(), count));
    return answers;
  }
  // No further answer within some looks.
  void ExpectQuiet(size_t count) {
    std::this_thread::sleep_for(milliseconds(1'200));
    EXPECT_EQ(Answers(count).size(), count);
  }
  bool Says(const std::string& text) {
    for (int i = 0; i < 1'000 && yard_->Stderr().find(text) == std::string::npos; ++i)
      std::this_thread::sleep_for(milliseconds(10));
    return yard_->Stderr().find(text) != std::string::npos;
  }
  static std::vector<std::string> Told(const Json& answer) {
    std::vector<std::string> told;
    if (!answer.contains("findings")) return told;
    for (const Json& finding : answer["findings"])
      told.push_back(finding["rule_id"].get<std::string>() + " " +
                     fs::path(finding["path"].get<std::string>()).filename().string());
    return told;
  }

  testing::TempDir dir_;
  std::unique_ptr<testing::Process> yard_;
};

TEST_F(WatchTest, AFileIsReviewedAgainWhenItChanges) {
  const std::string file = dir_.Write("demo/demo_impl.py", kReturns).string();
  Start({"file", file});
  EXPECT_THAT(Told(Answers(1)[0]), ElementsAre("L1 demo_impl.py"));
  ExpectQuiet(1);
  dir_.Write("demo/demo_impl.py", kGood);
  EXPECT_THAT(Told(Answers(2)[1]), ElementsAre());
  ExpectQuiet(2);
}

TEST_F(WatchTest, AnEditorThatPutsANewFileInItsPlaceIsSeen) {
  const std::string file = dir_.Write("demo/demo_impl.py", kReturns).string();
  Start({"file", file});
  Answers(1);
  // As vim does: the old one aside, the new one in its place, the old one gone.
  fs::rename(file, file + "~");
  dir_.Write("demo/demo_impl.py", kGood);
  fs::remove(file + "~");
  EXPECT_THAT(Told(Answers(2)[1]), ElementsAre());
  // As others do: a file beside it that is renamed.
  dir_.Write("demo/.demo_impl.py.tmp", kReturns);
  fs::rename(Path("demo/.demo_impl.py.tmp"), file);
  EXPECT_THAT(Told(Answers(3)[2]), ElementsAre("L1 demo_impl.py"));
}

TEST_F(WatchTest, FilesComeAndGoInATree) {
  dir_.Write("tree/a/a_impl.py", kReturns);
  Start({"tree", Path("tree")});
  EXPECT_THAT(Told(Answers(1)[0]), ElementsAre("L1 a_impl.py"));
  dir_.Write("tree/b/deep/b_impl.py", kReturns);
  EXPECT_THAT(Told(Answers(2)[1]), ElementsAre("L1 a_impl.py", "L1 b_impl.py"));
  fs::remove(Path("tree/a/a_impl.py"));
  EXPECT_THAT(Told(Answers(3)[2]), ElementsAre("L1 b_impl.py"));
  // What no role has is nothing to review.
  dir_.Write("tree/notes.txt", "x");
  ExpectQuiet(3);
}

TEST_F(WatchTest, AFileBesideMattersToo) {
  const std::string file = dir_.Write("demo/demo_impl.py", kGood).string();
  Start({"file", file});
  EXPECT_THAT(Told(Answers(1)[0]), ElementsAre());
  dir_.Write("demo/demo_golden.py", "def other(): pass\n");
  EXPECT_THAT(Told(Answers(2)[1]), ElementsAre("L3 demo_impl.py"));
}

TEST_F(WatchTest, ManyChangesAtOnceAreOneRun) {
  dir_.Write("tree/a/a_impl.py", kGood);
  Start({"tree", Path("tree")});
  Answers(1);
  for (int i = 0; i < 200; ++i) dir_.Write("tree/o" + std::to_string(i) + "/x_impl.py", kReturns);
  std::vector<Json> answers = Answers(2);
  for (size_t i = 2; answers.back()["summary"]["block"] != 200 && i < 5; ++i) answers = Answers(i + 1);
  EXPECT_EQ(answers.back()["summary"]["block"], 200);
  EXPECT_LE(answers.size(), 3u) << "a machine that is busy may rest in between";
  ExpectQuiet(answers.size());
}

TEST_F(WatchTest, WhatGoesWrongIsToldAndWaitedFor) {
  const std::string file = dir_.Write("demo/demo_impl.py", kReturns).string();
  Start({"file", file});
  Answers(1);
  // A text that is no program, then no file at all, then a folder of that name, then the file again.
  dir_.Write("demo/demo_impl.py", "def k(:\n");
  EXPECT_THAT(Told(Answers(2)[1]), ::testing::Contains("YM-PARSE demo_impl.py"));
  fs::remove(file);
  EXPECT_TRUE(Says("there is no file '" + file + "' now; waiting")) << yard_->Stderr();
  fs::create_directory(file);
  ExpectQuiet(2);
  fs::remove(file);
  dir_.Write("demo/demo_impl.py", kGood);
  EXPECT_THAT(Told(Answers(3)[2]), ElementsAre());
  // The whole folder goes and comes back.
  fs::rename(Path("demo"), Path("away"));
  ExpectQuiet(3);
  fs::rename(Path("away"), Path("demo"));
  Answers(4);
}

TEST_F(WatchTest, ATreeThatGoesIsWaitedFor) {
  dir_.Write("tree/a_impl.py", kGood);
  Start({"tree", Path("tree")});
  Answers(1);
  fs::rename(Path("tree"), Path("away"));
  EXPECT_TRUE(Says("there is no such folder; waiting")) << yard_->Stderr();
  fs::rename(Path("away"), Path("tree"));
  EXPECT_THAT(Told(Answers(2)[1]), ElementsAre());
}

TEST_F(WatchTest, FixesAreCarriedOutOnceAndRest) {
  dir_.Write("tree/a_impl.py", kReturns);
  Start({"tree", Path("tree"), "--fix"});
  Answers(1);
  ExpectQuiet(1);
}

TEST_F(WatchTest, WhatIsWrongFromTheBeginningEndsIt) {
  Start({"file", Path("absent_impl.py")});
  EXPECT_EQ(yard_->Wait(seconds(20)).value_or(-1), 2);
  Start({"file", dir_.Write("demo_impl.py", "").string(), "--profile", "lax"});
  EXPECT_EQ(yard_->Wait(seconds(20)).value_or(-1), 2);
  yard_.reset();
}

}  // namespace
}  // namespace yardmaster
