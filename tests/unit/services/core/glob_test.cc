#include "services/core/glob.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

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
  EXPECT_FALSE(MatchesGlob("a/**/b.py", "a/xb.py"));
  EXPECT_FALSE(MatchesGlob("a/**/test_*.py", "a/x/_test_b.py"));
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

// As the words of glob.h have it, and slow.
bool MatchesByTheBook(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return path.empty();
  if (pattern.starts_with("**/")) {
    if (MatchesByTheBook(pattern.substr(3), path)) return true;
    const size_t folder = path.find('/');
    return folder != std::string_view::npos && MatchesByTheBook(pattern, path.substr(folder + 1));
  }
  if (pattern.starts_with("**")) {
    if (MatchesByTheBook(pattern.substr(2), path)) return true;
    return !path.empty() && MatchesByTheBook(pattern, path.substr(1));
  }
  if (pattern.starts_with('*')) {
    if (MatchesByTheBook(pattern.substr(1), path)) return true;
    return !path.empty() && path[0] != '/' && MatchesByTheBook(pattern, path.substr(1));
  }
  if (path.empty() || (pattern[0] == '?' ? path[0] == '/' : pattern[0] != path[0])) return false;
  return MatchesByTheBook(pattern.substr(1), path.substr(1));
}

TEST(MatchesPath, IsAsByTheBookForEveryShortGlob) {
  const auto all = [](std::string_view letters, size_t most) {
    std::vector<std::string> words = {""};
    for (size_t begin = 0, length = 0; length < most; ++length) {
      const size_t end = words.size();
      for (; begin < end; ++begin) {
        for (const char c : letters) words.push_back(words[begin] + c);
      }
    }
    return words;
  };
  const std::vector<std::string> paths = all("a/b", 4);
  for (const std::string& glob : all("a/*?", 4)) {
    if (glob.find("***") != std::string::npos) continue;  // means nothing more than two
    for (const std::string& path : paths) {
      ASSERT_EQ(MatchesPath(glob, path), MatchesByTheBook(glob, path)) << glob << " " << path;
    }
  }
}

TEST(MatchesPath, AHostileGlobEnds) {
  std::string glob;
  for (int i = 0; i < 200; ++i) glob += "*a";
  EXPECT_FALSE(MatchesPath(glob, std::string(300, 'a') + "b"));
}

}  // namespace
}  // namespace yardmaster
