// Suites that the pages and the help of `yard test run` name are there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "re2/re2.h"
#include "rules/engine/suites/load_suites.h"
#include "tests/support/source_path.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(SuiteNames, WhatPagesAndHelpNameIsThere) {
  Problems problems;
  const rules::PackFiles files = rules::ReadPackFiles(testing::SourcePath("rules/packs"), problems);
  std::set<std::string> known = {"SUITE"};
  for (const std::string& pack : rules::PackNames(files)) {
    const auto set = rules::LoadSuites(files, pack, problems);
    ASSERT_NE(set, nullptr) << pack;
    for (const rules::SuiteModel& suite : set->suites) {
      known.insert(suite.id);
      known.insert(suite.pack + "/" + suite.id);
    }
  }
  std::vector<fs::path> pages = {testing::SourcePath("README.md"), testing::SourcePath("rules/suites.md"),
                                 testing::SourcePath("clients/cli/verb_test_run.cc")};
  for (const char* folder : {"deploy", "services"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(testing::SourcePath(folder))) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  size_t named = 0;
  for (const fs::path& page : pages) {
    const std::string text = TextOf(page);
    re2::StringPiece rest(text);
    std::string suite;
    static const RE2 kNamed(R"(yard test run ([A-Za-z][\w-]*(?:/[\w-]+)?))");
    while (RE2::FindAndConsume(&rest, kNamed, &suite)) {
      ++named;
      // Suites that a reader is told to write are the reader's.
      if (suite == "mine" || suite == "my-suite" || suite == "PACK/ID" || suite.starts_with("my-pack/")) continue;
      EXPECT_TRUE(known.contains(suite)) << page << " names the suite " << suite;
    }
  }
  EXPECT_GT(named, 10u);
}

}  // namespace
}  // namespace yardmaster::cli
