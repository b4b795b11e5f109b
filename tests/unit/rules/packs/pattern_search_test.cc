// What the shipped patterns need, on recorded issues: a pattern never matches a text that has not all of it.
#include "rules/engine/text/needed_literals.h"

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
#include "tests/support/shipped_packs.h"
#include "tests/support/source_path.h"

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

TEST(NeededLiterals, NoShippedPatternMatchesATextWithoutThem) {
  const std::vector<Text> texts = Texts();
  ASSERT_GT(texts.size(), 400u);
  size_t searched = 0;
  size_t left_out = 0;
  for (const std::string name : {"pytorch-distributed", "hyper-parallel"}) {
    Problems problems;
    const auto pack = LoadPack(yardmaster::testing::ShippedPacks(), name, problems);
    ASSERT_TRUE(pack.has_value());
    for (const SignalModel& signal : pack->signals) {
      for (const std::string& pattern : signal.patterns) {
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
    }
  }
  EXPECT_GT(left_out, searched * 4);
}

}  // namespace
}  // namespace yardmaster::rules
