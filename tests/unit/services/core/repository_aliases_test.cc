#include "services/core/repository_aliases.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

TEST(RepositoryAliases, BothNamesAreKnownWhateverTheirCase) {
  RepositoryAliases aliases;
  EXPECT_TRUE(aliases.Note("github", "octo/Old", "octo/New"));
  EXPECT_FALSE(aliases.Note("github", "Octo/old", "octo/New"));
  EXPECT_EQ(aliases.ConfiguredName("github", "OCTO/new"), "Octo/old");
  EXPECT_EQ(aliases.CurrentName("github", "octo/old"), "octo/New");
  EXPECT_EQ(aliases.ConfiguredName("gitcode", "octo/new"), "");
  EXPECT_EQ(aliases.CurrentName("github", "octo/other"), "octo/other");
}

TEST(RepositoryAliases, OneThatIsCalledAsBeforeHasNoOtherName) {
  RepositoryAliases aliases;
  EXPECT_FALSE(aliases.Note("github", "octo/old", "Octo/Old"));
  aliases.Note("github", "octo/old", "octo/new");
  EXPECT_FALSE(aliases.Note("github", "octo/old", "octo/old"));
  EXPECT_EQ(aliases.ConfiguredName("github", "octo/new"), "");
}

}  // namespace
}  // namespace yardmaster
