#include "rules/engine/guardrails.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"

namespace yardmaster::rules {
namespace {

constexpr std::string_view kMarkerRule = "guardrail.marker";
constexpr std::string_view kNeverRule = "guardrail.never";
constexpr std::string_view kAllowRule = "guardrail.allow";
constexpr std::string_view kStickyRule = "guardrail.sticky";
constexpr std::string_view kExactlyOneRule = "guardrail.exactly-one";
constexpr std::string_view kRedundantRule = "guardrail.redundant";
constexpr std::string_view kExclusionRule = "guardrail.exclusion";
constexpr std::string_view kMaxLabelsRule = "guardrail.max-labels";
constexpr std::string_view kFallbackRule = "guardrail.fallback";
constexpr std::string_view kTemplateRule = "guardrail.template";

// Normalised names of labels: few, so that looking through all beats hashing.
using LabelSet = std::vector<std::string>;

LabelSet Normalised(const std::vector<std::string_view>& names) {
  LabelSet out;
  out.reserve(names.size());
  for (const std::string_view name : names) out.push_back(NormaliseLabel(name));
  return out;
}

bool Contains(const LabelSet& labels, std::string_view normalised) { return absl::c_linear_search(labels, normalised); }

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

}  // namespace

std::string NormaliseLabel(std::string_view name) {
  std::string out(name.size(), '\0');
  size_t size = 0;
  bool blank = false;
  for (const char c : name) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      blank = true;
      continue;
    }
    if (blank && size > 0) out[size++] = ' ';
    blank = false;
    out[size++] = absl::ascii_tolower(static_cast<unsigned char>(c));
  }
  out.resize(size);
  return out;
}

std::unique_ptr<Guardrails> Guardrails::Create(const GuardrailsModel& model, Problems& problems) {
  std::unique_ptr<Guardrails> out(new Guardrails());
  const size_t before = problems.size();
  const auto problem = [&](const std::string& pointer, std::string message) {
    problems.push_back({model.origin.file, pointer, model.origin.line, 0, std::move(message)});
  };
  out->model_ = model;
  const GuardrailsModel& kept = out->model_;
  out->exactly_one_.reserve(kept.exactly_one.size());
  out->redundant_.reserve(kept.redundant.size());
  out->exclusions_.reserve(kept.exclusions.size());
  for (const std::vector<std::string>& group : kept.exactly_one) out->exactly_one_.push_back(NamesOf(group));
  for (const GuardrailsModel::Redundancy& pair : kept.redundant) {
    out->redundant_.push_back({{NormaliseLabel(pair.general), pair.general}, NormaliseLabel(pair.specific)});
  }
  for (const GuardrailsModel::Exclusion& exclusion : kept.exclusions) {
    out->exclusions_.emplace_back(NormaliseLabel(exclusion.label), NamesOf(exclusion.with));
  }
  for (const auto* list : {&kept.markers, &kept.confident_markers}) {
    for (Name& name : NamesOf(*list)) out->marker_names_.push_back(std::move(name));
  }
  for (const std::string& name : model.never) out->never_.insert(NormaliseLabel(name));
  for (size_t i = 0; i < model.never_patterns.size(); ++i) {
    auto pattern = std::make_unique<RE2>(model.never_patterns[i], RE2::Quiet);
    if (!pattern->ok()) {
      problem("/never_patterns/" + std::to_string(i), "bad pattern: " + pattern->error() + "; expected RE2 syntax");
      continue;
    }
    out->never_patterns_.push_back(std::move(pattern));
  }
  for (size_t i = 0; i < model.allow.size(); ++i) {
    const std::string name = NormaliseLabel(model.allow[i]);
    if (out->Forbidden(name)) {
      problem("/allow/" + std::to_string(i),
              "label " + Quoted(model.allow[i]) + " is allowed and forbidden; expected one of the two");
    }
    out->allow_.emplace(name, model.allow[i]);
  }
  for (const auto* list : {&model.markers, &model.confident_markers}) {
    for (const std::string& name : *list) {
      out->markers_.insert(NormaliseLabel(name));
      if (!out->allow_.contains(NormaliseLabel(name))) {
        problem(list == &model.markers ? "/markers" : "/confident_markers",
                "marker " + Quoted(name) + " is not in \"allow\"; expected it there");
      }
    }
  }
  if (!model.fallback.empty()) {
    out->fallback_ = NormaliseLabel(model.fallback);
    if (!out->allow_.contains(out->fallback_)) {
      problem("/fallback", "label " + Quoted(model.fallback) + " is not in \"allow\"; expected it there");
    }
  }
  return problems.size() == before ? std::move(out) : nullptr;
}

Guardrails::Names Guardrails::NamesOf(const std::vector<std::string>& spelled) {
  Names out;
  out.reserve(spelled.size());
  for (const std::string& name : spelled) out.push_back({NormaliseLabel(name), name});
  return out;
}

bool Guardrails::Forbidden(const std::string& normalised) const {
  if (never_.contains(normalised)) return true;
  return absl::c_any_of(never_patterns_, [&](const auto& pattern) { return RE2::PartialMatch(normalised, *pattern); });
}

std::string_view Guardrails::Canonical(const std::string& normalised) const {
  const auto it = allow_.find(normalised);
  return it == allow_.end() ? std::string_view() : std::string_view(it->second);
}

bool Guardrails::MayAdd(std::string_view label) const {
  const std::string name = NormaliseLabel(label);
  return !Forbidden(name) && allow_.contains(name);
}

bool Guardrails::IsMarker(std::string_view label) const { return markers_.contains(NormaliseLabel(label)); }

bool Guardrails::MayPeopleAdd(std::string_view label) const {
  return !Forbidden(NormaliseLabel(label)) && !IsMarker(label);
}

std::string_view Guardrails::ExcludedBy(std::string_view normalised, const LabelSet& result) const {
  for (const auto& [label, with] : exclusions_) {
    if (label != normalised) continue;
    for (const Name& other : with) {
      if (Contains(result, other.normalised)) return other.spelled;
    }
  }
  return {};
}

GuardrailResult Guardrails::Apply(const GuardrailRequest& request) const {
  GuardrailResult out;
  const auto note = [&](std::string_view rule, std::string reason) { out.notes.push_back({rule, std::move(reason)}); };

  const LabelSet on_issue = Normalised(request.labels_on_issue);
  const LabelSet removed = Normalised(request.removed_by_people);
  LabelSet result = on_issue;  // what will be on the issue

  // 1. Single labels: markers are the engine's, then the forbidden list, then the closed list, then people's removals.
  bool forbidden = false;
  bool unknown = false;
  std::vector<std::pair<std::string, std::string_view>> wanted;  // normalised, canonical
  for (const std::string_view label : request.labels) {
    std::string name = NormaliseLabel(label);
    // No allowed label is forbidden: Create() sees to that.
    const std::string_view canonical = Canonical(name);
    if (markers_.contains(name)) {
      note(kMarkerRule, Quoted(label) + " is a marker: only the engine sets it");
    } else if (canonical.empty() && Forbidden(name)) {
      note(kNeverRule, Quoted(label) + " may never be set by a bot");
      forbidden = true;
    } else if (canonical.empty()) {
      note(kAllowRule, Quoted(label) + " is not on the list of labels that may be added");
      unknown = true;
    } else if (Contains(removed, name)) {
      note(kStickyRule, Quoted(label) + " was removed by a person and is not put back");
    } else if (!Contains(on_issue, name) && absl::c_none_of(wanted, [&](const auto& w) { return w.first == name; })) {
      wanted.emplace_back(std::move(name), canonical);
    }
  }
  const auto drop = [&](const std::string& name) {
    std::erase_if(wanted, [&](const auto& w) { return w.first == name; });
  };

  // 2. Groups of which an issue carries at most one.
  bool conflict = false;
  for (const Names& group : exactly_one_) {
    std::vector<std::string> asked;
    std::string_view existing;
    for (const auto& [name, member] : group) {
      if (Contains(on_issue, name)) existing = member;
      if (absl::c_any_of(wanted, [&name = name](const auto& w) { return w.first == name; })) asked.push_back(name);
    }
    if (asked.empty() || (existing.empty() && asked.size() == 1)) continue;
    for (const std::string& name : asked) {
      note(kExactlyOneRule, existing.empty() ? Quoted(name) + " was asked for together with another of its group"
                                             : Quoted(name) + " is dropped: the issue already has " + Quoted(existing));
      drop(name);
    }
    conflict = conflict || existing.empty();
  }
  for (const auto& [name, canonical] : wanted) result.push_back(name);

  // 3. The general label goes where the special one is, on the resulting set.
  for (size_t i = 0; i < redundant_.size(); ++i) {
    const auto& [general, specific] = redundant_[i];
    if (Contains(on_issue, general.normalised) || !Contains(result, general.normalised) ||
        !Contains(result, specific)) {
      continue;
    }
    note(kRedundantRule, Quoted(general.spelled) + " says nothing beside " + Quoted(model_.redundant[i].specific));
    drop(general.normalised);
    std::erase(result, general.normalised);
  }

  // 4. Too many at once is a sign of a broken rule or of an attack.
  bool too_many = false;
  if (model_.max_labels > 0 && wanted.size() > model_.max_labels) {
    note(kMaxLabelsRule, std::to_string(wanted.size()) + " labels at once are more than the " +
                             std::to_string(model_.max_labels) + " allowed");
    for (const auto& [name, canonical] : wanted) std::erase(result, name);
    wanted.clear();
    too_many = true;
  }

  // 5. A person looks when something forbidden was asked for, or when unknown labels were all there was.
  if (!fallback_.empty() && (forbidden || conflict || too_many || (unknown && wanted.empty())) &&
      !Contains(result, fallback_) && !Contains(removed, fallback_)) {
    note(kFallbackRule, Quoted(model_.fallback) + " is added so that a person looks");
    wanted.emplace_back(fallback_, Canonical(fallback_));
    result.push_back(fallback_);
  }

  // 6. Mutual exclusions, on the resulting set.
  for (size_t i = 0; i < wanted.size();) {
    const std::string_view other = ExcludedBy(wanted[i].first, result);
    if (other.empty()) {
      ++i;
      continue;
    }
    note(kExclusionRule, Quoted(wanted[i].second) + " does not go together with " + Quoted(other));
    std::erase(result, wanted[i].first);
    wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const auto& [name, canonical] : wanted) out.labels.push_back(canonical);

  // 7. Markers: by the engine, unless a step withholds them.
  if (request.marker && request.withhold_marker) note(kMarkerRule, "no marker: a step withholds it");
  if (request.marker && !request.withhold_marker) {
    for (const auto& [name, marker] : marker_names_) {
      const std::string_view other = ExcludedBy(name, result);
      if (Contains(on_issue, name) || Contains(removed, name)) continue;
      if (!other.empty()) {
        note(kExclusionRule, "no " + Quoted(marker) + " together with " + Quoted(other));
        continue;
      }
      out.labels.push_back(Canonical(name));
      result.push_back(name);
    }
  }

  // 8. Only the pack's templates can be said.
  if (!request.template_id.empty()) {
    const auto it = absl::c_find(model_.templates, request.template_id);
    if (it == model_.templates.end()) {
      note(kTemplateRule,
           "template " + Quoted(request.template_id) + " is not on the list of templates that may be posted");
    } else {
      out.template_id = *it;
    }
  }
  return out;
}

}  // namespace yardmaster::rules
