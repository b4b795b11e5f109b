#include "services/core/store/seen_deliveries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace yardmaster::store {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SeenDeliveries, WhatWasAddedIsNamedByItsIdAndByItsBody) {
  SeenDeliveries seen;
  seen.Add({{1, 10, 100}, {2, 20, 200}});
  seen.Add({{3, 30, 100}});
  EXPECT_THAT(seen.WithId(20), ElementsAre(2));
  EXPECT_THAT(seen.WithBody(100), ElementsAre(1, 3));
  EXPECT_THAT(seen.WithId(100), IsEmpty()) << "that is a body's";
  EXPECT_THAT(seen.WithId(40), IsEmpty());
}

TEST(SeenDeliveries, NothingIsKnownAtFirst) {
  SeenDeliveries seen;
  EXPECT_THAT(seen.WithId(1), IsEmpty());
  EXPECT_THAT(seen.WithBody(1), IsEmpty());
  EXPECT_EQ(seen.Bytes(), 0u);
}

TEST(SeenDeliveries, RowsThatAreMissingAreNotNamed) {
  SeenDeliveries seen;
  seen.Add({{5, 10, 100}, {9, 20, 200}, {4'000'000'000'000, 10, 300}});
  EXPECT_THAT(seen.WithId(10), ElementsAre(5, 4'000'000'000'000));
  EXPECT_THAT(seen.WithBody(200), ElementsAre(9));
  // Two rows that are far apart are not what lies between them.
  EXPECT_LT(seen.Bytes(), 1'000'000u);
}

TEST(SeenDeliveries, OfManyNoneIsMissedAndFewAreNamedInVain) {
  SeenDeliveries seen;
  constexpr int64_t kRows = 100'000;
  std::vector<SeenDelivery> some;
  for (int64_t row = 1; row <= kRows; ++row) {
    some.push_back({row, IdPrint("id-" + std::to_string(row)), BodyPrint(row * 0x9e3779b97f4a7c15)});
    if (some.size() < 777 && row < kRows) continue;
    seen.Add(some);
    some.clear();
  }
  size_t in_vain = 0;
  for (int64_t row = 1; row <= kRows; row += 37) {
    const std::vector<int64_t> rows = seen.WithId(IdPrint("id-" + std::to_string(row)));
    ASSERT_THAT(rows, Contains(row));
    ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    in_vain += rows.size() - 1;
    ASSERT_THAT(seen.WithBody(BodyPrint(row * 0x9e3779b97f4a7c15)), Contains(row));
    in_vain += seen.WithId(IdPrint("other-" + std::to_string(row))).size();
  }
  EXPECT_LT(in_vain, 10u);
  // What the header says of memory, the last piece not being full.
  EXPECT_LT(seen.Bytes(), kRows * 12 * 3 / 2);
}

TEST(SeenDeliveries, WhatIsGoneIsForgottenInLargePieces) {
  SeenDeliveries seen;
  for (int64_t row = 1; row <= 100'000; ++row) {
    seen.Add({{row, static_cast<uint32_t>(row), static_cast<uint32_t>(row)}});
  }
  const size_t before = seen.Bytes();
  seen.ForgetBelow(50'000);
  EXPECT_LT(seen.Bytes(), before);
  EXPECT_THAT(seen.WithId(1), IsEmpty());
  EXPECT_THAT(seen.WithId(50'000), ElementsAre(50'000));
  EXPECT_THAT(seen.WithBody(100'000), ElementsAre(100'000));
  // And it goes on.
  seen.Add({{100'001, 7, 8}});
  EXPECT_THAT(seen.WithId(7), ElementsAre(100'001));
}

TEST(SeenDeliveries, PrintsAreNeverTheMarkOfARowThatIsMissing) {
  EXPECT_NE(BodyPrint(0), 0u);
  EXPECT_NE(BodyPrint(int64_t{1} << 32), 0u);
  EXPECT_EQ(IdPrint("a"), IdPrint("a"));
  EXPECT_NE(IdPrint("a"), IdPrint("b"));
}

}  // namespace
}  // namespace yardmaster::store
