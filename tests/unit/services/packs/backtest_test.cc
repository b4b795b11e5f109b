#include "services/packs/backtest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/tiny_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The tiny pack in which sockets are about disks and vague texts get no answer.
std::shared_ptr<const rules::CompiledPack> Changed() {
  rules::PackFiles files = testing::TinyPackFiles();
  std::string& rubric = files["tiny/rubric.json"];
  const auto replace = [&](const std::string& from, const std::string& to) {
    const size_t at = rubric.find(from);
    ASSERT_NE(at, std::string::npos);
    rubric.replace(at, from.size(), to);
  };
  replace(R"("labels": {"area: net": 1, "team b": 0.5})", R"("labels": {"area: disk": 1, "team b": 0.5})");
  replace(R"("add": "needs info", "comment": "more")", R"("add": "needs info")");
  return testing::CompileTinyPack(files);
}

absl::StatusOr<BacktestResult> Compare(const rules::CompiledPack& base, const rules::CompiledPack& candidate,
                                       const std::vector<std::string>& titles, const KeepGoing& keep_going = nullptr) {
  return RunBacktest(
      base, candidate, titles.size(),
      [&](size_t i) {
        rules::IssueText text;
        text.title = titles[i];
        return text;
      },
      keep_going);
}

TEST(Backtest, DifferencesAreToldPerLabelAndPerIssue) {
  const absl::StatusOr<BacktestResult> result = Compare(
      *testing::CompileTinyPack(), *Changed(), {"the socket", "the disk", "it does not work", "the socket again"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->cases, 4u);
  ASSERT_THAT(result->issues, SizeIs(3));
  EXPECT_EQ(result->issues[0].index, 0u);
  EXPECT_THAT(result->issues[0].added, ElementsAre("area: disk"));
  EXPECT_THAT(result->issues[0].removed, ElementsAre("area: net"));
  EXPECT_THAT(result->issues[0].applied_added, ElementsAre("area: disk"));
  EXPECT_THAT(result->issues[0].applied_removed, ElementsAre("area: net"));
  EXPECT_EQ(result->issues[1].index, 2u);
  EXPECT_THAT(result->issues[1].added, IsEmpty());
  EXPECT_EQ(result->issues[1].base_template, "more");
  EXPECT_EQ(result->issues[1].candidate_template, "");
  EXPECT_EQ(result->issues[2].index, 3u);

  std::vector<std::string> lines;
  for (const LabelChange& label : result->labels) {
    lines.push_back(label.label + " " + std::to_string(label.base) + " " + std::to_string(label.candidate) + " +" +
                    std::to_string(label.added) + " -" + std::to_string(label.removed));
  }
  EXPECT_THAT(lines, ElementsAre("area: disk 1 3 +2 -0", "area: net 2 0 +0 -2", "needs info 1 1 +0 -0",
                                 "team a 2 2 +0 -0", "team b 2 2 +0 -0"));
}

TEST(Backtest, APackAgainstItselfHasNoDifferences) {
  const auto pack = testing::CompileTinyPack();
  const absl::StatusOr<BacktestResult> result = Compare(*pack, *pack, {"the socket", "the disk"});
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->issues, IsEmpty());
  for (const LabelChange& label : result->labels) EXPECT_EQ(label.base, label.candidate);
}

TEST(Backtest, NoCasesAreNoDifferences) {
  const auto pack = testing::CompileTinyPack();
  const absl::StatusOr<BacktestResult> result = Compare(*pack, *pack, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->cases, 0u);
  EXPECT_THAT(result->labels, IsEmpty());
}

TEST(Backtest, APackWithoutARubricCanNotBeCompared) {
  const rules::PackFiles bare = {{"bare/pack.json", R"({"name": "bare", "title": "B"})"}};
  const auto pack = testing::CompileTinyPack();
  EXPECT_EQ(Compare(*pack, *testing::CompileTinyPack(bare, "bare"), {"x"}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Backtest, ItEndsWhenItIsToldTo) {
  const auto pack = testing::CompileTinyPack();
  int asked = 0;
  EXPECT_EQ(Compare(*pack, *pack, {"a", "b", "c"},
                    [&] { return ++asked == 3 ? absl::CancelledError("gone") : absl::OkStatus(); })
                .status(),
            absl::CancelledError("gone"));
}

}  // namespace
}  // namespace yardmaster
