// Operators as the pipeline of PyPTO leaves them, with all of its documents (tests/data/pypto): nothing is found in
// them, and each single mistake that is put into them is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/packs/validate.h"
#include "services/review/review_run.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using Files = std::map<std::string, std::string>;  // path → text

constexpr const char* kGeneratedOperators = "tests/data/pypto";

std::shared_ptr<const rules::CheckSet> PyptoPack() {
  Problems problems;
  const PacksFolder packs = ReadPacksFolder(testing::SourcePath("rules/packs"));
  auto set = rules::LoadChecks(packs.files, "pypto", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return set;
}

Files OperatorAt(const std::string& name) {
  const std::filesystem::path folder = testing::SourcePath(absl::StrCat(kGeneratedOperators, "/", name));
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[absl::StrCat(name, "/", entry.path().filename().string())] = testing::ReadWholeFile(entry.path());
  }
  return files;
}

// Rules that find something.
std::set<std::string> RulesIn(const std::shared_ptr<const rules::CheckSet>& pack, const Files& files,
                              const std::string& profile) {
  std::vector<ReviewInput> inputs;
  std::vector<std::string> texts;
  for (const auto& [path, text] : files) {
    inputs.emplace_back().path = path;
    texts.push_back(text);
  }
  RunOptions options;
  options.profile = profile;
  options.stage_of_state = true;
  options.options["npu"] = "yes";
  const ReadInput read = [&](size_t index, std::string&) { return std::optional<std::string>(texts[index]); };
  const auto report = RunReview({pack}, inputs, read, options);
  EXPECT_TRUE(report.ok()) << report.status();
  std::set<std::string> rules;
  if (!report.ok()) return rules;
  for (const ReportedFinding& one : report->findings) rules.insert(one.finding.rule_id);
  return rules;
}

class GeneratedOperators : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Profiles, GeneratedOperators, ::testing::Values("handwritten", "strict"),
                         [](const auto& info) { return info.param; });

TEST_P(GeneratedOperators, NothingIsFoundInWhatIsRight) {
  const auto pack = PyptoPack();
  for (const char* name : {"scale_exp", "tile_matmul"}) {
    EXPECT_THAT(RulesIn(pack, OperatorAt(name), GetParam()), IsEmpty()) << name;
  }
}

TEST_P(GeneratedOperators, EachMistakeIsFound) {
  const auto pack = PyptoPack();
  std::istringstream lines(
      testing::ReadWholeFile(testing::SourcePath(absl::StrCat(kGeneratedOperators, "/mistakes.jsonl"))));
  size_t mistakes = 0;
  for (std::string line; std::getline(lines, line); ++mistakes) {
    const nlohmann::json mistake = nlohmann::json::parse(line);
    const std::string name = mistake["operator"];
    Files files = OperatorAt(name);
    std::string& text = files.at(absl::StrCat(name, "/", mistake["file"].get<std::string>()));
    for (const nlohmann::json& edit : mistake["edits"]) {
      const std::string from = edit["from"];
      const size_t at = text.find(from);
      ASSERT_NE(at, std::string::npos) << line;
      text.replace(at, from.size(), edit["to"].get<std::string>());
    }
    EXPECT_THAT(RulesIn(pack, files, GetParam()), Contains(mistake["rule"].get<std::string>())) << mistake["what"];
  }
  EXPECT_GE(mistakes, 30u);
}

}  // namespace
}  // namespace yardmaster
