#include "services/core/store/shadows.h"

#include <string>
#include <vector>

#include "services/core/limits.h"
#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ShadowsTest : public StoreFixture {
 protected:
  absl::Status Put(const v1::Subject& subject, const std::string& record, const std::string& input = "i",
                   const std::string& shadow = "s1", const std::string& pack = "tiny") {
    return store_->shadows().Put({subject, "triage", pack, "b1", shadow, input, record});
  }
  std::vector<std::string> Records(const ShadowFilter& filter = {}, size_t at_most = 1'000) {
    std::vector<std::string> records;
    const absl::Status read = store_->shadows().ForEach(filter, [&](const std::string& record) {
      records.push_back(record);
      return records.size() < at_most;
    });
    EXPECT_TRUE(read.ok()) << read;
    return records;
  }
};

TEST_F(ShadowsTest, OneRunForAnInputTheNewestFirstAndAfterARestart) {
  ASSERT_TRUE(Put(Issue(1), "first").ok());
  ASSERT_TRUE(Put(Issue(2), std::string("o\0o", 3)).ok());
  ASSERT_TRUE(Put(Issue(1), "first again").ok());
  ASSERT_TRUE(Put(Issue(1), "another input", "j").ok());
  Open();
  EXPECT_THAT(Records(), ElementsAre("another input", "first again", std::string("o\0o", 3)));
  EXPECT_THAT(Records({}, 2), ElementsAre("another input", "first again"));
}

TEST_F(ShadowsTest, RunsAreFilteredAndManyAreRead) {
  for (int i = 1; i <= 450; ++i) ASSERT_TRUE(Put(Issue(i), "r").ok());
  ASSERT_TRUE(Put(Issue(1, "octo/other"), "other").ok());
  ASSERT_TRUE(Put(Issue(2), "of s2", "i", "s2").ok());
  ASSERT_TRUE(Put(Issue(2), "of big", "i", "s1", "big").ok());
  EXPECT_EQ(Records().size(), 453U);
  EXPECT_THAT(Records({.repository = "github:Octo/Other"}), ElementsAre("other"));
  EXPECT_THAT(Records({.shadow_revision = "s2"}), ElementsAre("of s2"));
  EXPECT_THAT(Records({.pack = "big"}), ElementsAre("of big"));
  EXPECT_THAT(Records({.repository = "github:octo/none"}), IsEmpty());
}

TEST_F(ShadowsTest, WhatIsTooLargeOrNamelessIsRefused) {
  EXPECT_EQ(Put(Issue(1), std::string(kMaxShadowRecordBytes + 1, 'x')).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Put(Issue(1), "r", "i", "").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Records(), IsEmpty());
}

}  // namespace
}  // namespace yardmaster::store
