// What may be written: mechanisms in code, lists from the pack's guardrails.json. Everything is denied
// unless a list allows it. Pure; the planner asks it, and the effects layer asks it again right before writing.
#ifndef YARDMASTER_RULES_ENGINE_GUARDRAILS_H_
#define YARDMASTER_RULES_ENGINE_GUARDRAILS_H_

#include <re2/re2.h>
#include <re2/set.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rules/engine/decision.h"
#include "rules/engine/pack/pack_model.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// What is to be written on one issue.
struct GuardrailRequest {
  std::vector<std::string_view> labels;             // to add, in order
  std::vector<std::string_view> labels_on_issue;    // read right before
  std::vector<std::string_view> removed_by_people;  // labels that a person took off the issue: never put back
  std::string_view template_id;                     // comment to post; empty for none
  bool marker = false;                              // the engine's own marker is wanted
  bool withhold_marker = false;                     // and this forbids it, whatever asked for it
};

// What is left of it.
struct GuardrailResult {
  std::vector<std::string_view> labels;  // to append, in order, markers last; views into the guardrails
  std::string_view template_id;
  std::vector<GuardrailNote> notes;  // what was taken out or put in, and why
};

// "High  Priority " → "high priority": names are compared without case and with single blanks.
std::string NormaliseLabel(std::string_view name);

class Guardrails {
 public:
  // Compiles the lists. Adds a problem for each bad pattern or contradiction (an allowed name that is also forbidden).
  static std::unique_ptr<Guardrails> Create(const GuardrailsModel& model, Problems& problems);

  GuardrailResult Apply(const GuardrailRequest& request) const;

  // Whether a label may be added at all (markers included); used to check packs.
  bool MayAdd(std::string_view label) const;
  bool IsMarker(std::string_view label) const;
  // Whether people may set a label through the bot if the pack lists it for them: not where the lists forbid it to
  // everybody, and no marker, which says what the bot did.
  bool MayPeopleAdd(std::string_view label) const;

 private:
  Guardrails() = default;
  // Canonical spelling of an allowed label; empty if it is not allowed.
  std::string_view Canonical(const std::string& normalised) const;
  bool Forbidden(const std::string& normalised) const;
  // The label of `with` on the resulting set that excludes `label`; empty if none.
  std::string_view ExcludedBy(std::string_view normalised, const std::vector<std::string>& result) const;

  // A list of the model, each name beside its normalised form: a decision asks for many, and makes none of them anew.
  struct Name {
    std::string normalised;
    std::string_view spelled;  // of model_
  };
  using Names = std::vector<Name>;
  static Names NamesOf(const std::vector<std::string>& spelled);

  GuardrailsModel model_;
  std::vector<Names> exactly_one_;
  std::vector<std::pair<Name, std::string>> redundant_;  // general, normalised specific
  std::vector<std::pair<std::string, Names>> exclusions_;
  Names marker_names_;                                  // both kinds, in order
  std::unordered_map<std::string, std::string> allow_;  // normalised → as spelled
  std::unordered_set<std::string> never_;
  std::vector<std::unique_ptr<RE2>> never_patterns_;
  std::unordered_set<std::string> markers_;  // both kinds, normalised
  std::string fallback_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_GUARDRAILS_H_
