#include "services/core/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

TEST(MatchesGlob, FoldersAndNames) {
  EXPECT_TRUE(MatchesGlob("**/*.py", "a.py"));
  EXPECT_TRUE(MatchesGlob("**/*.py", "x/y/a.py"));
  EXPECT_TRUE(MatchesGlob("src/**", "src/x/y"));
  EXPECT_FALSE(MatchesGlob("src/*.py", "src/x/a.py"));
  EXPECT_TRUE(MatchesGlob("*_impl.py", "deep/x_impl.py"));
  EXPECT_TRUE(MatchesGlob("a/**/b.py", "a/b.py"));
  EXPECT_TRUE(MatchesGlob("a/**/b.py", "a/x/y/b.py"));
  EXPECT_FALSE(MatchesGlob("a/**/b.py", "c/b.py"));
}

TEST(MatchesPath, AStarStaysInItsFolderAndTwoGoThroughAny) {
  EXPECT_TRUE(MatchesPath("*.json", "result.json"));
  EXPECT_FALSE(MatchesPath("*.json", "deep/result.json"));
  EXPECT_TRUE(MatchesPath("**/*.json", "result.json"));
  EXPECT_TRUE(MatchesPath("**/*.json", "a/b/result.json"));
  EXPECT_TRUE(MatchesPath("logs/**", "logs/a/b.txt"));
  EXPECT_FALSE(MatchesPath("logs/**", "logs"));
  EXPECT_TRUE(MatchesPath("**", "a/b.txt"));
  EXPECT_TRUE(MatchesPath("**.json", "a/b.json"));
  EXPECT_TRUE(MatchesPath("trace?.txt", "trace1.txt"));
  EXPECT_FALSE(MatchesPath("trace?.txt", "trace/.txt"));
  EXPECT_FALSE(MatchesPath("a", "ab"));
  EXPECT_FALSE(MatchesPath("", "a"));
}

TEST(MatchesPath, AHostileGlobEnds) {
  std::string glob;
  for (int i = 0; i < 200; ++i) glob += "*a";
  EXPECT_FALSE(MatchesPath(glob, std::string(300, 'a') + "b"));
}

}  // namespace
}  // namespace yardmaster
