// `yard rules facts`, run inside the test's process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/clients/cli/command_line.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Result FactsOf(std::vector<std::string> arguments, const std::string& in) {
  arguments.insert(arguments.begin(), {"rules", "facts", "-"});
  return RunWithShippedPacks(arguments, in);
}

TEST(RulesFacts, TellsRowsWithTheirFields) {
  const Result result = FactsOf({"--name", "a.py"}, "import fw\nfw.exp(1)\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("2:1 call \"fw.exp(1)\"\n"));
  EXPECT_THAT(result.out, HasSubstr("    resolved: \"fw.exp\"\n"));
  EXPECT_THAT(result.out, HasSubstr("    call: -> call in line 2 \"fw.exp(1)\"\n"));
}

TEST(RulesFacts, OnlyOneKindOrLine) {
  const Result kind = FactsOf({"--name", "a.py", "--kind", "argument"}, "f(1)\ng(2)\n");
  EXPECT_THAT(kind.out, HasSubstr("2:3 number"));
  EXPECT_THAT(kind.out, Not(HasSubstr("call \"")));
  const Result line = FactsOf({"--name", "a.py", "--kind", "number", "--line", "1"}, "f(1)\ng(2)\n");
  EXPECT_THAT(line.out, HasSubstr("1:3 number"));
  EXPECT_THAT(line.out, Not(HasSubstr("2:3")));
}

TEST(RulesFacts, JsonHasTheFileItsProblemsAndEveryRow) {
  const Result result = FactsOf({"--name", "demo_impl.py", "--pack", "pypto", "--json"}, "def k(:\n");
  EXPECT_EQ(result.code, 0);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("path"), "demo_impl.py");
  EXPECT_EQ(json.at("language"), "python");
  EXPECT_EQ(json.at("role"), "impl");
  EXPECT_EQ(json.at("problems").at(0).at("line"), 1);
  EXPECT_EQ(json.at("facts").at(0).at("kind"), "file");
}

TEST(RulesFacts, RefusesWhatItCannotRead) {
  EXPECT_EQ(FactsOf({}, "x").code, 2);
  const Result kind = FactsOf({"--name", "a.py", "--kind", "cal"}, "x");
  EXPECT_EQ(kind.code, 2);
  EXPECT_THAT(kind.err, HasSubstr("did you mean \"call\"?"));
  EXPECT_EQ(RunWithShippedPacks({"rules", "facts", "/no/such/file.py"}).code, 2);
  EXPECT_THAT(FactsOf({"--name", "a.py", "--kind", "macro"}, "x = 1\n").out, IsEmpty());
}

}  // namespace
}  // namespace yardmaster::cli
