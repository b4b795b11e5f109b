// A rule pack as data: what its JSON files say, after validation and after merging the packs it extends. pack_loader.h
// makes it, compiled_pack.h compiles it. The JSON Schemas in rules/schema/ and the page "How to write a pack" describe
// the files.
#ifndef YARDMASTER_RULES_ENGINE_PACK_PACK_MODEL_H_
#define YARDMASTER_RULES_ENGINE_PACK_PACK_MODEL_H_

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/commands/command_model.h"
#include "rules/engine/text/zones.h"
#include "services/core/pack_origin.h"

namespace yardmaster::rules {

// A condition over what is known about an issue. Exactly one of the forms of the `kind` is filled.
struct Condition {
  enum class Kind {
    kAll,     // {"all": [C, …]}                       every child holds
    kAny,     // {"any": [C, …]}                       at least one child holds
    kNot,     // {"not": C}                            the child does not hold
    kSignal,  // {"signal": ID|[ID…], "zones"?: [Z…]}  at least one of the signals matched (in one of the zones)
    kLabel,   // {"label": L|[L…], "at_least"?: "LOW|MEDIUM|HIGH", "min_score"?: N}  at least one label got that far
    kOnlyZones,     // {"only_zones": {"label": L, "zones": [Z…]}}  the label has evidence, all of it in these zones
    kOutcome,       // {"outcome": CLASSIFIER, "is": [L…]}   the classifier chose at least one of the labels
    kLabelsBefore,  // {"labels_before": L|[L…]}             at least one of the labels was on the issue already
    kStepTaken,     // {"step": ID|[ID…]}                    at least one of the earlier steps was taken (steps only)
    kBodyShorter,   // {"body_shorter_than": BYTES}          the body, without boilerplate and HTML comments, has fewer
                    // bytes
    kAlways,        // true                                  always
  };
  Kind kind = Kind::kAlways;
  std::vector<Condition> children;  // kAll, kAny, kNot
  std::vector<std::string> names;   // signals, labels, steps
  std::string classifier;           // kOutcome
  std::vector<Zone> zones;          // kSignal, kOnlyZones; empty = every zone
  std::string at_least = "MEDIUM";  // kLabel without min_score
  std::optional<double> min_score;  // kLabel
  uint64_t bytes = 0;               // kBodyShorter
  Origin origin;

  friend bool operator==(const Condition&, const Condition&) = default;
};

using ZoneWeights = std::array<double, kZoneCount>;  // indexed by Zone; 0 = not looked at

// Evidence: patterns, the weight of each zone, and the labels that it speaks for.
struct SignalModel {
  std::string id;
  std::string description;
  // Any of the following matches. See rules/schema/rubric.schema.json for the exact meaning.
  std::vector<std::string> words;    // whole identifiers, ASCII case ignored: "ddp" matches DDP, not ddp_model or DDPx
  std::vector<std::string> exact;    // whole identifiers, case as written: "Shard" matches Shard(0), not shard
  std::vector<std::string> phrases;  // words with any white space or "-"/"_" between them, ASCII case ignored
  std::vector<std::string>
      patterns;  // RE2, case as written ((?i) to ignore it); "^"/"$" are the zone's ends unless (?m)
  std::vector<std::string> imports;  // dotted module paths: used, imported, or "from parent import last"
  std::vector<std::string> frames;   // fragments of file paths as they stand in traces: "torch/distributed/fsdp/"
  std::vector<std::string> errors;   // exception or status names, whole identifiers, case as written
  // Derived signals have no patterns but a condition over other signals.
  std::optional<Condition> when;
  double points = 1;      // what a derived signal gives; already multiplied into `zones` for the others
  ZoneWeights zones{};    // points for a match in that zone, counted once a zone
  double cap = 0;         // most points that the signal gives; 0 = no cap
  bool negatable = true;  // a match that a negation word precedes in prose, headings or the title does not count
  std::vector<std::pair<std::string, double>> labels;  // label or topic → factor on the points
  std::string written;                                 // the JSON object as it stands in the file, in one line
  Origin origin;

  friend bool operator==(const SignalModel&, const SignalModel&) = default;
};

// Lowers a label when a condition over base scores holds ("root cause, not keywords").
struct SuppressorModel {
  std::string id;
  std::vector<std::string> labels;  // labels that are lowered
  Condition when;
  double factor = 0;  // new score = old score × factor
  std::string reason;
  std::string written;  // as in SignalModel
  Origin origin;
};

struct ClassifierLabel {
  std::string label;
  // Points taken over from other labels' final scores, after suppression: label → factor.
  std::vector<std::pair<std::string, double>> from;
};

// Turns scores into labels.
struct ClassifierModel {
  enum class Kind {
    kExactlyOne,  // always one label: the first in precedence among those close to the best, else the default
    kAtMostOne,   // one label or none
    kMultiLabel,  // every label that reaches `medium`
  };
  std::string id;
  Kind kind = Kind::kMultiLabel;
  std::vector<ClassifierLabel> labels;  // in order of precedence
  double high = 0;
  double medium = 0;
  double margin = 1;           // one-of kinds: labels with at least margin × best score compete; precedence picks
  double strong = 0;           // one-of kinds: labels with so many points compete whatever the best has; 0 = none
  std::string default_label;   // kExactlyOne only
  bool keep_existing = false;  // a label of the group that is on the issue already is the outcome
  // Where the body has fewer bytes of prose than this, and no sentence is evidence for a label of the group, evidence
  // in code, traces and quotes counts as in prose: who only shows something has said what it is about.
  uint64_t shown_counts_below = 0;
  // Where, besides, nothing is said for a classifier of which one label is taken, it counts this many times as much.
  double shown_factor = 1;
  // A label of the group that is on the issue already counts as evidence with this many points.
  double existing_score = 0;
  std::optional<Condition> when;  // without it, or when it holds, the classifier speaks; else its outcome is empty
  std::string written;            // as in SignalModel
  Origin origin;
};

// One step of the procedure.
struct StepModel {
  std::string id;
  std::string title;
  Condition when;
  std::vector<std::string> add;          // labels
  std::vector<std::string> add_outcome;  // classifiers whose outcome is added
  std::string comment;                   // template id; empty for none
  bool marker = false;                   // the pack's markers are added
  bool withhold_marker = false;          // no marker whatever other steps say
  bool stop = false;
  std::string because;  // said when taken
  std::string written;  // as in SignalModel
  Origin origin;
};

struct LabelModel {
  std::string name;
  std::string description;
  Origin origin;
};

struct TemplateModel {
  std::string id;
  std::string purpose;
  std::string body;
  Origin origin;
};

// guardrails.json: the lists; the mechanisms are in guardrails.cc.
struct GuardrailsModel {
  std::vector<std::string> allow;  // exact names that may be added; an empty list allows nothing
  std::vector<std::string> never;  // exact names, compared without case and extra blanks, that may not be added
  std::vector<std::string> never_patterns;            // RE2, matched on the normalised name
  std::vector<std::vector<std::string>> exactly_one;  // at most one of each group may be on the issue afterwards
  // On the resulting set: `label` is dropped when any of `with` is there.
  struct Exclusion {
    std::string label;
    std::vector<std::string> with;
  };
  std::vector<Exclusion> exclusions;
  // `general` is dropped when `specific` is on the resulting set.
  struct Redundancy {
    std::string general;
    std::string specific;
  };
  std::vector<Redundancy> redundant;
  std::vector<std::string> markers;            // set by the engine, never by a step's list; also in `allow`
  std::vector<std::string> confident_markers;  // added beside the markers unless an exclusion drops them
  std::string fallback;                       // label added when something forbidden was asked for, or nothing survived
  std::vector<std::string> templates;         // ids that may be posted; nothing else can be said
  double duplicate_comment_similarity = 0.8;  // token Jaccard from which an earlier comment counts as the same request
  uint32_t max_labels = 0;                    // more labels than this in one plan are refused; 0 = no limit
  Origin origin;
};

struct CaseModel {
  std::string id;
  std::string title;
  std::string body;
  std::optional<std::vector<std::string>> labels_before;
  nlohmann::json comments;             // as in an eval line; null for none
  std::vector<std::string> rules;      // rules that must fire (signals matched, suppressors active, steps taken)
  std::vector<std::string> not_rules;  // rules that must not fire
  std::optional<std::vector<std::string>> labels;   // the whole classification, exactly
  std::vector<std::string> has_labels;              // in the classification
  std::vector<std::string> lacks_labels;            // not in the classification
  std::optional<std::vector<std::string>> applied;  // exactly
  std::optional<std::string> comment;               // template id; "" = none
  std::string twin_of;                              // case whose classification must be the same
  Origin origin;
};

// A pack with everything that it extends merged in.
struct PackModel {
  std::string name;
  std::string title;
  std::string extends;      // empty for none
  std::string revision;     // 16 hex characters over all files of the pack and its ancestors, cases left out
  std::string entry_label;  // label of the queue; empty: every issue enters
  std::vector<std::string> waiting_labels;  // somebody has to answer first: then a person's comment counts
  bool ignore_bots = false;                 // what other bots open, label or reopen is skipped
  std::vector<LabelModel> labels;           // closed list, in output order
  std::vector<TemplateModel> templates;
  std::vector<std::string> topics;  // internal classes that are scored but never labels; begin with "@"
  bool has_zones = false;
  ZoneRules zone_rules;
  Origin zones_origin;
  bool has_rubric = false;
  ZoneWeights default_zones{};         // for signals without "zones"
  double comment_factor = 1;           // points from comments are multiplied by this
  std::vector<std::string> negations;  // RE2 that must match right before a match to negate it
  std::vector<SignalModel> signals;
  std::vector<SuppressorModel> suppressors;
  std::vector<ClassifierModel> classifiers;
  std::vector<StepModel> steps;
  std::optional<GuardrailsModel> guardrails;
  CommandsModel commands;
  std::vector<CaseModel> cases;  // the pack's own only
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_PACK_MODEL_H_
