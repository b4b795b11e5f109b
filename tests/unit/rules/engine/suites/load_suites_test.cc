#include "rules/engine/suites/load_suites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/rules/engine/suites/suite_texts.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Suite(const std::string& id, const std::string& title, const std::string& more = "") {
  return R"({"id": ")" + id + R"(", "title": ")" + title + R"(", "source": {"own": "x"}, )" + more +
         R"("layers": [{"id": "l", "kind": "smoke", "steps": [{"id": "s", "shell": "true"}]}]})";
}

std::string Signature(const std::string& id, int priority, const std::string& title = "T") {
  return R"({"id": ")" + id + R"(", "title": ")" + title + R"(", "class": "code", "patterns": ["x"], "priority": )" +
         std::to_string(priority) + "}";
}

// A pack, the one that it extends, and one beside them whose signatures everybody has.
PackFiles Files() {
  PackFiles files;
  files["common/pack.json"] = R"({"name": "common", "title": "C"})";
  files["common/signatures.json"] = R"({"signatures": [)" + Signature("c", 50) + "," + Signature("both", 50) + "]}";
  files["common/suites/shared.json"] = R"({"suites": [)" + Suite("shared", "S") + "]}";
  files["base/pack.json"] = R"({"name": "base", "title": "B"})";
  files["base/suites/b.json"] = R"({"suites": [)" + Suite("one", "base") + "," + Suite("two", "base") + "]}";
  files["base/signatures.json"] = R"({"signatures": [)" + Signature("b", 50) + "]}";
  files["base/recipes.json"] = R"({"recipes": [
    {"id": "mend", "title": "M", "symptoms": ["broken"], "cause": "C", "steps": ["do"], "apply": {"unset": ["X"]}},
    {"id": "ask", "title": "A", "symptoms": ["broken"], "cause": "C", "steps": ["do"]}]})";
  files["top/pack.json"] = R"({"name": "top", "title": "T", "extends": "base"})";
  files["top/suites/t.json"] = R"({"suites": [)" + Suite("two", "top", R"("recipes": ["mend"], )") + "]}";
  files["top/signatures.json"] =
      R"({"signatures": [)" + Signature("t", 50) + "," + Signature("first", 10) + "," + Signature("both", 60) + "]}";
  return files;
}

std::vector<std::string> Told(const PackFiles& files, std::string_view pack) {
  Problems problems;
  const bool loaded = LoadSuites(files, pack, problems) != nullptr;
  EXPECT_EQ(loaded, problems.empty());
  std::vector<std::string> texts;
  texts.reserve(problems.size());
  for (const Problem& problem : problems) texts.push_back(problem.ToString());
  return texts;
}

TEST(LoadSuites, APackHasItsOwnAndWhatItInherits) {
  Problems problems;
  const auto set = LoadSuites(Files(), "top", problems);
  ASSERT_NE(set, nullptr) << problems[0].ToString();
  EXPECT_EQ(set->pack, "top");
  std::vector<std::string> suites;
  suites.reserve(set->suites.size());
  for (const SuiteModel& suite : set->suites) suites.push_back(suite.pack + "/" + suite.id + " " + suite.title);
  EXPECT_THAT(suites, ElementsAre("base/one base", "top/two top"));
}

TEST(LoadSuites, SignaturesOfCommonAreAlwaysAmongThemByPriority) {
  Problems problems;
  const auto set = LoadSuites(Files(), "top", problems);
  ASSERT_NE(set, nullptr);
  std::vector<std::string> ids;
  ids.reserve(set->signatures.size());
  for (const FailureSignature& signature : set->signatures) ids.push_back(signature.id);
  // The same priority: the pack's own first, then what it inherits, then those of common.
  EXPECT_THAT(ids, ElementsAre("first", "t", "b", "c", "both"));
  EXPECT_EQ(set->signatures.back().priority, 60);
  EXPECT_EQ(set->recipes.size(), 2u);
}

TEST(LoadSuites, APackWithoutAnythingHasTheSignaturesOfCommon) {
  PackFiles files = Files();
  files["bare/pack.json"] = R"({"name": "bare", "title": "B"})";
  Problems problems;
  const auto set = LoadSuites(files, "bare", problems);
  ASSERT_NE(set, nullptr);
  EXPECT_THAT(set->suites, IsEmpty());
  EXPECT_EQ(set->signatures.size(), 2u);
}

TEST(LoadSuites, ALoaderForManyPacksTellsTheProblemsOfASharedFileToEach) {
  PackFiles files = Files();
  SuiteLoader good(files);
  for (const char* pack : {"top", "base"}) {
    Problems problems;
    ASSERT_NE(good.Load(pack, problems), nullptr) << problems[0].ToString();
  }
  files["common/signatures.json"] = R"({"signatures": 3})";
  SuiteLoader bad(files);
  for (const char* pack : {"top", "base"}) {
    Problems problems;
    EXPECT_EQ(bad.Load(pack, problems), nullptr);
    ASSERT_EQ(problems.size(), 1u) << pack;
    EXPECT_EQ(problems[0].file, "common/signatures.json");
  }
}

TEST(OwnSuites, AreThoseOfThePackAloneAndNoOtherFileIsRead) {
  PackFiles files = Files();
  files["base/signatures.json"] = "{";
  Problems problems;
  const auto own = OwnSuites(files, "top", problems);
  ASSERT_TRUE(own.has_value()) << problems[0].ToString();
  ASSERT_EQ(own->size(), 1u);
  EXPECT_EQ(own->front().id, "two");
  EXPECT_EQ(own->front().pack, "top");
  files["top/suites/t.json"] = R"({"suites": [{}]})";
  EXPECT_FALSE(OwnSuites(files, "top", problems).has_value());
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].file, "top/suites/t.json");
}

TEST(LoadSuites, APackThatIsNotThereIsAProblem) {
  EXPECT_THAT(Told(Files(), "nothing"), ElementsAre("nothing/pack.json: missing file; every pack has one"));
  PackFiles files = Files();
  files.erase("base/pack.json");
  EXPECT_THAT(Told(files, "top"), ::testing::Contains("base/pack.json: missing file; every pack has one"));
}

TEST(LoadSuites, TheSameIdTwiceInAPackNamesBothPlaces) {
  PackFiles files = Files();
  files["base/suites/c.json"] = "{\"suites\": [\n" + Suite("one", "again") + "]}";
  EXPECT_THAT(Told(files, "base"),
              ElementsAre("base/suites/c.json:2:8: /suites/0/id: the suite \"one\" is there already: "
                          "base/suites/b.json:1; expected each once in a pack"));
}

TEST(LoadSuites, ARecipeMustBeThereAndApplicable) {
  PackFiles files = Files();
  files["top/suites/t.json"] = R"({"suites": [)" + Suite("two", "top", R"("recipes": ["mends", "ask"], )") + "]}";
  EXPECT_THAT(
      Told(files, "top"),
      ElementsAre(HasSubstr("/suites/0/recipes/0: expected a recipe of this pack or of those that it extends, got "
                            "\"mends\"; did you mean \"mend\"?"),
                  HasSubstr("the recipe \"ask\" is for people; expected one with \"apply\"")));
}

TEST(LoadSuites, EveryProblemOfEveryFileIsTold) {
  PackFiles files = Files();
  files["base/recipes.json"] = R"({"recipes": [
    {"id": "mend", "title": "M", "symptoms": ["(broken"], "cause": "C", "steps": ["do"],
     "apply": {"variables": {"X": "${OUT}"}, "unset": ["1"], "scripts": ["${X}"], "run": ["${Y}", ["${Z}"]]}}]})";
  files["base/signatures.json"] =
      R"({"signatures": [{"id": "b", "title": "T", "class": "code", "patterns": ["[", "x?"], "priority": 1}]})";
  files["top/suites/t.json"] = R"({"suites": [{"id": 7}]})";
  const std::vector<std::string> told = Told(files, "top");
  for (const char* text :
       {"top/suites/t.json:1:20: /suites/0/id: expected a string", "/recipes/0/symptoms/0: not a pattern",
        "/apply/variables/X: unknown placeholder", "/apply/unset/0: expected the name", "/apply/scripts/0: unknown",
        "/apply/run/0: unknown", "/apply/run/1/0: unknown", "/signatures/0/patterns/0: not a pattern",
        "/signatures/0/patterns/1: the pattern \"x?\" matches an empty line"}) {
    EXPECT_THAT(told, ::testing::Contains(HasSubstr(text)));
  }
}

TEST(LoadSuites, OneBadFileOfAnotherPackDoesNotMatter) {
  PackFiles files = Files();
  files["top/suites/t.json"] = "{";
  EXPECT_THAT(Told(files, "base"), IsEmpty());
}

TEST(LoadSuiteManifest, HoldsOneSuite) {
  Problems problems;
  const std::string two = R"({"suites": [)" + Suite("one", "O") + "," + Suite("two", "T") + "]}";
  EXPECT_EQ(LoadSuiteManifest("f.json", two, "", problems), nullptr);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].ToString(), "f.json: /suites: expected one suite in the file, got 2");
}

TEST(LoadSuiteManifest, BytesThatAreNoManifestAreProblems) {
  for (const std::string& bytes : {std::string(), std::string("{}"), std::string("[]"), std::string("{\"suites\": []}"),
                                   std::string("\xff"), std::string(64, '[')}) {
    Problems problems;
    EXPECT_EQ(LoadSuiteManifest("f.json", bytes, "", problems), nullptr) << bytes;
    EXPECT_FALSE(problems.empty()) << bytes;
  }
}

TEST(LoadSuiteManifest, ATooLargeFileIsRefused) {
  Problems problems;
  EXPECT_EQ(LoadSuiteManifest("f.json", std::string(2 << 20, ' '), "", problems), nullptr);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].message, HasSubstr("1048576"));
}

}  // namespace
}  // namespace yardmaster::rules
