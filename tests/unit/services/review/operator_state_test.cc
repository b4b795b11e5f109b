#include "services/review/operator_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "services/core/sha256.h"

namespace yardmaster {
namespace {

rules::Finding Blocking(const std::string& rule, uint32_t line) {
  rules::Finding finding;
  finding.rule_id = rule;
  finding.severity = rules::Severity::kBlock;
  finding.path = "demo_impl.py";
  finding.line = line;
  return finding;
}

TEST(Breaker, TripsAtTheFifthWriteWithTheSameRuleAtTheSameLine) {
  OperatorState state;
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(RecordWrite(state, "demo_impl.py", {Blocking("OL01", 4)}).has_value());
  EXPECT_FALSE(TrippedBreaker(state).has_value());
  const auto trip = RecordWrite(state, "demo_impl.py", {Blocking("OL01", 4)});
  ASSERT_TRUE(trip.has_value());
  EXPECT_EQ(*trip, (BreakerTrip{"demo_impl.py", "OL01", 4, 5}));
  EXPECT_EQ(BreakerText(*trip), "lint not resolvable, escalating: OL01 fired 5x consecutively at demo_impl.py:4");
  EXPECT_TRUE(TrippedBreaker(state).has_value());
  // It stays so until something changes.
  EXPECT_TRUE(RecordWrite(state, "demo_impl.py", {Blocking("OL01", 4)}).has_value());
  EXPECT_FALSE(RecordWrite(state, "demo_impl.py", {}).has_value());
  EXPECT_FALSE(TrippedBreaker(state).has_value());
}

TEST(Breaker, AnotherLineAnotherRuleOrFewerRulesStartAgain) {
  OperatorState state;
  for (int i = 0; i < 4; ++i) RecordWrite(state, "demo_impl.py", {Blocking("OL01", 4), Blocking("OL02", 8)});
  EXPECT_FALSE(RecordWrite(state, "demo_impl.py", {Blocking("OL01", 5), Blocking("OL03", 8)}).has_value());

  state = {};
  for (int i = 0; i < 4; ++i) RecordWrite(state, "demo_impl.py", {Blocking("OL01", 4), Blocking("OL02", 8)});
  // One rule less: progress, though the other is where it was.
  EXPECT_FALSE(RecordWrite(state, "demo_impl.py", {Blocking("OL01", 4)}).has_value());
  EXPECT_EQ(state.files["demo_impl.py"], (std::vector<RepeatedFinding>{{"OL01", 4, 1}}));
}

TEST(Breaker, CountsEachFileForItselfAndALineOnce) {
  OperatorState state;
  for (int i = 0; i < 4; ++i) RecordWrite(state, "a_impl.py", {Blocking("OL01", 4), Blocking("OL01", 4)});
  EXPECT_FALSE(RecordWrite(state, "b_impl.py", {Blocking("OL01", 4)}).has_value());
  EXPECT_TRUE(RecordWrite(state, "a_impl.py", {Blocking("OL01", 4)}).has_value());
}

TEST(Breaker, FindingsThatDoNotBlockDoNotCount) {
  OperatorState state;
  rules::Finding minor = Blocking("OL22", 4);
  minor.severity = rules::Severity::kMinor;
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(RecordWrite(state, "demo_impl.py", {minor}).has_value());
  EXPECT_TRUE(state.files.empty());
}

TEST(Frozen, AFileMayNotChangeOnceItIsKnownToBeFrozen) {
  OperatorState state;
  rules::Finding finding = Blocking("FREEZE", 0);
  finding.path = "modules/demo_module1_impl.py";
  EXPECT_TRUE(RecordFrozen(state, {{finding, Sha256Hex("one")}}).empty());
  EXPECT_TRUE(RecordFrozen(state, {{finding, Sha256Hex("one")}}).empty());
  ASSERT_EQ(RecordFrozen(state, {{finding, Sha256Hex("two")}}).size(), 1u);
  // Still the first text: writing it again mends it, removing it does not.
  EXPECT_EQ(RecordFrozen(state, {{finding, ""}}).size(), 1u);
  EXPECT_TRUE(RecordFrozen(state, {{finding, Sha256Hex("one")}}).empty());
  // The freeze is lifted, and set again later.
  EXPECT_TRUE(RecordFrozen(state, {}).empty());
  EXPECT_TRUE(RecordFrozen(state, {{finding, Sha256Hex("two")}}).empty());
}

TEST(OperatorState, ComesBackAsItWasWritten) {
  OperatorState state;
  RecordWrite(state, "demo_impl.py", {Blocking("OL01", 4), Blocking("OL02", 0)});
  state.frozen["modules/ü.py"] = Sha256Hex("x");
  const auto again = ParseState(DumpState(state));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, state);
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(OperatorState, DamagedTextsAreNoState) {
  for (const char* text : {"", "[]", "{}", R"({"version": 2})", R"({"version": 1, "blocked": []})",
                           R"({"version": 1, "blocked": {"a": [{"rule_id": "x", "line": -1, "count": 1}]}})",
                           R"({"version": 1, "blocked": {"a": [1]}})", R"({"version": 1, "frozen": {"a": 1}})"}) {
    EXPECT_FALSE(ParseState(text).has_value()) << text;
  }
  EXPECT_TRUE(ParseState(R"({"version": 1})").has_value());
}

}  // namespace
}  // namespace yardmaster
