#include "clients/forges/shipped_forges.h"

#include <gtest/gtest.h>

#include <string>

#include "services/core/public_forges.h"

namespace yardmaster {
namespace {

TEST(ShippedForges, EachHasItsPublicHost) {
  for (const PublicForge& forge : kPublicForges) {
    const ForgeProfile* profile = FindForge(ShippedForges(), forge.name);
    ASSERT_NE(profile, nullptr) << forge.name;
    EXPECT_EQ(PublicGitUrl(std::string(forge.name) + ":o/r"), std::string(profile->git_url) + "/o/r.git");
  }
  EXPECT_EQ(ShippedForges().size(), std::size(kPublicForges));
  EXPECT_EQ(PublicGitUrl("elsewhere:o/r"), "");
  EXPECT_EQ(PublicGitUrl("github"), "");
}

}  // namespace
}  // namespace yardmaster
