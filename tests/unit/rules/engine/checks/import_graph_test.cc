#include "rules/engine/checks/import_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rules/engine/checks/review.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A tree of texts, the same on both sides.
class TextTree : public ReviewTree {
 public:
  explicit TextTree(const std::map<std::string, std::string>& files) : files_(files) {
    for (const auto& [path, text] : files) paths_.push_back(path);
  }
  const std::vector<std::string>& Paths(TreeSide /*side*/) override { return paths_; }
  std::optional<std::string> Read(TreeSide /*side*/, const std::string& path) override {
    read_.push_back(path);
    const auto it = files_.find(path);
    return it == files_.end() ? std::nullopt : std::optional(it->second);
  }
  const std::vector<std::string>& read() const { return read_; }

 private:
  std::map<std::string, std::string> files_;
  std::vector<std::string> paths_;
  std::vector<std::string> read_;
};

// The files that are run for each row of the kind, over a tree of which one file is reviewed.
std::vector<std::string> Loaded(const std::string& each, const std::string& reviewed,
                                const std::map<std::string, std::string>& files, TextTree* tree = nullptr) {
  Problems problems;
  const auto set = LoadChecks({{"p/pack.json", R"({"name": "p", "title": "test"})"},
                               {"p/checks/a.json", R"({"checks": [{"id": "C1", "title": "t", "severity": "MAJOR",
      "good": ["x = 1"], "bad": ["x = 1"], "each": ")" +
                                                       each +
                                                       R"(", "let": {"all": {"list":
      {"each": "file", "loaded_by": "row"}, "field": "path"}}, "message": "{all}"}]})"}},
                              "p", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  if (set == nullptr) return {};
  TextTree own(files);
  ReviewFile file;
  file.path = reviewed;
  file.text = files.at(reviewed);
  ReviewOptions options;
  options.tree = tree == nullptr ? &own : tree;
  std::vector<std::string> out;
  for (const Finding& finding : Review(*set, {file}, options).findings) out.push_back(finding.message);
  return out;
}

TEST(ImportGraph, AFileIsRunWithThePackagesAroundItAndWhatTheyImport) {
  EXPECT_THAT(Loaded("file", "a/b/c.py",
                     {{"a/__init__.py", "from .x import y\n"},
                      {"a/b/__init__.py", ""},
                      {"a/b/c.py", "import a.d\n"},
                      {"a/d.py", ""},
                      {"a/e.py", ""},
                      {"a/x.py", ""}}),
              ElementsAre("a/__init__.py, a/b/__init__.py, a/b/c.py, a/d.py, a/x.py"));
}

TEST(ImportGraph, OnlyImportsThatCertainlyRunAreFollowed) {
  EXPECT_THAT(Loaded("file", "m.py",
                     {{"m.py",
                       "from typing import TYPE_CHECKING\n"
                       "try:\n  import a\nexcept ImportError:\n  import b\n"
                       "if x:\n  import c\n"
                       "if TYPE_CHECKING:\n  import d\n"
                       "def f():\n  import e\n"
                       "class C:\n  import g\n"},
                      {"a.py", ""},
                      {"b.py", ""},
                      {"c.py", ""},
                      {"d.py", ""},
                      {"e.py", ""},
                      {"g.py", ""}}),
              ElementsAre("g.py, m.py"));
}

TEST(ImportGraph, AnImportNamesAModuleOrAPartOfAPackage) {
  const std::map<std::string, std::string> files = {{"a/__init__.py", ""},
                                                    {"a/b.py", "from . import c\n"},
                                                    {"a/c/__init__.py", "from ..d import x\n"},
                                                    {"a/d.py", ""}};
  const auto with = [&](const std::string& statement) {
    std::map<std::string, std::string> all = files;
    all["m.py"] = statement;
    return Loaded("import", "m.py", all);
  };
  EXPECT_THAT(with("import a.d\n"), ElementsAre("a/__init__.py, a/d.py"));
  EXPECT_THAT(with("from a import d\n"), ElementsAre("a/__init__.py, a/d.py"));
  EXPECT_THAT(with("from a.b import c\n"), ElementsAre("a/__init__.py, a/b.py, a/c/__init__.py, a/d.py"));
  EXPECT_THAT(with("from a.d import value\n"), ElementsAre("a/__init__.py, a/d.py"));
  EXPECT_THAT(with("import os\n"), ElementsAre(""));
  EXPECT_THAT(with("from .... import a\n"), ElementsAre("a/__init__.py"));
}

TEST(ImportGraph, APackageIsFoundBelowAFolderOfSources) {
  EXPECT_THAT(Loaded("import", "tests/test_a.py",
                     {{"src/a/__init__.py", ""},
                      {"src/a/b.py", ""},
                      {"vendor/deep/a/__init__.py", ""},
                      {"tests/test_a.py", "from a.b import c\n"}}),
              ElementsAre("src/a/__init__.py, src/a/b.py"));
}

TEST(ImportGraph, CirclesEnd) {
  EXPECT_THAT(Loaded("file", "a.py", {{"a.py", "import b\n"}, {"b.py", "import a\nimport b\n"}}),
              ElementsAre("a.py, b.py"));
}

TEST(ImportGraph, OnlyWhatIsFollowedIsReadAndOnce) {
  const std::map<std::string, std::string> files = {
      {"a.py", "import b\nimport b\nimport b as c\n"}, {"b.py", ""}, {"d.py", ""}};
  TextTree tree(files);
  Loaded("import", "a.py", files, &tree);
  EXPECT_THAT(tree.read(), ElementsAre("b.py"));
}

TEST(ImportGraph, GoesWithNoScopeAndNoGlob) {
  const auto problems_of = [](const std::string& query) {
    Problems problems;
    EXPECT_EQ(
        LoadChecks({{"p/pack.json", R"({"name": "p", "title": "test"})"},
                    {"p/checks/a.json", R"({"checks": [{"id": "C1", "title": "t", "severity": "MAJOR", "good": ["x"],
        "bad": ["x"], "message": "m", "each": "import", "where": {"exists": {"each": "file", "loaded_by": "row", )" +
                                            query + "}}}]}"}},
                   "p", problems),
        nullptr);
    return problems.empty() ? std::string() : problems.front().ToString();
  };
  EXPECT_THAT(problems_of(R"("scope": "file")"), HasSubstr("go with the scope files only"));
  EXPECT_THAT(problems_of(R"("tree": "**")"), HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace yardmaster::rules
