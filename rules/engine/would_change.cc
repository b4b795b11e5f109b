#include "rules/engine/would_change.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

// Points with at most one decimal, rounded up so that "needs 0.1 more" is enough. (0 first: max(-0, 0) is -0.)
std::string Points(double value) {
  const auto tenths = static_cast<int64_t>(std::max(0.0, std::ceil(value * 10 - 1e-9)));
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) absl::StrAppend(&text, ".", tenths % 10);
  return text;
}

// The chosen label of a classifier; -1 for none.
int ChosenOf(const CompiledClassifier& classifier, const Facts& facts) {
  for (const uint32_t label : classifier.labels) {
    if (facts.chosen[label]) return static_cast<int>(label);
  }
  return -1;
}

std::string ChosenMulti(const LabelResult& result) {
  if (result.evidence.empty()) return {};
  // Without its strongest rule (all its places together) would it still be there?
  const std::string_view rule = result.evidence.front().rule_id;
  double without = result.score;
  for (const Evidence& evidence : result.evidence) {
    if (evidence.rule_id == rule) without -= evidence.score;
  }
  if (without >= result.threshold) return {};
  return absl::StrCat("without '", Abs(rule), "' it would have ", Points(without), " points, ",
                      Points(result.threshold - without), " below the threshold");
}

}  // namespace

std::string WouldChange(const CompiledPack::Impl& impl, const Facts& facts, uint32_t label, const LabelResult& result) {
  const auto c = static_cast<size_t>(impl.classifier_of_label[label]);
  const ClassifierModel& model = impl.model.classifiers[c];
  const bool multi = model.kind == ClassifierModel::Kind::kMultiLabel;

  if (!result.chosen) {
    if (!result.suppressed.empty() && result.suppressed.front().score_before >= result.threshold) {
      return absl::StrCat("without '", Abs(result.suppressed.front().rule_id), "' it would have ",
                          Points(result.suppressed.front().score_before), " points");
    }
    if (result.confidence == Confidence::kNone) return {};
    if (result.score < result.threshold)
      return absl::StrCat("needs ", Points(result.threshold - result.score), " more points");
    const int winner = ChosenOf(impl.classifiers[c], facts);
    if (multi || winner < 0) return {};
    const double best = facts.scores[static_cast<size_t>(winner)];
    const std::string& name = impl.label_names[static_cast<size_t>(winner)];
    if (result.score >= best * model.margin) return absl::StrCat("'", name, "' has precedence");
    return absl::StrCat("'", name, "' has ", Points(best - result.score), " points more");
  }
  if (multi) return ChosenMulti(result);

  // One of a group: who comes next?
  int next = -1;
  for (const uint32_t other : impl.classifiers[c].labels) {
    if (other == label || facts.scores[other] <= 0) continue;
    if (next < 0 || facts.scores[other] > facts.scores[static_cast<size_t>(next)]) next = static_cast<int>(other);
  }
  if (result.score < result.threshold && result.confidence == Confidence::kLow) {
    if (next < 0) return "the default: no label of the group has evidence";
    return absl::StrCat("the default: '", impl.label_names[static_cast<size_t>(next)], "' needs ",
                        Points(result.threshold - facts.scores[static_cast<size_t>(next)]), " more points");
  }
  if (next < 0) return {};
  const std::string& name = impl.label_names[static_cast<size_t>(next)];
  const double gap = result.score - facts.scores[static_cast<size_t>(next)];
  if (gap <= 0) return absl::StrCat("has precedence over '", name, "'");
  return absl::StrCat("'", name, "' is next, with ", Points(gap), " points less");
}

}  // namespace yardmaster::rules
