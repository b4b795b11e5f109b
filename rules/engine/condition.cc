#include "rules/engine/condition.h"

#include <cstdio>
#include <limits>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/pack_reader.h"

namespace yardmaster::rules {
namespace {

using Kind = Condition::Kind;

std::string Number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%g", value);
  return buffer;
}

// `"a", "b" or "c"`.
std::string OneOf(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += '"' + names[i] + '"';
  }
  return text;
}

std::string ZonesText(const std::vector<Zone>& zones) {
  std::string text;
  for (const Zone zone : zones) text += (text.empty() ? "" : "/") + std::string(ZoneName(zone));
  return text;
}

ZoneMask ZonesMask(const std::vector<Zone>& zones) {
  ZoneMask mask = 0;
  for (const Zone zone : zones) mask |= MaskOf(zone);
  return mask;
}

Confidence ConfidenceFromName(const std::string& name) {
  if (name == "LOW") return Confidence::kLow;
  return name == "HIGH" ? Confidence::kHigh : Confidence::kMedium;
}

bool Allowed(Kind kind, ConditionPlace place) {
  switch (kind) {
    case Kind::kLabel:
    case Kind::kOnlyZones:
      return place != ConditionPlace::kSignal;
    case Kind::kOutcome:
      return place == ConditionPlace::kStep || place == ConditionPlace::kClassifier;
    case Kind::kStepTaken:
      return place == ConditionPlace::kStep;
    default:
      return true;
  }
}

}  // namespace

CompiledCondition CompiledCondition::Compile(const Condition& condition, ConditionPlace place, const NameTable& names,
                                             const std::vector<double>& medium_of, const std::vector<double>& high_of,
                                             uint32_t step_limit, Problems& problems) {
  CompiledCondition out;
  out.kind_ = condition.kind;
  const auto problem = [&](std::string message) {
    problems.push_back(ProblemAt(condition.origin, std::move(message)));
  };
  if (!Allowed(condition.kind, place)) {
    problem("this kind of condition can't be decided here yet: expected one over what is known earlier");
    return out;
  }
  const auto resolve = [&](const std::unordered_map<std::string, uint32_t>& table, const char* what) {
    for (const std::string& name : condition.names) {
      const auto it = table.find(name);
      if (it == table.end()) {
        problem(std::string("unknown ") + what + " '" + name +
                "'; expected one that this pack or one it extends defines");
      } else {
        out.indices_.push_back(it->second);
      }
    }
  };

  switch (condition.kind) {
    case Kind::kAlways:
      out.text_ = "always";
      break;
    case Kind::kAll:
    case Kind::kAny:
    case Kind::kNot: {
      const char* joint = condition.kind == Kind::kAny ? " or " : " and ";
      for (const Condition& child : condition.children) {
        out.children_.push_back(Compile(child, place, names, medium_of, high_of, step_limit, problems));
        const std::string& text = out.children_.back().text_;
        const bool bracket = child.kind == Kind::kAny && condition.kind != Kind::kAny;
        out.text_ += (out.text_.empty() ? "" : joint) + (bracket ? "(" + text + ")" : text);
      }
      if (condition.kind == Kind::kNot) out.text_ = "not " + out.text_;
      break;
    }
    case Kind::kSignal:
      resolve(names.signals, "signal");
      if (!condition.zones.empty()) out.zones_ = ZonesMask(condition.zones);
      out.text_ = "signal " + OneOf(condition.names) + " matched" +
                  (condition.zones.empty() ? "" : " in " + ZonesText(condition.zones));
      break;
    case Kind::kLabel:
      resolve(names.labels, "label or topic");
      out.at_least_ = ConfidenceFromName(condition.at_least);
      out.by_score_ = condition.min_score.has_value();
      for (const uint32_t label : out.indices_) {
        double least = out.at_least_ == Confidence::kLow ? std::numeric_limits<double>::min() : medium_of[label];
        if (out.at_least_ == Confidence::kHigh) least = high_of[label];
        out.min_scores_.push_back(condition.min_score.value_or(least));
      }
      out.text_ = "label " + OneOf(condition.names) +
                  (out.by_score_ ? " has at least " + Number(*condition.min_score) + " points"
                                 : " is at least " + condition.at_least);
      break;
    case Kind::kOnlyZones:
      resolve(names.labels, "label or topic");
      out.zones_ = ZonesMask(condition.zones);
      out.text_ = "all evidence for " + OneOf(condition.names) + " is in " + ZonesText(condition.zones);
      break;
    case Kind::kOutcome:
      resolve(names.labels, "label or topic");
      if (!names.classifiers.contains(condition.classifier)) {
        problem("unknown classifier '" + condition.classifier +
                "'; expected one that this pack or one it extends defines");
      }
      out.text_ = condition.classifier + " is " + OneOf(condition.names);
      break;
    case Kind::kLabelsBefore:
      resolve(names.labels, "label");
      out.text_ = "the issue already has " + OneOf(condition.names);
      break;
    case Kind::kStepTaken:
      resolve(names.steps, "step");
      for (const uint32_t step : out.indices_) {
        if (step >= step_limit) problem("a step may only ask for steps before it");
      }
      out.text_ = "step " + OneOf(condition.names) + " was taken";
      break;
    case Kind::kBodyShorter:
      out.bytes_ = condition.bytes;
      out.text_ = "the body has fewer than " + std::to_string(condition.bytes) + " bytes";
      break;
  }
  // "not met: not step …" reads badly: what stands in the way is that the child holds.
  if (condition.kind == Kind::kLabelsBefore) {
    out.not_met_ = "people have not put " + OneOf(condition.names) + " on the issue";
  } else {
    out.not_met_ = condition.kind == Kind::kNot ? out.children_.front().text_ : "not met: " + out.text_;
  }
  return out;
}

bool CompiledCondition::Holds(const Facts& facts) const {
  switch (kind_) {
    case Kind::kAlways:
      return true;
    case Kind::kAll:
      return absl::c_all_of(children_, [&](const auto& c) { return c.Holds(facts); });
    case Kind::kAny:
      return absl::c_any_of(children_, [&](const auto& c) { return c.Holds(facts); });
    case Kind::kNot:
      return !children_.front().Holds(facts);
    case Kind::kSignal:
      return absl::c_any_of(indices_, [&](uint32_t s) { return (facts.signal_zones[s] & zones_) != 0; });
    case Kind::kLabel:
      for (size_t i = 0; i < indices_.size(); ++i) {
        const uint32_t label = indices_[i];
        if (!facts.scores_are_final) {
          if (facts.base_scores[label] >= min_scores_[i]) return true;
        } else if (by_score_ ? facts.scores[label] >= min_scores_[i] : facts.confidence[label] >= at_least_) {
          return true;
        }
      }
      return false;
    case Kind::kOnlyZones:
      return absl::c_any_of(indices_, [&](uint32_t label) {
        return facts.label_zones[label] != 0 && (facts.label_zones[label] & ~zones_) == 0;
      });
    case Kind::kOutcome:
      return absl::c_any_of(indices_, [&](uint32_t label) { return facts.chosen[label]; });
    case Kind::kLabelsBefore:
      return absl::c_any_of(indices_,
                            [&](uint32_t label) { return absl::c_linear_search(facts.labels_before, label); });
    case Kind::kStepTaken:
      return absl::c_any_of(indices_, [&](uint32_t step) { return facts.step_taken[step]; });
    case Kind::kBodyShorter:
      return facts.body_bytes < bytes_;
  }
  return false;
}

std::string_view CompiledCondition::WhyNot(const Facts& facts) const {
  // A conjunction fails by its first failing part; everything else as a whole.
  if (kind_ == Kind::kAll) {
    for (const CompiledCondition& child : children_) {
      if (!child.Holds(facts)) return child.WhyNot(facts);
    }
  }
  return not_met_;
}

}  // namespace yardmaster::rules
