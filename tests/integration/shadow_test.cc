// A revision of a pack in the shadow of the one in service, from outside: only one of them acts, and the report tells
// what the other would have done and who was right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/integration/pipe_fixture.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PipeTest;
using testing::Process;
using testing::Program;
using testing::SourcePath;

class ShadowTest : public PipeTest {
 protected:
  // The pack "lantern" as it is, and beside it one that knows "rocm", and no longer takes a format for decoding.
  void MakeShadow() {
    std::filesystem::copy(SourcePath("tests/support/packs/lantern"), Path("candidate"),
                          std::filesystem::copy_options::recursive);
    json rubric = json::parse(testing::ReadWholeFile(Path("candidate/rubric.json")));
    for (json& signal : rubric["signals"]) {
      if (signal["id"] == "gpu.api") signal["words"].push_back("rocm");
      if (signal["id"] == "decode.format") signal["words"] = {"heic"};
    }
    dir_.Write("candidate/rubric.json", rubric.dump());
  }
  // Restarts with the shadow named for the first repository.
  void NameShadow() {
    json config = json::parse(testing::ReadWholeFile(Path("config.json")));
    config["repositories"][0]["shadow"] = "lantern@candidate";
    dir_.Write("config.json", config.dump());
    daemon_->Signal(SIGTERM);
    ASSERT_EQ(daemon_->Wait(std::chrono::seconds(30)), 0) << daemon_->Stderr();
    StartDaemon();
  }
  json Report(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"rules", "shadow", "report", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Answer answer = Yard(arguments);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.document()["summaries"];
  }
  static json Named(const json& tallies, const std::string& kind, const std::string& name) {
    for (const json& tally : tallies) {
      if (tally["kind"] == kind && tally["name"] == name) return tally;
    }
    return json::object();
  }
};

TEST_F(ShadowTest, OnlyTheRevisionInServiceActsAndTheReportTellsWhoWasRight) {
  MakeShadow();
  Start(SourcePath("tests/support/packs").string(), "lantern");
  EXPECT_EQ(Report(), json::array());
  EXPECT_THAT(Yard({"rules", "shadow", "report"}).err, HasSubstr("\"shadow\": \"PACK@PATH\""));
  NameShadow();
  const int64_t rocm = Open("github", "octo/repo", "rocm and rocm", "Nothing works with rocm.", {"new"});
  const int64_t png = Open("github", "octo/repo", "Can't read a png", "The png is whole.", {"new"});
  const int64_t same = Open("github", "octo/repo", "DecodeError", "`DecodeError` and DecodeError again", {"new"});
  const int64_t other = Open("github", "octo/dry", "rocm and rocm", "Nothing works with rocm.", {"new"});
  Drain();
  // 1. Only the one in service wrote.
  EXPECT_EQ(Labels(Subject("github", "octo/repo", rocm)),
            (std::set<std::string>{"new", "needs details", "sorted-by-bot"}));
  EXPECT_EQ(Labels(Subject("github", "octo/repo", png)),
            (std::set<std::string>{"new", "area: decode", "sorted-by-bot"}));
  EXPECT_GT(same, 0);
  EXPECT_GT(other, 0);

  // 2. What differs, with reasons.
  json summaries = Report();
  ASSERT_EQ(summaries.size(), 1U) << summaries;
  const json& summary = summaries[0];
  EXPECT_EQ(summary["repository"], "github:octo/repo");
  EXPECT_EQ(summary["pack"], "lantern");
  EXPECT_NE(summary["base_revision"], summary["shadow_revision"]);
  EXPECT_EQ(summary["decisions"], 3) << summary;
  EXPECT_EQ(summary["decisions_changed"], 2) << summary;
  EXPECT_EQ(summary["failed"], 0);
  const json gpu = Named(summary["labels"], "label", "area: gpu");
  EXPECT_EQ(gpu["added"], 1) << summary;
  EXPECT_EQ(gpu["removed"], 0);
  EXPECT_EQ(gpu["base"], 0);
  EXPECT_EQ(gpu["shadow"], 1);
  EXPECT_EQ(gpu["examples"][0]["subject"], "github:octo/repo#" + std::to_string(rocm));
  EXPECT_EQ(gpu["examples"][0]["only_in"], "shadow");
  EXPECT_THAT(gpu["examples"][0]["why"].get<std::string>(), HasSubstr("gpu.api (\"rocm\")"));
  EXPECT_EQ(gpu["examples"][0]["right"], "");
  EXPECT_EQ(Named(summary["labels"], "label", "area: decode")["removed"], 1) << summary;
  EXPECT_EQ(Named(summary["labels"], "comment", "ask-details")["removed"], 1) << summary;
  EXPECT_EQ(Named(summary["labels"], "comment", "ask-details")["added"], 1) << summary;
  EXPECT_EQ(Named(summary["rules"], "label", "gpu.api")["added"], 1) << summary;
  EXPECT_EQ(Named(summary["rules"], "label", "decode.format")["removed"], 1) << summary;

  // 3. People correct labels later: on one the shadow was right, on the other the revision in service.
  Forge("labels", {{"forge", "github"}, {"repository", "octo/repo"}, {"number", rocm}, {"add", {"area: gpu"}}});
  Forge("labels", {{"forge", "github"}, {"repository", "octo/repo"}, {"number", rocm}, {"remove", {"needs details"}}});
  Drain();
  summaries = Report({"--repository", "github:octo/repo", "--pack", "lantern"});
  const json judged = Named(summaries[0]["labels"], "label", "area: gpu");
  EXPECT_EQ(judged["shadow_right"], 1) << summaries;
  EXPECT_EQ(judged["base_right"], 0);
  EXPECT_EQ(judged["examples"][0]["right"], "shadow");
  EXPECT_EQ(Report({"--repository", "github:octo/other"}), json::array());
  EXPECT_EQ(Report({"--revision", "0000000000000000"}), json::array());
  const Answer text = Yard({"rules", "shadow", "report"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("2 of 3 issues and 0 of 0 pull requests would come out differently"));
  EXPECT_THAT(text.out, HasSubstr("people did as the shadow says"));
  EXPECT_THAT(Yard({"explain", "github:octo/repo#" + std::to_string(rocm)}).out, Not(HasSubstr("rocm")));
}

TEST_F(ShadowTest, AShadowThatDoesNotLoadIsAnErrorThatNamesTheField) {
  MakeShadow();
  Start(SourcePath("tests/support/packs").string(), "lantern");
  NameShadow();
  // 1. At a reload the old packs, and the old shadow, stay.
  dir_.Write("candidate/rubric.json", "{\"signals\": 7}");
  const Answer reload = Yard({"rules", "reload"}, /*with_token=*/true);
  EXPECT_EQ(reload.code, 2) << reload.out;
  EXPECT_THAT(reload.err, HasSubstr("/repositories/0/shadow"));
  EXPECT_THAT(reload.err, HasSubstr(Path("candidate/rubric.json")));
  Open("github", "octo/repo", "rocm and rocm", "Nothing works with rocm.", {"new"});
  Drain();
  EXPECT_EQ(Report()[0]["decisions_changed"], 1);
  // 2. At the start it is a bad configuration.
  daemon_->Signal(SIGTERM);
  ASSERT_EQ(daemon_->Wait(std::chrono::seconds(30)), 0);
  Process refused({Program("yardmasterd"), "--config", Path("config.json")});
  EXPECT_EQ(refused.Wait(std::chrono::seconds(30)), 2);
  EXPECT_THAT(refused.Stderr(), HasSubstr("/repositories/0/shadow"));
  EXPECT_THAT(refused.Stderr(), HasSubstr("can't run in the shadow"));
}

}  // namespace
}  // namespace yardmaster
