#include "services/core/store/decisions.h"

#include <string>

#include "tests/unit/services/core/store/store_fixture.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster::store {
namespace {

using ::testing::SizeIs;

NewDecision Make(const std::string& id, int64_t number, const std::string& digest = "digest") {
  v1::Plan plan;
  plan.set_id(id);
  for (int i = 0; i < 50; ++i) plan.add_labels("module: fsdp");
  NewDecision decision;
  decision.id = id;
  decision.subject = Issue(number);
  decision.pack = "pytorch-distributed";
  decision.pack_revision = "0123456789abcdef";
  decision.input_digest = digest;
  decision.mode = v1::MODE_APPLY;
  decision.delivery = 3;
  decision.plan = plan.SerializeAsString();
  return decision;
}

class DecisionsTest : public StoreFixture {
 protected:
  Decisions& decisions() { return store_->decisions(); }
};

TEST_F(DecisionsTest, AreServedAsTheyWereMade) {
  const NewDecision made = Make("d-1", 12);
  ASSERT_TRUE(decisions().Put(made).ok());
  auto decision = decisions().Get("d-1");
  ASSERT_TRUE(decision.ok()) << decision.status();
  EXPECT_EQ(decision->subject.number(), 12);
  EXPECT_EQ(decision->pack, "pytorch-distributed");
  EXPECT_EQ(decision->pack_revision, "0123456789abcdef");
  EXPECT_EQ(decision->input_digest, "digest");
  EXPECT_EQ(decision->mode, v1::MODE_APPLY);
  EXPECT_EQ(decision->delivery, 3);
  EXPECT_EQ(decision->created_at, clock_.Now());
  EXPECT_EQ(decision->plan, made.plan);
  v1::Plan plan;
  ASSERT_TRUE(plan.ParseFromString(decision->plan));
  EXPECT_EQ(plan.labels_size(), 50);
  EXPECT_EQ(decisions().Get("d-2").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DecisionsTest, AnIdIsGivenOnce) {
  ASSERT_TRUE(decisions().Put(Make("d-1", 1)).ok());
  EXPECT_EQ(decisions().Put(Make("d-1", 2)).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(decisions().Get("d-1")->subject.number(), 1);
}

TEST_F(DecisionsTest, TheLatestAboutASubject) {
  ASSERT_TRUE(decisions().Put(Make("d-1", 1)).ok());
  ASSERT_TRUE(decisions().Put(Make("d-2", 2)).ok());
  ASSERT_TRUE(decisions().Put(Make("d-3", 1)).ok());
  auto latest = decisions().Latest(Issue(1, "PyTorch/PyTorch"));
  ASSERT_TRUE(latest.ok()) << latest.status();
  ASSERT_TRUE(latest->has_value());
  EXPECT_EQ((*latest)->id, "d-3");
  EXPECT_FALSE((*latest)->plan.empty());
  EXPECT_FALSE(decisions().Latest(Issue(3))->has_value());
}

TEST_F(DecisionsTest, TheSameInputUnderTheSameRulesIsFound) {
  NewDecision dry = Make("d-1", 1, "a");
  dry.mode = v1::MODE_DRY_RUN;
  ASSERT_TRUE(decisions().Put(dry).ok());
  ASSERT_TRUE(decisions().Put(Make("d-2", 1, "b")).ok());
  const auto find = [&](const std::string& digest, const std::string& revision, std::optional<v1::Mode> mode) {
    auto found = decisions().FindSame(Issue(1), digest, "pytorch-distributed", revision, mode);
    EXPECT_TRUE(found.ok()) << found.status();
    return found->has_value() ? (*found)->id : std::string("none");
  };
  EXPECT_EQ(find("a", "0123456789abcdef", std::nullopt), "d-1");
  EXPECT_EQ(find("b", "0123456789abcdef", v1::MODE_APPLY), "d-2");
  EXPECT_EQ(find("a", "0123456789abcdef", v1::MODE_APPLY), "none");
  EXPECT_EQ(find("a", "another revision", std::nullopt), "none");
  EXPECT_EQ(find("c", "0123456789abcdef", std::nullopt), "none");
}

TEST_F(DecisionsTest, ListsHaveNoPlans) {
  for (int i = 1; i <= 5; ++i) ASSERT_TRUE(decisions().Put(Make("d-" + std::to_string(i), i % 2 + 1)).ok());
  DecisionFilter filter;
  filter.subject = Issue(2);
  filter.pack = "pytorch-distributed";
  filter.mode = v1::MODE_APPLY;
  auto page = decisions().List(filter, {0, 2});
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_THAT(page->items, SizeIs(2));
  EXPECT_EQ(page->items[0].id, "d-5");
  EXPECT_TRUE(page->items[0].plan.empty());
  EXPECT_EQ(page->next, page->items[1].row);
  auto rest = decisions().List(filter, {page->next, 2});
  ASSERT_THAT(rest->items, SizeIs(1));
  EXPECT_EQ(rest->items[0].id, "d-1");
  EXPECT_EQ(rest->next, 0);
  filter.mode = v1::MODE_DRY_RUN;
  EXPECT_THAT(decisions().List(filter, {})->items, SizeIs(0));
}

}  // namespace
}  // namespace yardmaster::store
