#include "services/intake/webhooks/webhook_scope.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace yardmaster {
namespace {

constexpr PayloadMember kPath{"repository", "full_name"};

ScanResult Scan(std::string_view body) { return FindMember(body, kPath); }

TEST(FindRepository, NameIsFoundBehindNestedValuesAndStringsWithQuotes) {
  const ScanResult result = Scan(
      R"( {"action":"opened","issue":{"title":"a \" } ] , \\","n":[1,{"x":null}],"repository":{"full_name":"not/this"}},)"
      R"("repository":{"id":1,"owner":{"full_name":"nor/this","login":"o"},"full_name":"octo/repo"},"sender":)");
  EXPECT_EQ(result.state, ScanState::kFound);
  EXPECT_EQ(result.text, "octo/repo");
}

TEST(FindRepository, EscapedKeysAndNamesAreDecoded) {
  const ScanResult result = Scan(R"({"\u0072epository":{"full\u005fname":"octo\/re\u0070o"}})");
  EXPECT_EQ(result.state, ScanState::kFound);
  EXPECT_EQ(result.text, "octo/repo");
}

TEST(FindRepository, AbsentWhereItIsNotWhereItBelongs) {
  for (const char* body :
       {R"({})", R"({"repository":null})", R"({"repository":{}})", R"({"repository":{"full_name":null}})",
        R"({"repository":{"full_name":7,"x":"octo/repo"}})", R"({"repository":{"full_name":{"full_name":"a/b"}}})",
        R"({"repository":["full_name","a/b"]})", R"({"repository":"a/b","full_name":"a/b"})",
        R"({"a":["repository",{"full_name":"a/b"}]})", R"({"full_name":"a/b"})", R"({"a":{"repository":"full_name"}})",
        R"({"repository":{"full_name":""}})"}) {
    EXPECT_EQ(Scan(body).state, ScanState::kAbsent) << body;
  }
}

TEST(FindRepository, ValueThatSpellsAKeyIsNoKey) {
  EXPECT_EQ(Scan(R"({"x":"repository","repository":{"y":"full_name","full_name":"a/b"}})").text, "a/b");
}

TEST(FindRepository, BrokenStructureIsNotJson) {
  for (const char* body : {"", "  ", "[]", "null", "repository", R"(["repository"])", R"({"a":)", R"({"a)",
                           R"({"a":[}})", R"({"a":1)", "\xff{"}) {
    EXPECT_EQ(Scan(body).state, ScanState::kNotJson) << body;
  }
}

TEST(FindRepository, DepthIsLimited) {
  const auto nested = [](size_t depth) {
    return R"({"a":)" + std::string(depth, '[') + std::string(depth, ']') + R"(,"repository":{"full_name":"a/b"}})";
  };
  EXPECT_EQ(Scan(nested(kMaxScanDepth - 1)).state, ScanState::kFound);
  EXPECT_EQ(Scan(nested(kMaxScanDepth)).state, ScanState::kNotJson);
  EXPECT_EQ(Scan(R"({"a":)" + std::string(1'000'000, '[')).state, ScanState::kNotJson);
}

TEST(FindRepository, LongRunsOfBackslashesTakeLinearTime) {
  std::string body = R"({"a":")";
  for (int i = 0; i < 2'000'000; ++i) body += "\\\\\\\"";
  body += R"(","repository":{"full_name":"a/b"}})";
  EXPECT_EQ(Scan(body).text, "a/b");
}

TEST(FindRepository, AgreesWithAParserOnRandomDocuments) {
  std::mt19937 random(7);
  const auto value = [&](auto&& self, int depth) -> nlohmann::json {
    const char* words[] = {"repository", "full_name", "a\"b", "\\", "x/y", "\n{[", "日本"};
    switch (random() % (depth > 3 ? 4 : 6)) {
      case 0:
        return words[random() % 7];
      case 1:
        return random() % 100;
      case 2:
        return nullptr;
      case 3:
        return words[random() % 7];
      case 4: {
        nlohmann::json array = nlohmann::json::array();
        for (unsigned i = random() % 4; i > 0; --i) array.push_back(self(self, depth + 1));
        return array;
      }
      default: {
        nlohmann::json object = nlohmann::json::object();
        for (unsigned i = random() % 5; i > 0; --i) object[words[random() % 7]] = self(self, depth + 1);
        return object;
      }
    }
  };
  int found = 0;
  for (int i = 0; i < 20'000; ++i) {
    nlohmann::json document = nlohmann::json::object();
    document["b"] = value(value, 1);
    document["repository"] = value(value, 1);
    const std::string text = document.dump();
    const ScanResult result = Scan(text);
    const auto& repository = document["repository"];
    const bool there =
        repository.is_object() && repository.contains("full_name") && repository["full_name"].is_string();
    const std::string name = there ? repository["full_name"].get<std::string>() : "";
    // Names with escapes or characters outside ASCII are none; the router refuses them as well.
    const bool plain = there && name.find('\n') == std::string::npos;
    if (plain) {
      ++found;
      EXPECT_EQ(result.state, ScanState::kFound) << text;
      EXPECT_EQ(result.text, name) << text;
    } else {
      EXPECT_EQ(result.state, ScanState::kAbsent) << text;
    }
  }
  EXPECT_GT(found, 100);
}

TEST(InScope, AnyMatchedSecretIsEnough) {
  const std::vector<WebhookSecret> secrets = {
      {Secret("a"), {"octo/*"}}, {Secret("a"), {"other/one"}}, {Secret("b"), {}}};
  EXPECT_TRUE(InScope("octo/repo", {0}, secrets));
  EXPECT_TRUE(InScope("Octo/Repo", {0}, secrets));
  EXPECT_FALSE(InScope("octopus/repo", {0}, secrets));
  EXPECT_FALSE(InScope("other/two", {0, 1}, secrets));
  EXPECT_TRUE(InScope("other/one", {0, 1}, secrets));
  EXPECT_TRUE(InScope("any/thing", {2}, secrets));
  EXPECT_FALSE(InScope("octo/repo", {}, secrets));
  EXPECT_FALSE(AnyUnlimited({0, 1}, secrets));
  EXPECT_TRUE(AnyUnlimited({0, 2}, secrets));
}

TEST(WebhookScope, MembersOfTheBodyItselfAreFoundToo) {
  const PayloadMember uuid{"", "uuid"};
  EXPECT_EQ(FindMember(R"({"project":{"uuid":"inner"},"list":["uuid"],"uuid":"4_abc"})", uuid).text, "4_abc");
  EXPECT_EQ(FindMember(R"({"uuid":7})", uuid).state, ScanState::kAbsent);
  EXPECT_EQ(FindMember(R"({"uuid":{"uuid":"a"}})", uuid).state, ScanState::kAbsent);
  EXPECT_EQ(FindMember(R"({"project":{}})", uuid).state, ScanState::kAbsent);
  EXPECT_EQ(FindMember(R"({"uuid":"a)", uuid).state, ScanState::kNotJson);
}

}  // namespace
}  // namespace yardmaster
