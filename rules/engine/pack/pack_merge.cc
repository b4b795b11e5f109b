#include "rules/engine/pack/pack_merge.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/command_reader.h"
#include "services/core/json_document.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

// The name by which a piece is known, and its place.
const std::string& Key(const LabelModel& label) { return label.name; }
const std::string& Key(const TemplateModel& text) { return text.id; }
const std::string& Key(const SignalPart& signal) { return signal.model.id; }
const std::string& Key(const SuppressorModel& suppressor) { return suppressor.id; }
const std::string& Key(const ClassifierModel& classifier) { return classifier.id; }
const std::string& Key(const CommandModel& command) { return command.id; }
const std::string& Key(const CommandGroup& group) { return group.id; }
const std::string& Key(const StepPart& step) { return step.model.id; }
const Origin& OriginOf(const SignalPart& signal) { return signal.model.origin; }
const Origin& OriginOf(const StepPart& step) { return step.model.origin; }
template <typename T>
const Origin& OriginOf(const T& piece) {
  return piece.origin;
}

template <typename T>
auto Find(std::vector<T>& pieces, std::string_view key) {
  return absl::c_find_if(pieces, [&](const T& piece) { return Key(piece) == key; });
}

template <typename T>
std::string Nearest(const std::vector<T>& pieces, std::string_view key) {
  std::vector<std::string_view> known;
  known.reserve(pieces.size());
  for (const T& piece : pieces) known.push_back(Key(piece));
  return DidYouMean(key, known);
}

// Takes out what `part` removes.
template <typename T>
void Remove(const PackPart& part, std::string_view kind, std::vector<T>& pieces, Problems& problems) {
  const auto names = part.remove.find(kind);
  if (names == part.remove.end()) return;
  for (const PlacedName& name : names->second) {
    if (const auto it = Find(pieces, name.name); it != pieces.end()) {
      pieces.erase(it);
    } else {
      problems.push_back(
          ProblemAt(name.origin, "nothing named " + Quoted(name.name) + " is inherited" + Nearest(pieces, name.name)));
    }
  }
}

template <typename T>
void Put(T piece, std::vector<T>& pieces) {
  if (const auto it = Find(pieces, Key(piece)); it != pieces.end()) {
    *it = std::move(piece);
  } else {
    pieces.push_back(std::move(piece));
  }
}

template <typename T>
void ReplaceOrAppend(std::vector<T>& pieces, std::vector<T>& added) {
  for (T& piece : added) Put(std::move(piece), pieces);
}

// As above, but "after" puts a step behind another one, and behind those that were put there before it.
void MergeSteps(std::vector<StepPart>& steps, std::vector<StepPart>& added, Problems& problems) {
  std::map<std::string, std::string> last_behind;
  for (StepPart& step : added) {
    if (step.after.name.empty()) {
      Put(std::move(step), steps);
      continue;
    }
    if (const auto same = Find(steps, Key(step)); same != steps.end()) steps.erase(same);
    const auto chained = last_behind.find(step.after.name);
    const auto anchor = Find(steps, chained != last_behind.end() ? chained->second : step.after.name);
    if (anchor == steps.end()) {
      problems.push_back(ProblemAt(step.after.origin, "expected the id of a step before this one, got " +
                                                          Quoted(step.after.name) + Nearest(steps, step.after.name)));
      continue;
    }
    last_behind[step.after.name] = Key(step);
    steps.insert(anchor + 1, std::move(step));
  }
}

void Append(std::vector<std::string>& list, std::vector<std::string>& added) {
  for (std::string& item : added) {
    if (!absl::c_linear_search(list, item)) list.push_back(std::move(item));
  }
}

void MergeCommands(CommandsModel& commands, PackPart& part) {
  ReplaceOrAppend(commands.groups, part.commands.groups);
  ReplaceOrAppend(commands.commands, part.commands.commands);
  for (auto& [id, text] : part.commands.answers) commands.answers[id] = std::move(text);
  Append(commands.bot_commands, part.commands.bot_commands);
  Append(commands.bot_logins, part.commands.bot_logins);
  if (!part.has_people_labels) return;
  commands.people_labels = std::move(part.commands.people_labels);
  commands.people_labels_origin = std::move(part.commands.people_labels_origin);
}

// Points of a signal in each zone: its own zones, or the default ones.
SignalModel WithZones(SignalPart part, const PackModel& pack, bool has_defaults, Problems& problems) {
  SignalModel& signal = part.model;
  if (signal.when) return std::move(signal);
  ZoneWeights weights{};
  if (part.weights) {
    weights = *part.weights;
  } else if (part.listed) {
    for (const Zone zone : *part.listed) {
      const double by_default = pack.default_zones[static_cast<size_t>(zone)];
      weights[static_cast<size_t>(zone)] = by_default > 0 ? by_default : 1;
    }
  } else if (has_defaults) {
    weights = pack.default_zones;
  } else {
    problems.push_back(
        ProblemAt(signal.origin, "missing key \"zones\"; expected it here or \"default_zones\" in rubric.json"));
  }
  for (size_t i = 0; i < kZoneCount; ++i) signal.zones[i] = weights[i] * signal.points;
  return std::move(signal);
}

// Ids of signals, suppressors and steps are one namespace; a pack may have taken an inherited id for another kind of
// rule.
class RuleIds {
 public:
  explicit RuleIds(Problems& problems) : problems_(problems) {}
  template <typename T>
  void Add(std::string_view kind, const std::vector<T>& pieces) {
    for (const T& piece : pieces) {
      const auto [it, inserted] = kinds_.try_emplace(Key(piece), std::pair(kind, &OriginOf(piece)));
      if (inserted || it->second.first == kind) continue;
      const auto& [other_kind, other] = it->second;
      problems_.push_back(ProblemAt(OriginOf(piece), "the id " + Quoted(Key(piece)) + " is there already, as a " +
                                                         std::string(other_kind) + ": " + other->file + ":" +
                                                         std::to_string(other->line)));
    }
  }

 private:
  Problems& problems_;
  std::map<std::string, std::pair<std::string_view, const Origin*>> kinds_;
};

}  // namespace

PackModel MergeParts(std::vector<PackPart> parts, Problems& problems) {
  PackModel pack;
  std::vector<SignalPart> signals;
  std::vector<StepPart> steps;
  bool has_defaults = false;

  for (PackPart& part : parts) {
    Remove(part, "labels", pack.labels, problems);
    Remove(part, "templates", pack.templates, problems);
    Remove(part, "signals", signals, problems);
    Remove(part, "suppressors", pack.suppressors, problems);
    Remove(part, "classifiers", pack.classifiers, problems);
    Remove(part, "steps", steps, problems);
    Remove(part, "commands", pack.commands.commands, problems);

    if (part.entry_label) pack.entry_label = *part.entry_label;
    if (part.waiting_labels) pack.waiting_labels = *part.waiting_labels;
    if (part.ignore_bots) pack.ignore_bots = *part.ignore_bots;
    ReplaceOrAppend(pack.labels, part.labels);
    ReplaceOrAppend(pack.templates, part.templates);
    ReplaceOrAppend(signals, part.signals);
    ReplaceOrAppend(pack.suppressors, part.suppressors);
    ReplaceOrAppend(pack.classifiers, part.classifiers);
    MergeSteps(steps, part.steps, problems);
    Append(pack.topics, part.topics);
    Append(pack.negations, part.negations);
    if (part.has_zones) {
      pack.has_zones = true;
      pack.zones_origin = part.zones_origin;
      for (const auto& [key, list] : kZoneRuleLists) Append(pack.zone_rules.*list, part.zone_rules.*list);
    }
    if (part.has_rubric) pack.has_rubric = true;
    if (part.default_zones) {
      pack.default_zones = *part.default_zones;
      has_defaults = true;
    }
    if (part.comment_factor) pack.comment_factor = *part.comment_factor;
    MergeCommands(pack.commands, part);
    if (part.guardrails) {
      if (!pack.guardrails) pack.guardrails.emplace();
      ApplyGuardrails(*part.guardrails, *pack.guardrails);
      pack.guardrails->origin = part.guardrails_origin;
    }
  }

  PackPart& own = parts.back();
  pack.name = own.name;
  pack.title = own.title;
  pack.extends = own.extends;
  pack.cases = std::move(own.cases);
  RuleIds ids(problems);
  ids.Add("signal", signals);
  ids.Add("suppressor", pack.suppressors);
  ids.Add("step", steps);
  for (SignalPart& signal : signals) pack.signals.push_back(WithZones(std::move(signal), pack, has_defaults, problems));
  for (StepPart& step : steps) pack.steps.push_back(std::move(step.model));
  CheckCommands(pack.commands, problems);
  return pack;
}

}  // namespace yardmaster::rules
