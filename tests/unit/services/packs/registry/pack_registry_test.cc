#include "services/packs/registry/pack_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "services/packs/registry/shadow_packs.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kPackA[] = R"({"name": "a", "title": "Pack A"})";
constexpr char kPackB[] = R"({"name": "b", "title": "Pack B"})";

class PackRegistryTest : public ::testing::Test {
 protected:
  PackRegistryTest() { dir_.Write("a/pack.json", kPackA); }
  testing::TempDir dir_;
  Problems problems_;
};

TEST_F(PackRegistryTest, OpensAllPacksOfTheFolder) {
  dir_.Write("b/pack.json", kPackB);
  const auto registry = PackRegistry::Open(dir_.path(), problems_);
  ASSERT_NE(registry, nullptr) << problems_.size();
  const auto packs = registry->Current();
  EXPECT_THAT(packs->packs(), SizeIs(2));
  ASSERT_NE(packs->Find("a"), nullptr);
  EXPECT_EQ(packs->Find("a")->model().title, "Pack A");
  EXPECT_EQ(packs->Find("c"), nullptr);
  EXPECT_THAT(registry->LastReloadProblems(), IsEmpty());
}

TEST_F(PackRegistryTest, ABadPackStopsTheStartWithAllProblems) {
  dir_.Write("b/pack.json", R"({"name": "b", "titel": "x"})");
  dir_.Write("c/pack.json", "{");
  EXPECT_EQ(PackRegistry::Open(dir_.path(), problems_), nullptr);
  bool b = false;
  bool c = false;
  for (const Problem& problem : problems_) {
    b |= problem.file.find("b/pack.json") != std::string::npos;
    c |= problem.file.find("c/pack.json") != std::string::npos;
  }
  EXPECT_TRUE(b && c);
}

TEST_F(PackRegistryTest, AnEmptyOrMissingFolderIsAProblem) {
  testing::TempDir empty;
  EXPECT_EQ(PackRegistry::Open(empty.path(), problems_), nullptr);
  EXPECT_THAT(problems_, Not(IsEmpty()));
  problems_.clear();
  EXPECT_EQ(PackRegistry::Open(empty.path() / "none", problems_), nullptr);
  EXPECT_THAT(problems_, Not(IsEmpty()));
}

TEST_F(PackRegistryTest, AShadowStandsBesideThePacksAndIsReadWithThem) {
  dir_.Write("b/pack.json", kPackB);
  testing::TempDir next;
  next.Write("a/pack.json", R"({"name": "a", "title": "Next"})");
  Config config;
  config.file = "yardmaster.json";
  RepositoryConfig& repository = config.repositories.emplace_back();
  repository.forge = "github";
  repository.repository = "octo/repo";
  repository.packs = {"a"};
  repository.shadow = ShadowConfig{"a", next.path() / "a", "/repositories/0/shadow", 7};
  const auto registry = PackRegistry::Open(dir_.path(), problems_, ShadowsOf(config));
  ASSERT_NE(registry, nullptr) << problems_.front().ToString();
  const auto packs = registry->Current();
  EXPECT_EQ(packs->Find("a")->model().title, "Pack A");
  const auto shadow = ShadowFor(config, *packs, "github", "octo/repo", "a");
  ASSERT_NE(shadow, nullptr);
  EXPECT_EQ(shadow->Find("a")->model().title, "Next");
  EXPECT_EQ(shadow->Find("b"), packs->Find("b")) << "what is the same is held once";
  EXPECT_EQ(ShadowFor(config, *packs, "github", "octo/repo", "b"), nullptr);
  EXPECT_EQ(ShadowFor(config, *packs, "github", "octo/other", "a"), nullptr);

  // One that can't be used is a problem of the configuration, and changes nothing.
  next.Write("a/pack.json", R"({"name": "a", "titel": "x"})");
  const Problems problems = registry->Reload();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].file, "yardmaster.json");
  EXPECT_EQ(problems[0].pointer, "/repositories/0/shadow");
  EXPECT_EQ(problems[0].line, 7U);
  EXPECT_NE(problems[0].message.find((next.path() / "a" / "pack.json").string()), std::string::npos);
  EXPECT_EQ(registry->Current(), packs);

  // The same revision has nothing to say.
  next.Write("a/pack.json", kPackA);
  EXPECT_THAT(registry->Reload(), IsEmpty());
  EXPECT_EQ(ShadowFor(config, *registry->Current(), "github", "octo/repo", "a"), nullptr);
}

TEST_F(PackRegistryTest, AReloadSwapsAndWhoHoldsOldPacksKeepsThem) {
  const auto registry = PackRegistry::Open(dir_.path(), problems_);
  ASSERT_NE(registry, nullptr);
  const auto old = registry->Current();
  dir_.Write("a/pack.json", R"({"name": "a", "title": "Changed"})");
  dir_.Write("b/pack.json", kPackB);
  EXPECT_THAT(registry->Reload(), IsEmpty());
  EXPECT_EQ(registry->Current()->Find("a")->model().title, "Changed");
  EXPECT_NE(registry->Current()->Find("b"), nullptr);
  EXPECT_EQ(old->Find("a")->model().title, "Pack A");
  EXPECT_EQ(old->Find("b"), nullptr);
}

TEST_F(PackRegistryTest, ABadReloadKeepsAllOldPacksAndIsToldToTheListener) {
  const auto registry = PackRegistry::Open(dir_.path(), problems_);
  ASSERT_NE(registry, nullptr);
  int told = 0;
  size_t told_problems = 0;
  registry->SetReloadListener([&](const Problems& problems, const PackSet& in_service) {
    ++told;
    told_problems = problems.size();
    EXPECT_NE(in_service.Find("a"), nullptr);
  });
  const auto before = registry->Current();
  dir_.Write("a/pack.json", R"({"name": "a", "title": "Good again"})");
  dir_.Write("b/pack.json", "{ bad");
  const Problems problems = registry->Reload();
  EXPECT_THAT(problems, Not(IsEmpty()));
  EXPECT_EQ(registry->LastReloadProblems(), problems);
  EXPECT_EQ(registry->Current(), before) << "not even the good pack was swapped";
  EXPECT_EQ(told, 1);
  EXPECT_EQ(told_problems, problems.size());

  dir_.Write("b/pack.json", kPackB);
  EXPECT_THAT(registry->Reload(), IsEmpty());
  EXPECT_THAT(registry->LastReloadProblems(), IsEmpty());
  EXPECT_EQ(registry->Current()->Find("a")->model().title, "Good again");
  EXPECT_EQ(told, 2);
}

TEST_F(PackRegistryTest, ReadersNeverSeeAnythingButWholeSets) {
  const auto registry = PackRegistry::Open(dir_.path(), problems_);
  ASSERT_NE(registry, nullptr);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) {
      const auto packs = registry->Current();
      ASSERT_NE(packs->Find("a"), nullptr);
    }
  });
  for (int i = 0; i < 20; ++i) registry->Reload();
  done = true;
  reader.join();
}

}  // namespace
}  // namespace yardmaster
