// The fuzz target without a fuzzer: its seeds, and what they become when they are cut or one byte is another. So its
// checks hold in every run of the tests, with every compiler.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/forge_answer_fuzz.cc"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace {

void Feed(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  const std::filesystem::path folder = yardmaster::testing::SourcePath("tests/fuzz/corpus/forge_answer");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    seeds.push_back(yardmaster::testing::ReadWholeFile(entry.path()));
  }
  return seeds;
}

// A broken check ends the process with its reason, so reaching the end is the test.
TEST(ForgeAnswerCorpus, SeedsCutAnywhereAreHarmless) {
  const std::vector<std::string> seeds = Seeds();
  ASSERT_GE(seeds.size(), 20u);
  for (const std::string& seed : seeds) {
    // Every third place: those between lie in the same word or number.
    for (size_t size = 0; size < seed.size(); size += 3) Feed(seed.substr(0, size));
    Feed(seed);
  }
}

TEST(ForgeAnswerCorpus, SeedsWithOneOtherByteAreHarmless) {
  // Each place with one of them; the fuzz target goes on from there.
  constexpr std::string_view kBytes("\"[{0-\\\xff\0", 8);
  for (const std::string& seed : Seeds()) {
    for (size_t at = 0; at < seed.size(); ++at) {
      std::string changed = seed;
      changed[at] = kBytes[at % kBytes.size()];
      Feed(changed);
    }
  }
}

}  // namespace
