#include "services/core/repository_name.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

TEST(RepositoryNameTest, ANameHasTwoPartsThatChangeNoPath) {
  EXPECT_TRUE(IsRepositoryName("octo/frame.py_2-x"));
  for (const char* bad :
       {"", "octo", "octo/", "/frame", "octo/..", "./frame", "octo/frame/more", "octo/fr ame", "octo/*"}) {
    EXPECT_FALSE(IsRepositoryName(bad)) << bad;
  }
  EXPECT_TRUE(IsNamePart(std::string(128, 'a')));
  EXPECT_FALSE(IsNamePart(std::string(129, 'a')));
}

TEST(RepositoryNameTest, APatternCoversOneRepositoryOrAllOfAnOwner) {
  EXPECT_TRUE(IsRepositoryPattern("octo/*"));
  EXPECT_FALSE(IsRepositoryPattern("*/*"));
  EXPECT_TRUE(RepositoryMatches("octo/*", "Octo/Frame"));
  EXPECT_TRUE(RepositoryMatches("octo/frame", "Octo/Frame"));
  EXPECT_FALSE(RepositoryMatches("octo/*", "octo/"));
  EXPECT_FALSE(RepositoryMatches("octo/*", "octopus/frame"));
  EXPECT_FALSE(RepositoryMatches("octo/*", "octo/frame/more"));
}

TEST(RepositoryNameTest, AQualifiedNameSaysTheForgeToo) {
  EXPECT_EQ(QualifiedName("github", "octo/frame"), "github:octo/frame");
}

}  // namespace
}  // namespace yardmaster
