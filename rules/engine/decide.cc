// One decision, phase by phase: zones → hits → points → suppression → classifiers → steps → guardrails → explanation.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "rules/engine/comment_similarity.h"
#include "rules/engine/compiled_pack.h"
#include "rules/engine/compiled_pack_impl.h"
#include "rules/engine/would_change.h"

namespace yardmaster::rules {
namespace {

using Impl = CompiledPack::Impl;

// Room for what an issue of usual size has.
constexpr size_t kHitsAtFirst = 32;
constexpr size_t kEvidenceAtFirst = 4;

// One suppressor that acted on one label.
struct Suppressed {
  uint32_t label;
  uint32_t suppressor;
  double before;
  double after;
};

// What the procedure wants, before the guardrails.
struct Procedure {
  std::vector<StepResult> steps;
  std::vector<uint32_t> labels;  // in the order of the steps, once each
  std::vector<uint32_t> whole;   // the same as if no step had stopped
  std::string_view comment;
  bool marker = false;
  bool withhold_marker = false;
};

// A stable sort asks for memory even for what is sorted, as the few that a decision has mostly are.
template <typename Container, typename Before>
void SortStably(Container& container, Before before) {
  if (!absl::c_is_sorted(container, before)) absl::c_stable_sort(container, before);
}

// Everything about one issue while it is decided.
class Decider {
 public:
  Decider(const Impl& impl, const IssueText& issue) : impl_(impl), issue_(issue) {}

  void Run();
  void FillDecision(Decision& decision);
  std::vector<std::string_view> FiredRules() const;

 private:
  void SplitZones();
  std::vector<ZoneSpan> Split(std::string_view text);
  std::vector<double> FactorsOfShown() const;
  void ScoreSignals();
  void ScoreLabels();
  void Suppress();
  void Classify();
  void ClassifyOne(uint32_t c);
  Procedure RunSteps() const;
  void AddEvidence(uint32_t label, const Evidence& evidence);
  bool OnIssue(std::string_view label) const;
  bool InQueue() const;
  std::string_view RepeatedComment(std::string_view template_id, std::string& why) const;

  const Impl& impl_;
  const IssueText& issue_;
  std::vector<ZonedText> texts_;
  std::vector<SignalHit> hits_;
  mutable Facts facts_;  // step_taken is scratch of RunSteps
  std::vector<double> signal_points_;
  std::vector<std::vector<Evidence>> evidence_;  // by label
  std::vector<Suppressed> suppressed_;
  std::vector<bool> suppressor_acted_;
  uint64_t prose_bytes_ = 0;  // of the body
  bool too_deep_ = false;     // some text was nested too deep to be read as Markdown
  bool too_long_ = false;     // some text was too long to be read as Markdown to its end
};

std::vector<ZoneSpan> Decider::Split(std::string_view text) {
  bool too_deep = false;
  std::vector<ZoneSpan> zones = impl_.splitter->Split(text, &too_deep);
  too_deep_ = too_deep_ || too_deep;
  too_long_ = too_long_ || text.size() > kMaxMarkdownBytes;
  return zones;
}

void Decider::SplitZones() {
  texts_.reserve(2 + issue_.comments.size());
  ZonedText title{TextSource::kTitle, 0, issue_.title, {}};
  if (!issue_.title.empty()) title.zones.push_back({Zone::kTitle, 0, issue_.title.size(), {}});
  texts_.push_back(std::move(title));
  texts_.push_back({TextSource::kBody, 0, issue_.body, Split(issue_.body)});
  for (const ZoneSpan& span : texts_.back().zones) {
    if (span.zone != Zone::kBoilerplate && span.zone != Zone::kHtmlComment) facts_.body_bytes += span.end - span.begin;
    if (span.zone == Zone::kProse) prose_bytes_ += span.end - span.begin;
  }
  for (uint32_t i = 0; i < issue_.comments.size(); ++i) {
    // What bots say about an issue is no evidence for what it is about.
    if (issue_.comments[i].author_is_bot.value_or(false)) continue;
    texts_.push_back({TextSource::kComment, i, issue_.comments[i].body, Split(issue_.comments[i].body)});
  }
}

void Decider::AddEvidence(uint32_t label, const Evidence& evidence) {
  if (evidence_[label].empty()) evidence_[label].reserve(kEvidenceAtFirst);
  evidence_[label].push_back(evidence);
  facts_.base_scores[label] += evidence.score;
}

// By label: what its evidence in code, traces and quotes is worth of what it would be in prose; 0: it counts as it is.
std::vector<double> Decider::FactorsOfShown() const {
  std::vector<bool> said(impl_.classifiers.size(), false);
  bool chosen = false;  // something is said for a group of which one label is taken
  const auto classifier_of = [&](uint32_t label) { return impl_.classifier_of_label[label]; };
  for (const SignalHit& hit : hits_) {
    if (!HasSentences(hit.zone)) continue;
    for (const auto& [label, factor] : impl_.signals[hit.signal].labels) {
      if (classifier_of(label) < 0 || factor <= 0) continue;
      const auto c = static_cast<size_t>(classifier_of(label));
      said[c] = true;
      chosen = chosen || impl_.model.classifiers[c].kind == ClassifierModel::Kind::kExactlyOne;
    }
  }
  std::vector<double> out(impl_.label_names.size(), 0);
  for (uint32_t label = 0; label < out.size(); ++label) {
    if (classifier_of(label) < 0) continue;
    const auto c = static_cast<size_t>(classifier_of(label));
    const ClassifierModel& classifier = impl_.model.classifiers[c];
    if (prose_bytes_ >= classifier.shown_counts_below || said[c]) continue;
    // What is shown is then all that the issue says.
    out[label] = chosen ? 1 : classifier.shown_factor;
  }
  return out;
}

void Decider::ScoreSignals() {
  facts_.signal_zones.assign(impl_.signals.size(), 0);
  signal_points_.assign(impl_.signals.size(), 0);
  const std::vector<double> factor_of_shown = FactorsOfShown();
  for (const SignalHit& hit : hits_) {
    facts_.signal_zones[hit.signal] |= MaskOf(hit.zone);
    const SignalModel& model = impl_.model.signals[hit.signal];
    const auto points_of = [&](Zone zone) {
      double points = model.zones[static_cast<size_t>(zone)];
      if (hit.source == TextSource::kComment) points *= impl_.model.comment_factor;
      return model.cap > 0 ? std::min(points, model.cap - signal_points_[hit.signal]) : points;
    };
    const double points = points_of(hit.zone);
    const bool shown = hit.zone == Zone::kCode || hit.zone == Zone::kTrace || hit.zone == Zone::kQuote;
    const double in_prose = shown ? points_of(Zone::kProse) : 0;
    signal_points_[hit.signal] += points;
    for (const auto& [label, factor] : impl_.signals[hit.signal].labels) {
      Evidence evidence;
      evidence.rule_id = model.id;
      evidence.zone = hit.zone;
      evidence.source = hit.source;
      evidence.comment_index = hit.comment_index;
      evidence.begin = hit.begin;
      evidence.end = hit.end;
      evidence.score = std::max(points, factor_of_shown[label] * in_prose) * factor;
      facts_.label_zones[label] |= MaskOf(hit.zone);
      if (evidence.score != 0) AddEvidence(label, evidence);
    }
  }
  for (const uint32_t s : impl_.derived) {
    const CompiledSignal& signal = impl_.signals[s];
    if (!signal.when->Holds(facts_)) continue;
    facts_.signal_zones[s] = kDerivedBit;
    signal_points_[s] = impl_.model.signals[s].points;
    for (const auto& [label, factor] : signal.labels) {
      Evidence evidence;
      evidence.rule_id = impl_.model.signals[s].id;
      evidence.score = signal_points_[s] * factor;
      facts_.label_zones[label] |= kDerivedBit;
      if (evidence.score != 0) AddEvidence(label, evidence);
    }
  }
}

void Decider::ScoreLabels() {
  // A label that people put on the issue is evidence, too.
  for (uint32_t c = 0; c < impl_.classifiers.size(); ++c) {
    const double points = impl_.model.classifiers[c].existing_score;
    if (points == 0) continue;
    for (const uint32_t label : impl_.classifiers[c].labels) {
      if (!OnIssue(impl_.label_names[label])) continue;
      Evidence evidence;
      evidence.rule_id = impl_.model.classifiers[c].id;
      evidence.existing_label = true;
      evidence.score = points;
      AddEvidence(label, evidence);
    }
  }
  facts_.scores = facts_.base_scores;
}

void Decider::Suppress() {
  suppressor_acted_.assign(impl_.suppressors.size(), false);
  for (uint32_t i = 0; i < impl_.suppressors.size(); ++i) {
    const CompiledSuppressor& suppressor = impl_.suppressors[i];
    if (!suppressor.when.Holds(facts_)) continue;
    for (const uint32_t label : suppressor.labels) {
      const double before = facts_.scores[label];
      if (before <= 0) continue;
      facts_.scores[label] = before * impl_.model.suppressors[i].factor;
      suppressed_.push_back({label, i, before, facts_.scores[label]});
      suppressor_acted_[i] = true;
    }
  }
}

void Decider::Classify() {
  facts_.confidence.assign(impl_.label_names.size(), Confidence::kNone);
  facts_.chosen.assign(impl_.label_names.size(), false);
  facts_.scores_are_final = true;
  for (uint32_t c = 0; c < impl_.classifiers.size(); ++c) ClassifyOne(c);
}

void Decider::ClassifyOne(uint32_t c) {
  const CompiledClassifier& classifier = impl_.classifiers[c];
  const ClassifierModel& model = impl_.model.classifiers[c];
  // What labels that are below their own threshold pass on: it makes the sum probable, but mentions are never sure.
  std::vector<double> mentions(classifier.labels.size(), 0);
  for (size_t i = 0; i < classifier.labels.size(); ++i) {
    for (const auto& [source, factor] : classifier.from[i]) {
      const double points = facts_.scores[source] * factor;
      if (points <= 0) continue;
      facts_.scores[classifier.labels[i]] += points;
      const int by = impl_.classifier_of_label[source];
      if (by >= 0 && facts_.confidence[source] < Confidence::kMedium) mentions[i] += points;
      Evidence evidence;
      evidence.rule_id = impl_.label_names[source];
      evidence.score = points;
      evidence_[classifier.labels[i]].push_back(evidence);
    }
  }
  if (classifier.when.has_value() && !classifier.when->Holds(facts_)) return;

  double best = 0;
  for (size_t i = 0; i < classifier.labels.size(); ++i) {
    const uint32_t label = classifier.labels[i];
    const double score = facts_.scores[label];
    best = std::max(best, score);
    if (score <= 0) continue;
    facts_.confidence[label] = score - mentions[i] >= model.high ? Confidence::kHigh
                               : score >= model.medium           ? Confidence::kMedium
                                                                 : Confidence::kLow;
  }
  if (model.kind == ClassifierModel::Kind::kMultiLabel) {
    for (const uint32_t label : classifier.labels)
      facts_.chosen[label] = facts_.confidence[label] >= Confidence::kMedium;
    return;
  }
  if (model.keep_existing) {
    bool kept = false;
    for (const uint32_t label : classifier.labels) {
      if (kept || !OnIssue(impl_.label_names[label])) continue;
      facts_.chosen[label] = kept = true;
      facts_.confidence[label] = Confidence::kHigh;
    }
    if (kept) return;
  }
  // Among those close to the best or strong, precedence decides.
  for (const uint32_t label : classifier.labels) {
    const double score = facts_.scores[label];
    const bool competes = score >= best * model.margin || (model.strong > 0 && score >= model.strong);
    if (facts_.confidence[label] < Confidence::kMedium || !competes) continue;
    facts_.chosen[label] = true;
    return;
  }
  if (classifier.default_label.has_value()) {
    facts_.chosen[*classifier.default_label] = true;
    facts_.confidence[*classifier.default_label] = Confidence::kLow;
  }
}

bool Decider::OnIssue(std::string_view label) const {
  const auto& labels = issue_.labels_before;
  return labels.has_value() && absl::c_linear_search(*labels, label);
}

bool Decider::InQueue() const {
  return impl_.model.entry_label.empty() || !issue_.labels_before.has_value() || OnIssue(impl_.model.entry_label);
}

void Decider::Run() {
  SplitZones();
  hits_.reserve(kHitsAtFirst);
  impl_.matcher->Match(texts_, hits_);
  const size_t labels = impl_.label_names.size();
  facts_.base_scores.assign(labels, 0);
  facts_.label_zones.assign(labels, 0);
  evidence_.resize(labels);
  if (issue_.labels_before.has_value()) {
    for (const std::string& label : *issue_.labels_before) {
      const auto it = impl_.names.labels.find(label);
      if (it != impl_.names.labels.end()) facts_.labels_before.push_back(it->second);
    }
  } else if (!impl_.model.entry_label.empty()) {
    facts_.labels_before.push_back(impl_.names.labels.at(impl_.model.entry_label));
  }
  ScoreSignals();
  ScoreLabels();
  Suppress();
  Classify();
}

Procedure Decider::RunSteps() const {
  Procedure out;
  out.steps.reserve(impl_.steps.size());
  out.labels.reserve(impl_.label_names.size());
  out.whole.reserve(impl_.label_names.size());
  facts_.step_taken.assign(impl_.steps.size(), false);
  const std::string* stopped = nullptr;
  const auto want = [&](uint32_t label) {
    if (!absl::c_linear_search(out.whole, label)) out.whole.push_back(label);
    if (stopped == nullptr && !absl::c_linear_search(out.labels, label)) out.labels.push_back(label);
  };
  for (uint32_t s = 0; s < impl_.steps.size(); ++s) {
    const CompiledStep& step = impl_.steps[s];
    const StepModel& model = impl_.model.steps[s];
    const bool holds = step.when.Holds(facts_);
    facts_.step_taken[s] = holds;
    if (holds) {
      for (const uint32_t label : step.add) want(label);
      for (const uint32_t c : step.add_outcome) {
        for (const uint32_t label : impl_.classifiers[c].labels) {
          if (facts_.chosen[label] && !impl_.label_names[label].starts_with('@')) want(label);
        }
      }
    }
    StepResult result;
    result.id = model.id;
    if (stopped != nullptr) {
      result.why = *stopped;
    } else if (!holds) {
      result.why = step.when.WhyNot(facts_);
    } else {
      result.taken = true;
      result.why = model.because;
      if (!model.comment.empty() && out.comment.empty()) out.comment = model.comment;
      out.marker = out.marker || model.marker;
      out.withhold_marker = out.withhold_marker || model.withhold_marker;
      if (model.stop) {
        result.stopped = true;
        stopped = &step.after_stop_text;
      }
    }
    out.steps.push_back(result);
  }
  return out;
}

// The template again if it may be posted, or nothing and why not.
std::string_view Decider::RepeatedComment(std::string_view template_id, std::string& why) const {
  const auto& templates = impl_.model.templates;
  const auto it = absl::c_find_if(templates, [&](const auto& t) { return t.id == template_id; });
  if (it == templates.end()) return template_id;
  const double limit = impl_.model.guardrails.has_value() ? impl_.model.guardrails->duplicate_comment_similarity : 1;
  const CompiledTemplate& compiled = impl_.templates[static_cast<size_t>(it - templates.begin())];
  for (size_t i = 0; i < issue_.comments.size(); ++i) {
    const CommentText& comment = issue_.comments[i];
    if (!comment.author_is_bot.value_or(true)) continue;  // people may quote us
    if (HasTemplateMarker(comment.body, template_id, *impl_.splitter)) {
      why = "comment " + std::to_string(i + 1) + " carries the marker of template '" + std::string(template_id) + "'";
      return {};
    }
    const double similarity = Jaccard(compiled.tokens, CommentTokens(comment.body, *impl_.splitter));
    if (similarity >= limit) {
      why = "comment " + std::to_string(i + 1) + " says the same as template '" + std::string(template_id) +
            "' (token similarity " + std::to_string(similarity).substr(0, 4) + ")";
      return {};
    }
  }
  return template_id;
}

void Decider::FillDecision(Decision& decision) {
  // The whole classification: the procedure as if no step had stopped, in the pack's order, without entry label and
  // markers.
  Procedure now = RunSteps();
  std::vector<bool> in_classification(impl_.label_names.size(), false);
  for (const uint32_t label : now.whole) in_classification[label] = true;
  for (uint32_t label = 0; label < impl_.label_names.size(); ++label) {
    const std::string& name = impl_.label_names[label];
    if (!in_classification[label] || name == impl_.model.entry_label) continue;
    if (impl_.guardrails != nullptr && impl_.guardrails->IsMarker(name)) continue;
    decision.labels.push_back(name);
  }

  // What is done now.
  if (!InQueue()) {
    for (StepResult& step : now.steps) {
      step.taken = step.stopped = false;
      step.why = impl_.not_in_queue_text;
    }
    now = Procedure{.steps = std::move(now.steps)};
  }
  decision.steps = std::move(now.steps);
  if (impl_.guardrails != nullptr) {
    GuardrailRequest request;
    for (const uint32_t label : now.labels) request.labels.push_back(impl_.label_names[label]);
    if (issue_.labels_before.has_value()) {
      request.labels_on_issue.assign(issue_.labels_before->begin(), issue_.labels_before->end());
    } else if (!impl_.model.entry_label.empty()) {
      request.labels_on_issue.push_back(impl_.model.entry_label);
    }
    request.marker = now.marker;
    request.withhold_marker = now.withhold_marker;
    request.template_id = now.comment;
    GuardrailResult result = impl_.guardrails->Apply(request);
    decision.applied = std::move(result.labels);
    decision.comment_template = result.template_id;
    decision.guardrails = std::move(result.notes);
    if (!decision.comment_template.empty() && !issue_.comments.empty()) {
      decision.comment_template = RepeatedComment(decision.comment_template, decision.comment_suppressed);
    }
  } else if (!now.labels.empty() || now.marker) {
    decision.guardrails.push_back({"guardrail.missing", "the pack has no guardrails.json: nothing may be written"});
  }

  // A limit that was passed is said.
  if (too_deep_) {
    decision.guardrails.push_back({"limit.nesting", "lists are nested too deep: the text was read as plain lines"});
  }
  if (too_long_) {
    decision.guardrails.push_back({"limit.size", "only the first " + std::to_string(kMaxMarkdownBytes) +
                                                     " bytes were read as Markdown; the rest counts as overflow"});
  }

  // Labels with evidence or chosen, chosen ones first, strongest first.
  std::vector<uint32_t> told;
  told.reserve(impl_.label_names.size());
  for (uint32_t label = 0; label < impl_.label_names.size(); ++label) {
    if (impl_.classifier_of_label[label] < 0) continue;
    if (!evidence_[label].empty() || facts_.chosen[label]) told.push_back(label);
  }
  decision.results.reserve(told.size());
  for (const uint32_t label : told) {
    const auto c = static_cast<size_t>(impl_.classifier_of_label[label]);
    const ClassifierModel& classifier = impl_.model.classifiers[c];
    LabelResult result;
    result.label = impl_.label_names[label];
    result.classifier = classifier.id;
    result.chosen = facts_.chosen[label];
    result.score = facts_.scores[label];
    result.threshold = classifier.medium;
    result.high_threshold = classifier.high;
    result.confidence = facts_.confidence[label];
    result.evidence = std::move(evidence_[label]);
    SortStably(result.evidence, [](const Evidence& a, const Evidence& b) { return a.score > b.score; });
    for (const Suppressed& s : suppressed_) {
      if (s.label != label) continue;
      const SuppressorModel& model = impl_.model.suppressors[s.suppressor];
      result.suppressed.push_back({model.id, model.reason, s.before, s.after});
    }
    result.would_change = WouldChange(impl_, facts_, label, result);
    decision.results.push_back(std::move(result));
  }
  SortStably(decision.results, [](const LabelResult& a, const LabelResult& b) {
    return a.chosen != b.chosen ? a.chosen : a.score > b.score;
  });
}

std::vector<std::string_view> Decider::FiredRules() const {
  std::vector<std::string_view> out;
  for (uint32_t s = 0; s < impl_.signals.size(); ++s) {
    if (facts_.signal_zones[s] != 0) out.push_back(impl_.model.signals[s].id);
  }
  for (uint32_t s = 0; s < impl_.suppressors.size(); ++s) {
    if (suppressor_acted_[s]) out.push_back(impl_.model.suppressors[s].id);
  }
  if (InQueue()) {
    for (const StepResult& step : RunSteps().steps) {
      if (step.taken) out.push_back(step.id);
    }
  }
  return out;
}

}  // namespace

std::string_view ConfidenceName(Confidence confidence) {
  static constexpr std::string_view kNames[] = {"", "LOW", "MEDIUM", "HIGH"};
  return kNames[static_cast<size_t>(confidence)];
}

Decision CompiledPack::Decide(const IssueText& issue) const {
  Decision decision;
  decision.pack = shared_from_this();
  Decider decider(*impl_, issue);
  decider.Run();
  decider.FillDecision(decision);
  return decision;
}

std::vector<std::string_view> CompiledPack::FiredRules(const IssueText& issue) const {
  Decider decider(*impl_, issue);
  decider.Run();
  return decider.FiredRules();
}

}  // namespace yardmaster::rules
