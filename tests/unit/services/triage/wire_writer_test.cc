#include "services/triage/wire_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {
namespace {

TEST(WireWriter, WritesTheBytesThatProtobufWrites) {
  v1::LabelExplanation label;
  label.set_label("module: a");
  label.set_chosen(true);
  label.set_score(-1.5);
  label.set_confidence(v1::CONFIDENCE_HIGH);
  v1::Evidence& first = *label.add_rules();
  first.set_rule_id("one");
  first.mutable_span()->set_begin(300);
  first.mutable_span()->set_end(uint64_t{1} << 63);
  label.add_rules();  // nothing but defaults
  label.set_would_change(std::string(200, 'x'));

  WireWriter out(4);  // too small: grows
  out.Text(v1::LabelExplanation::kWouldChangeFieldNumber, label.would_change());
  out.Message(v1::LabelExplanation::kRulesFieldNumber, out.size());
  const size_t evidence = out.size();
  const size_t span = out.size();
  out.Number(v1::TextSpan::kEndFieldNumber, first.span().end());
  out.Number(v1::TextSpan::kBeginFieldNumber, first.span().begin());
  out.Message(v1::Evidence::kSpanFieldNumber, span);
  out.Text(v1::Evidence::kRuleIdFieldNumber, "one");
  out.Message(v1::LabelExplanation::kRulesFieldNumber, evidence);
  out.Number(v1::LabelExplanation::kConfidenceFieldNumber, v1::CONFIDENCE_HIGH);
  out.Double(v1::LabelExplanation::kThresholdFieldNumber, 0);
  out.Double(v1::LabelExplanation::kScoreFieldNumber, -1.5);
  out.Number(v1::LabelExplanation::kChosenFieldNumber, 1);
  out.Text(v1::LabelExplanation::kClassifierFieldNumber, "");
  out.Text(v1::LabelExplanation::kLabelFieldNumber, "module: a");

  EXPECT_EQ(out.bytes(), label.SerializeAsString());
}

TEST(WireWriter, RoomInFrontIsForTheCallerToFill) {
  WireWriter out(2);
  out.Text(1, "behind");
  std::memcpy(out.Before(3), "abc", 3);
  EXPECT_EQ(out.bytes(),
            "abc\x0A\x06"
            "behind");
  EXPECT_EQ(out.size(), out.bytes().size());
}

}  // namespace
}  // namespace yardmaster
