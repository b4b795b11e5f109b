#include "clients/forge/pages.h"

#include <gtest/gtest.h>

#include "clients/forge/forge_error.h"
#include "clients/forge/limits.h"

namespace yardmaster {
namespace {

// Reads a list of pages; returns how many were asked for.
struct Reading {
  explicit Reading(std::vector<ForgePageInfo> pages, bool endless = false) {
    absl::StatusOr<bool> result = ReadForgePages([&](int page, const std::string&) -> absl::StatusOr<ForgePageInfo> {
      ++asked;
      if (endless) return ForgePageInfo{100, std::to_string(page), std::nullopt, {}};
      return pages.at(static_cast<size_t>(page) - 1);
    });
    complete = result.ok() && *result;
  }
  int asked = 0;
  bool complete = false;
};

TEST(ForgePages, AShortPageEnds) {
  const Reading r({{100, "1", std::nullopt, {}}, {7, "101", std::nullopt, {}}});
  EXPECT_EQ(r.asked, 2);
  EXPECT_TRUE(r.complete);
}

TEST(ForgePages, AnEmptyFirstPageIsAnEmptyList) {
  const Reading r({{0, "", std::nullopt, {}}});
  EXPECT_EQ(r.asked, 1);
  EXPECT_TRUE(r.complete);
}

TEST(ForgePages, AFullLastPageIsFollowedByAnEmptyOne) {
  const Reading r({{100, "1", std::nullopt, {}}, {0, "", std::nullopt, {}}});
  EXPECT_EQ(r.asked, 2);
  EXPECT_TRUE(r.complete);
}

TEST(ForgePages, WhatTheAnswerSaysGoesBeforeItsLength) {
  const Reading more({{30, "1", true, {}}, {30, "31", false, {}}});
  EXPECT_EQ(more.asked, 2);
  EXPECT_TRUE(more.complete);
  const Reading full({{100, "1", false, {}}});
  EXPECT_EQ(full.asked, 1);
  EXPECT_TRUE(full.complete);
}

TEST(ForgePages, AServerThatRepeatsAFullPageMayHideTheRest) {
  const Reading r({{100, "1", std::nullopt, {}}, {100, "1", std::nullopt, {}}});
  EXPECT_EQ(r.asked, 2);
  EXPECT_FALSE(r.complete);
}

TEST(ForgePages, AServerThatSendsEverythingOnEveryPageIsComplete) {
  const Reading r({{250, "1", std::nullopt, {}}, {250, "1", std::nullopt, {}}});
  EXPECT_EQ(r.asked, 2);
  EXPECT_TRUE(r.complete);
}

TEST(ForgePages, ListsWithoutEndStopAtTheLimitAndSaySo) {
  const Reading r({}, /*endless=*/true);
  EXPECT_EQ(r.asked, kMaxForgePages);
  EXPECT_FALSE(r.complete);
}

TEST(ForgePages, AnErrorEndsWithThatError) {
  const absl::StatusOr<bool> result = ReadForgePages([](int page, const std::string&) -> absl::StatusOr<ForgePageInfo> {
    if (page == 1) return ForgePageInfo{100, "1", std::nullopt, {}};
    return MakeForgeStatus({ForgeReason::kServer, ForgeOutcome::kUnknown, 502, std::nullopt}, "page 2");
  });
  EXPECT_EQ(result.status().message(), "page 2");
}

TEST(ForgePages, TheNextPageIsAskedForAsTheAnswerSays) {
  std::vector<std::string> queries;
  const absl::StatusOr<bool> result = ReadForgePages([&](int page, const std::string& query) {
    queries.push_back(query);
    return page < 3 ? ForgePageInfo{100, std::to_string(page), true, "after=" + std::to_string(page)}
                    : ForgePageInfo{1, "x", false, {}};
  });
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(*result);
  EXPECT_EQ(queries, (std::vector<std::string>{"", "after=1", "after=2"}));
}

}  // namespace
}  // namespace yardmaster
