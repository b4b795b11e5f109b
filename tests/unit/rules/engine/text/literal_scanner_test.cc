#include "rules/engine/text/literal_scanner.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

using Places = std::set<std::pair<uint32_t, size_t>>;  // literal, where

Places Scanned(const std::vector<Literal>& literals, std::string_view text) {
  Places out;
  std::vector<LiteralScanner::Found> found;
  LiteralScanner(literals).Scan(text, found);
  for (const auto& [literal, begin, end] : found) {
    EXPECT_TRUE(out.emplace(literal, begin).second) << "told twice: " << literal << " at " << begin;
    EXPECT_EQ(end, begin + literals[literal].text.size());
  }
  return out;
}

Places Compared(const std::vector<Literal>& literals, std::string_view text) {
  Places out;
  for (uint32_t i = 0; i < literals.size(); ++i) {
    const Literal& literal = literals[i];
    for (size_t at = 0; at + literal.text.size() <= text.size(); ++at) {
      const std::string_view there = text.substr(at, literal.text.size());
      const bool same =
          literal.fold_case ? absl::EqualsIgnoreCase(Abs(there), Abs(literal.text)) : there == literal.text;
      if (same && (!literal.starts_at_word || IsWordBoundary(text, at)) &&
          (!literal.ends_at_word || IsWordBoundary(text, at + literal.text.size()))) {
        out.emplace(i, at);
      }
    }
  }
  return out;
}

TEST(LiteralScanner, LiteralsWithinOthersAndOverlappingOnesAreFound) {
  const std::vector<Literal> literals = {{"she"}, {"he"}, {"hers"}, {"s"}, {"er"}, {"he"}};
  EXPECT_EQ(Scanned(literals, "ushers"), (Places{{0, 1}, {1, 2}, {2, 2}, {3, 1}, {3, 5}, {4, 3}, {5, 2}}));
}

TEST(LiteralScanner, ALiteralIsFoundWhereverItStands) {
  const std::vector<Literal> literals = {{"checkpoint"}, {"ab"}};
  const LiteralScanner scanner(literals);
  for (size_t at = 0; at <= 2100; ++at) {
    const std::string text = std::string(at, '.') + "checkpointab" + std::string(2100 - at, '.');
    std::vector<LiteralScanner::Found> found;
    scanner.Scan(text, found);
    ASSERT_EQ(found.size(), 2u) << at;
    ASSERT_EQ(found[0].begin, at);
    ASSERT_EQ(found[1].begin, at + 10);
  }
}

TEST(LiteralScanner, NoLiteralsFindNothing) { EXPECT_TRUE(Scanned({}, "text").empty()); }

TEST(LiteralScanner, CaseIsFoldedOnlyWhereItIsAskedFor) {
  EXPECT_EQ(Scanned({{"Ab", true}, {"Ab", false}}, "ab AB Ab"), (Places{{0, 0}, {0, 3}, {0, 6}, {1, 6}}));
}

TEST(LiteralScanner, BytesOfOtherScriptsAreBytes) {
  EXPECT_EQ(Scanned({{"死锁"}, {"锁"}}, "会死锁"), (Places{{0, 3}, {1, 6}}));
}

TEST(LiteralScanner, TenThousandsOfLiteralsAreToldApart) {
  std::vector<Literal> literals;
  literals.reserve(20000);
  for (int i = 0; i < 20000; ++i) literals.push_back({"word" + std::to_string(100000 + i) + "x"});
  EXPECT_EQ(Scanned(literals, "word107000x word119999x word119999"), (Places{{7000, 0}, {19999, 12}}));
}

TEST(LiteralScanner, LiteralsThatBeginAlikeAreFound) {
  std::vector<Literal> literals = {{"torch"}, {"distributed", true}, {"buted.x"}, {"torch.distributed"}};
  for (int i = 0; i < 60; ++i) {
    literals.push_back({"torch.distributed.x" + std::string(static_cast<size_t>(i % 7), 'y') + std::to_string(i),
                        i % 2 == 0, i % 3 == 0, i % 5 == 0});
  }
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += i % 3 == 0 ? "Torch.Distributed.x" : "torch.distributed.x";
    text += std::string(static_cast<size_t>(i % 7), 'y') + std::to_string(i % 63) + (i % 4 == 0 ? "" : " ");
  }
  EXPECT_EQ(Scanned(literals, text), Compared(literals, text));
}

TEST(LiteralScanner, FindsWhatComparingEachPlaceFinds) {
  std::mt19937 random(7);
  const auto text_of = [&](size_t most) {
    std::string text(1 + random() % most, ' ');
    for (char& c : text) c = "abAB_ -"[random() % 7];
    return text;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Literal> literals(1 + random() % 12);
    for (Literal& literal : literals) {
      literal = {text_of(11), random() % 2 == 0, random() % 3 == 0, random() % 3 == 0};
    }
    const std::string text = text_of(200);
    EXPECT_EQ(Scanned(literals, text), Compared(literals, text)) << text;
  }
}

}  // namespace
}  // namespace yardmaster::rules
