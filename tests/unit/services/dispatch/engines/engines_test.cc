#include "services/dispatch/engines/engines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/services/dispatch/book/dispatch_fixture.h"

namespace yardmaster::dispatch {
namespace {

TEST(Engines, EachIsFoundByItsName) {
  EXPECT_THAT(EngineNames(), ::testing::Contains(std::string(kUsualEngine)));
  for (const std::string& name : EngineNames()) EXPECT_EQ(FindEngine(name)->name(), name);
  EXPECT_EQ(FindEngine("none"), nullptr);
}

// Another one, as somebody would add it: whoever came last goes first, on its first devices.
class LastComesFirst final : public Engine {
 public:
  std::string_view name() const override { return "last"; }
  Round Place(PlacementInput input) const override {
    Round round;
    Turns turns(input.waiting, input.usage);
    int64_t last = 0;
    for (int64_t number = turns.Next(); number != 0; number = turns.Next()) last = std::max(last, number);
    if (last != 0 && !input.candidates.empty()) {
      round.placed.push_back({&input.job_of(last), input.candidates.front().runner, {0}});
    }
    return round;
  }
};

TEST(Engines, TheBookTakesWhatItsEngineSays) {
  const Moment now{WallTime(std::chrono::hours(1)), std::chrono::steady_clock::time_point(std::chrono::hours(1))};
  const LastComesFirst engine;
  Book book(Limits(), now, engine);
  book.Apply(*book.Report(ReportOf("r", 1), now));
  book.Apply(*book.Submit(JobOf("first"), now));
  book.Apply(*book.Submit(JobOf("last"), now));
  book.Apply(book.Place(now));
  EXPECT_EQ(book.FindLease("first"), nullptr);
  EXPECT_NE(book.FindLease("last"), nullptr);
}

}  // namespace
}  // namespace yardmaster::dispatch
