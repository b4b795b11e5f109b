#include "clients/git/git_server.h"

#include <gtest/gtest.h>

#include "clients/forges/shipped_forges.h"

namespace yardmaster {
namespace {

std::string UrlOf(const std::string& forge, const std::string& api, const std::string& git = "") {
  ForgeConfig config;
  config.name = forge;
  config.profile = FindForge(ShippedForges(), forge);
  config.api_url = api;
  config.git_url = git;
  const std::optional<GitServer> server = GitServerOf(config);
  return server.has_value() ? server->user + " " + RepositoryUrl(*server, "o/r") : "";
}

TEST(GitServer, IsTheConfiguredOneOrBelongsToTheApi) {
  EXPECT_EQ(UrlOf("github", "https://api.github.com"), "x-access-token https://github.com/o/r.git");
  EXPECT_EQ(UrlOf("gitcode", "https://api.gitcode.com/api/v5"), "oauth2 https://gitcode.com/o/r.git");
  EXPECT_EQ(UrlOf("github", "https://ghe.example:8443/api/v3"), "x-access-token https://ghe.example:8443/o/r.git");
  EXPECT_EQ(UrlOf("github", "https://api.github.com", "https://mirror.example/git"),
            "x-access-token https://mirror.example/git/o/r.git");
  EXPECT_EQ(UrlOf("gitcode", "http://127.0.0.1:9", ""), "oauth2 http://127.0.0.1:9/o/r.git");
}

TEST(GitServer, WhatIsNotReachedSafelyByHttpIsNone) {
  EXPECT_EQ(UrlOf("github", "https://api.github.com", "ssh://github.com"), "");
  EXPECT_EQ(UrlOf("github", "https://api.github.com", "http://github.com"), "");
  EXPECT_EQ(UrlOf("github", "https://api.github.com", "https://user:secret@github.com"), "");
}

}  // namespace
}  // namespace yardmaster
