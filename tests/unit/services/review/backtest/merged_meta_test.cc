#include "services/review/backtest/merged_meta.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace yardmaster {
namespace {

std::optional<std::string> TitleOf(const std::string& message) { return MetaOfMerged(message, {}).title; }

TEST(MetaOfMerged, KnowsTheFormsOfForges) {
  EXPECT_EQ(TitleOf("!250 fix bugs\n\nFrom: @somebody\n"), "fix bugs");
  EXPECT_EQ(TitleOf("Merge pull request #7 from octo/topic\n\nAdd a queue\n\nMore of it\n"), "Add a queue");
  EXPECT_EQ(TitleOf("attn: update the backend (#1101)"), "attn: update the backend");
  EXPECT_EQ(TitleOf("Add a queue (#7) (#8)\n\n* first\n"), "Add a queue (#7)");
}

TEST(MetaOfMerged, SaysNothingOfWhatIsNotKnown) {
  EXPECT_EQ(TitleOf("fix bugs\n"), std::nullopt);
  EXPECT_EQ(TitleOf("Merge branch 'topic'\n"), std::nullopt);
  const PullMeta meta = MetaOfMerged("!1 a", {{"c1", "feat: a", "somebody"}});
  EXPECT_EQ(meta.body, std::nullopt);
  EXPECT_EQ(meta.labels, std::nullopt);
  EXPECT_EQ(meta.author, std::nullopt);
  ASSERT_EQ(meta.commits->size(), 1u);
  EXPECT_EQ(meta.commits->front().message, "feat: a");
}

}  // namespace
}  // namespace yardmaster
