#include "services/commands/interpretation.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

rules::Interpretation Example() {
  rules::Interpretation out;
  out.command = "pr";
  out.slots = {{"base", "main"}, {"squash", true}, {"reviewers", {"a", "b"}}};
  out.then.push_back({"gate_retest", {{"pr", 12}}});
  out.confidence = 0.95;
  out.why = "pr.create: asked for";
  return out;
}

TEST(InterpretationJson, NamesWhatFollowsAndKeepsItsSlotsBeside) {
  const nlohmann::ordered_json json = InterpretationJson(Example());
  EXPECT_EQ(json["command"], "pr");
  EXPECT_EQ(json["then"], nlohmann::ordered_json({"gate_retest"}));
  EXPECT_EQ(json["then_slots"][0]["pr"], 12);
  EXPECT_FALSE(json.contains("choices"));
}

TEST(InterpretationMessage, EverySlotHasItsKind) {
  v1::InterpretResponse response;
  WriteInterpretation(Example(), response);
  EXPECT_EQ(response.command().slots().at("base").text(), "main");
  EXPECT_TRUE(response.command().slots().at("squash").flag());
  EXPECT_EQ(response.command().slots().at("reviewers").list().names_size(), 2);
  EXPECT_EQ(response.then(0).slots().at("pr").number(), 12);
}

TEST(PhraseContextJson, RefusesWhatIsNoThread) {
  std::string error;
  EXPECT_FALSE(ReadPhraseContext(nlohmann::json::parse(R"({"pr": "12"})"), error).has_value());
  EXPECT_FALSE(ReadPhraseContext(nlohmann::json::parse(R"({"repo": 1})"), error).has_value());
  EXPECT_FALSE(ReadPhraseContext(nlohmann::json::parse("[]"), error).has_value());
  const auto context = ReadPhraseContext(nlohmann::json::parse(R"({"pr": 12, "repo": "o/r", "user": "x"})"), error);
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->pr, 12);
  EXPECT_EQ(context->repo, "o/r");
}

}  // namespace
}  // namespace yardmaster
