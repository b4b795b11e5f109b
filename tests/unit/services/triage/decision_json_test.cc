#include "services/triage/decision_json.h"

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster {
namespace {

v1::Plan SamplePlan() {
  v1::Plan plan;
  const std::string json = R"({
    "id": "01abc", "subject": {"forge": "github", "repository": "o/r", "kind": "SUBJECT_KIND_ISSUE", "number": "12"},
    "pack": "tiny", "packRevision": "0123456789abcdef", "mode": "MODE_DRY_RUN",
    "labels": ["team a", "area: net"], "applied": ["done"], "commentTemplate": "more",
    "confidence": [{"label": "area: net", "confidence": "CONFIDENCE_HIGH"}],
    "explanation": {
      "labels": [{"label": "area: net", "classifier": "area", "chosen": true, "score": 4.5, "threshold": 2, "highThreshold": 4,
                  "confidence": "CONFIDENCE_HIGH", "wouldChange": "no socket",
                  "rules": [{"ruleId": "net.word", "zone": "prose", "text": "socket", "score": 0.30000000000000004,
                             "span": {"source": "SOURCE_COMMENT", "commentIndex": 2, "begin": "3", "end": "9"}},
                            {"ruleId": "area", "zone": "labels", "text": "area: net", "score": 2}],
                  "suppressed": [{"ruleId": "s", "reason": "why", "scoreBefore": 6, "scoreAfter": 4.5}]}],
      "steps": [{"id": "team", "taken": true, "why": "always", "stopped": false}],
      "guardrails": [{"ruleId": "guardrail.never", "reason": "sev1 is forbidden"}], "commentSuppressed": ""},
    "inputDigest": "fedcba9876543210"})";
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &plan).ok());
  return plan;
}

std::vector<std::string> Keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(DecisionJson, HasTheShapeThatScriptsRelyOn) {
  const nlohmann::ordered_json decision = DecisionJson(SamplePlan());
  EXPECT_EQ(decision["id"], "01abc");
  EXPECT_EQ(decision["subject"], "github:o/r#12");
  EXPECT_EQ(decision["pack"], "tiny");
  EXPECT_EQ(decision["pack_revision"], "0123456789abcdef");
  EXPECT_EQ(decision["mode"], "dry-run");
  EXPECT_EQ(decision["labels"], (std::vector<std::string>{"team a", "area: net"}));
  EXPECT_EQ(decision["applied"], (std::vector<std::string>{"done"}));
  EXPECT_EQ(decision["comment"]["template"], "more");
  EXPECT_EQ(decision["confidence"].dump(), R"({"area: net":"HIGH"})");
  EXPECT_EQ(decision["steps"].dump(), R"([{"id":"team","taken":true,"why":"always","stopped":false}])");
  const auto& label = decision["explanation"][0];
  EXPECT_EQ(label["label"], "area: net");
  EXPECT_EQ(label["threshold"].dump(), "2");
  EXPECT_EQ(label["score"].dump(), "4.5");
  EXPECT_EQ(label["would_change"], "no socket");
  EXPECT_EQ(
      label["rules"][0].dump(),
      R"({"id":"net.word","zone":"prose","source":"comment","comment":2,"begin":3,"end":9,"text":"socket","score":0.3})");
  EXPECT_EQ(label["suppressed"].dump(), R"([{"id":"s","reason":"why","score_before":6,"score_after":4.5}])");
  EXPECT_EQ(decision["guardrails"].dump(), R"([{"id":"guardrail.never","reason":"sev1 is forbidden"}])");
  EXPECT_FALSE(decision.contains("created_at"));
}

TEST(DecisionJson, EvidenceWithoutAPlaceHasAnEmptyRange) {
  EXPECT_EQ(DecisionJson(SamplePlan())["explanation"][0]["rules"][1].dump(),
            R"({"id":"area","zone":"labels","begin":0,"end":0,"text":"area: net","score":2})");
}

TEST(DecisionJson, TimeOfTheDaemonIsShownWhereThereIsOne) {
  v1::Plan plan;
  plan.mutable_created_at()->set_seconds(1'700'000'000);
  EXPECT_EQ(DecisionJson(plan)["created_at"], "2023-11-14T22:13:20Z");
}

TEST(EvalLineJson, HasTheShapeThatTheScorerReads) {
  const nlohmann::ordered_json line = EvalLineJson(SamplePlan());
  EXPECT_EQ(Keys(line),
            (std::vector<std::string>{"number", "labels", "applied", "comment", "confidence", "explanation", "steps",
                                      "guardrails", "comment_suppressed", "pack", "pack_revision"}));
  EXPECT_EQ(line["number"], 12);
  EXPECT_EQ(line["explanation"], DecisionJson(SamplePlan())["explanation"]);
}

TEST(EvalLineJson, AnEmptyPlanStillHasEveryKeyAndANullComment) {
  const nlohmann::ordered_json line = EvalLineJson(v1::Plan());
  EXPECT_TRUE(line["comment"].is_null());
  EXPECT_EQ(line["labels"].dump(), "[]");
  EXPECT_EQ(line["applied"].dump(), "[]");
  EXPECT_EQ(line["confidence"].dump(), "{}");
  EXPECT_EQ(line["explanation"].dump(), "[]");
}

TEST(DumpLine, InvalidBytesDoNotThrowAndLineEndsAreEscaped) {
  EXPECT_EQ(DumpLine({{"a", "x\xFF\n"}}), "{\"a\":\"x\xEF\xBF\xBD\\n\"}");
}

TEST(SubjectReference, InlineTextHasOnlyItsNumber) {
  v1::Subject subject;
  subject.set_number(5);
  EXPECT_EQ(SubjectReference(subject), "#5");
}

}  // namespace
}  // namespace yardmaster
