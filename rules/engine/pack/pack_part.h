// What one pack folder says by itself, before anything that it extends is merged in.
#ifndef YARDMASTER_RULES_ENGINE_PACK_PACK_PART_H_
#define YARDMASTER_RULES_ENGINE_PACK_PACK_PART_H_

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/pack/pack_model.h"
#include "rules/engine/pack/pack_reader.h"
#include "services/core/json_document.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// A signal whose zones can only be resolved when the default zones of all packs are known.
struct SignalPart {
  SignalModel model;
  std::optional<ZoneWeights> weights;       // "zones" as an object
  std::optional<std::vector<Zone>> listed;  // "zones" as a list
};

// A name that refers to something, with its place.
struct PlacedName {
  std::string name;
  Origin origin;
};

struct StepPart {
  StepModel model;
  PlacedName after;  // id of the step that it is put behind; empty for none
};

struct PackPart {
  std::string name;
  std::string title;
  std::string extends;  // empty for none
  Origin extends_origin;
  std::optional<std::string> entry_label;
  std::optional<std::vector<std::string>> waiting_labels;
  std::optional<bool> ignore_bots;
  // "signals", "labels", … → what is taken out of the inherited ones.
  std::map<std::string, std::vector<PlacedName>, std::less<>> remove;
  std::vector<LabelModel> labels;
  std::vector<TemplateModel> templates;
  bool has_zones = false;
  ZoneRules zone_rules;
  Origin zones_origin;
  bool has_rubric = false;
  std::vector<std::string> topics;
  std::optional<ZoneWeights> default_zones;
  std::optional<double> comment_factor;
  std::vector<std::string> negations;
  std::vector<SignalPart> signals;
  std::vector<SuppressorModel> suppressors;
  std::vector<ClassifierModel> classifiers;
  std::vector<StepPart> steps;
  std::optional<nlohmann::json> guardrails;  // as written, valid under its schema
  Origin guardrails_origin;
  CommandsModel commands;
  bool has_people_labels = false;
  std::vector<CaseModel> cases;
  std::vector<PlacedName> twins;  // what "twin_of" says, for the case with the same position in `cases`
};

// Reads and checks the files of one pack: JSON, schema, and what can be said without its parent. Adds all problems;
// what comes back is complete only if there were none.
PackPart ReadPackPart(const PackFiles& files, std::string_view name, Problems& problems);

// Calls `visit(path, bytes)` for each file of a pack, sorted by path.
template <typename Visit>
void ForEachPackFile(const PackFiles& files, std::string_view name, Visit visit) {
  const std::string prefix = std::string(name) + "/";
  for (auto it = files.lower_bound(prefix); it != files.end() && it->first.starts_with(prefix); ++it) {
    visit(it->first, it->second);
  }
}

// Of one file of a pack.
JsonLimits PackFileLimits();

// The keys that a guardrails.json gives replace those of `guardrails`.
void ApplyGuardrails(const nlohmann::json& value, GuardrailsModel& guardrails);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_PACK_PART_H_
