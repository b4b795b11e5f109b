#include "services/core/store/reviews.h"

#include <string>
#include <vector>

#include "services/core/limits.h"
#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::Subject Pull(int64_t number, const std::string& repository = "octo/framework") {
  v1::Subject subject = Issue(number, repository);
  subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  return subject;
}

class ReviewsTest : public StoreFixture {
 protected:
  Reviews& reviews() { return store_->reviews(); }
  void Put(const std::string& id, const v1::Subject& subject, const std::string& head) {
    ASSERT_TRUE(reviews().Put({id, subject, head, "rev", "outline of " + id, "review " + id}).ok());
  }
  std::vector<std::string> Ids(const ReviewFilter& filter) {
    std::vector<std::string> ids;
    const auto page = reviews().List(filter, {});
    for (const Review& review : page->items) ids.push_back(review.id);
    return ids;
  }
};

TEST_F(ReviewsTest, WhatWasPutIsReadBackAfterARestart) {
  const std::string large(200'000, 'x');
  ASSERT_TRUE(reviews().Put({"a", Pull(7), "head1", "rev", std::string("o\0o", 3), large}).ok());
  Open();
  const auto review = reviews().Get("a");
  ASSERT_TRUE(review.ok()) << review.status();
  EXPECT_EQ(review->subject.repository(), "octo/framework");
  EXPECT_EQ(review->subject.number(), 7);
  EXPECT_EQ(review->subject.kind(), v1::SUBJECT_KIND_PULL_REQUEST);
  EXPECT_EQ(review->head, "head1");
  EXPECT_EQ(review->revision, "rev");
  EXPECT_EQ(review->outline, std::string("o\0o", 3));
  EXPECT_EQ(review->review, large);
  EXPECT_EQ(review->created_at, clock_.Now());
  EXPECT_EQ(reviews().Get("b").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ReviewsTest, TheSameReviewMadeAgainIsOneAndTheNewest) {
  Put("a", Pull(7), "head1");
  Put("b", Pull(7), "head2");
  EXPECT_EQ((*reviews().Latest(Pull(7), ""))->id, "b");
  EXPECT_EQ((*reviews().Latest(Pull(7), "head1"))->id, "a");
  EXPECT_FALSE(reviews().Latest(Pull(7), "head3")->has_value());
  EXPECT_FALSE(reviews().Latest(Pull(8), "")->has_value());
  // Somebody pushed the first head again.
  ASSERT_TRUE(reviews().Put({"a", Pull(7), "head1", "rev", "", "changed"}).ok());
  EXPECT_EQ((*reviews().Latest(Pull(7), ""))->review, "changed");
  EXPECT_THAT(Ids({}), ElementsAre("a", "b"));
}

TEST_F(ReviewsTest, ListsAreFilteredAndPagedAndHaveNoFindings) {
  Put("a", Pull(7), "h1");
  Put("b", Pull(8), "h2");
  Put("range", Pull(0), "h3");
  Put("c", Pull(7, "octo/other"), "h4");
  EXPECT_THAT(Ids({}), ElementsAre("c", "range", "b", "a"));
  EXPECT_THAT(Ids({"github:Octo/Framework", 0}), ElementsAre("range", "b", "a"));
  EXPECT_THAT(Ids({"github:octo/framework", 7}), ElementsAre("a"));
  EXPECT_THAT(Ids({"github:octo/none", 0}), IsEmpty());
  EXPECT_THAT(Ids({"github:octo/framework", 0, "h2"}), ElementsAre("b"));
  const auto first = reviews().List({}, {0, 2});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->items.front().outline, "outline of c");
  EXPECT_EQ(first->items.front().review, "");
  const auto second = reviews().List({}, {first->next, 2});
  EXPECT_EQ(second->items.front().id, "b");
  EXPECT_EQ(second->next, 0);
}

TEST_F(ReviewsTest, EachToolHasOneSetOfFindingsAtACommit) {
  ASSERT_TRUE(reviews().PutImport(Pull(7), "h1", {"ruff", "one"}).ok());
  ASSERT_TRUE(reviews().PutImport(Pull(7), "h1", {"mypy", "two"}).ok());
  ASSERT_TRUE(reviews().PutImport(Pull(7), "h2", {"ruff", "other"}).ok());
  ASSERT_TRUE(reviews().PutImport(Pull(7), "h1", {"ruff", "three"}).ok());
  const auto found = reviews().Imports(Pull(7), "h1");
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].tool, "mypy");
  EXPECT_EQ((*found)[1].findings, "three");
  EXPECT_THAT(*reviews().Imports(Pull(8), "h1"), IsEmpty());
}

TEST_F(ReviewsTest, WhatCantBeStoredIsRefused) {
  EXPECT_EQ(reviews().Put({"", Pull(7), "h", "", "", ""}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reviews().Put({"a", v1::Subject(), "h", "", "", ""}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reviews().Put({"a", Pull(7), "", "", "", ""}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reviews().Put({"a", Pull(7), "h", "", "", std::string(kMaxStoredReviewBytes + 1, 'x')}).code(),
            absl::StatusCode::kInvalidArgument);
  for (size_t i = 0; i < kMaxImportTools; ++i) {
    ASSERT_TRUE(reviews().PutImport(Pull(7), "h", {"tool" + std::to_string(i), "x"}).ok());
  }
  EXPECT_EQ(reviews().PutImport(Pull(7), "h", {"one too many", "x"}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(reviews().PutImport(Pull(7), "h", {"tool3", "again"}).ok());
}

}  // namespace
}  // namespace yardmaster::store
