// How the shipped patterns are looked for, on recorded issues: one never matches a text that has not all that it needs,
// and what it is spelled out to is found where RE2 finds it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/text/needed_literals.h"
#include "tests/support/shipped_packs.h"
#include "tests/support/source_path.h"
#include "tests/support/spelled_places.h"

namespace yardmaster::rules {
namespace {

struct Text {
  explicit Text(std::string said) : as_written(std::move(said)), lower(absl::AsciiStrToLower(as_written)) {}
  bool Has(const NeededLiteral& literal) const {
    return absl::StrContains(literal.fold_case ? lower : as_written, literal.text);
  }
  std::string as_written;
  std::string lower;
};

std::vector<Text> Texts() {
  std::vector<Text> texts;
  std::ifstream in(yardmaster::testing::SourcePath("tests/data/triage_cases.jsonl"));
  for (std::string line; std::getline(in, line);) {
    const nlohmann::json issue = nlohmann::json::parse(line);
    texts.emplace_back(issue.at("title"));
    texts.emplace_back(issue.at("body"));
  }
  return texts;
}

std::vector<std::string> ShippedPatterns() {
  std::vector<std::string> patterns;
  for (const std::string name : {"pytorch-distributed", "hyper-parallel"}) {
    Problems problems;
    const auto pack = LoadPack(yardmaster::testing::ShippedPacks(), name, problems);
    EXPECT_TRUE(pack.has_value()) << name;
    if (!pack.has_value()) continue;
    for (const SignalModel& signal : pack->signals) {
      patterns.insert(patterns.end(), signal.patterns.begin(), signal.patterns.end());
    }
  }
  return patterns;
}

TEST(NeededLiterals, NoShippedPatternMatchesATextWithoutThem) {
  const std::vector<Text> texts = Texts();
  ASSERT_GT(texts.size(), 400u);
  size_t searched = 0;
  size_t left_out = 0;
  for (const std::string& pattern : ShippedPatterns()) {
    re2::FilteredRE2 compiled(kShortestNeeded);
    int id = 0;
    ASSERT_EQ(compiled.Add(pattern, RE2::Options(RE2::Quiet), &id), RE2::NoError);
    const NeededLiterals groups = NeededLiteralsOf(compiled);
    for (const Text& text : texts) {
      const bool lacks = absl::c_any_of(groups, [&](const auto& group) {
        return absl::c_none_of(group, [&](const NeededLiteral& literal) { return text.Has(literal); });
      });
      // Those that have all are searched for in any case.
      if (!lacks) {
        ++searched;
      } else {
        ++left_out;
        EXPECT_FALSE(RE2::PartialMatch(text.as_written, compiled.GetRE2(0))) << pattern << "\n" << text.as_written;
      }
    }
  }
  EXPECT_GT(left_out, searched * 4);
}

TEST(SpelledOut, ShippedPatternsAreFoundWhereRe2FindsThem) {
  const std::vector<Text> texts = Texts();
  size_t spelled_out = 0;
  size_t found = 0;
  for (const std::string& pattern : ShippedPatterns()) {
    const std::vector<SpelledText> spelled = SpelledOut(pattern);
    if (spelled.empty()) continue;
    ++spelled_out;
    const RE2 compiled(pattern, RE2::Quiet);
    ASSERT_TRUE(compiled.ok()) << pattern;
    for (const Text& text : texts) {
      const re2::StringPiece said = text.as_written;
      re2::StringPiece match;
      const bool matches = compiled.Match(said, 0, said.size(), RE2::UNANCHORED, &match, 1);
      const auto place = yardmaster::testing::FirstPlace(spelled, text.as_written);
      ASSERT_EQ(place.has_value(), matches) << pattern << "\n" << text.as_written;
      if (!matches) continue;
      ++found;
      EXPECT_EQ(text.as_written.substr(place->first, place->second - place->first), match) << pattern;
      EXPECT_EQ(place->first, static_cast<size_t>(match.data() - said.data())) << pattern;
    }
  }
  EXPECT_GT(spelled_out, 100u);
  EXPECT_GT(found, 500u);
}

}  // namespace
}  // namespace yardmaster::rules
