#include "services/core/store/operators.h"

#include <string>

#include "services/core/limits.h"
#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

class OperatorsTest : public StoreFixture {
 protected:
  Operators& operators() { return store_->operators(); }
};

TEST_F(OperatorsTest, TheLastStateIsKeptThroughARestart) {
  EXPECT_FALSE(operators().Get("p", "demo")->has_value());
  ASSERT_TRUE(operators().Put("p", "demo", "one").ok());
  ASSERT_TRUE(operators().Put("p", "demo", "two ü").ok());
  ASSERT_TRUE(operators().Put("q", "demo", "other").ok());
  Open();
  EXPECT_EQ(*operators().Get("p", "demo"), "two ü");
  EXPECT_EQ(*operators().Get("q", "demo"), "other");
  EXPECT_FALSE(operators().Get("p", "Demo")->has_value());
}

TEST_F(OperatorsTest, WhatCantBeStoredIsRefused) {
  EXPECT_EQ(operators().Put("", "demo", "x").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(operators().Put("p", "", "x").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(operators().Put("p", "demo", "\xff").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(operators().Put("p", "demo", std::string(kMaxOperatorStateBytes + 1, 'x')).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace yardmaster::store
