// What signals say, once trust and age are taken into account. Signals are read here, and here alone; what follows from
// them is decided in diagnose.cc.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_FACTS_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/engine/pipeline/profile.h"
#include "rules/engine/pipeline/report.h"
#include "rules/engine/pipeline/signals.h"

namespace yardmaster::rules {

// A label, or one of several that mean the same.
struct LabelFact {
  bool on = false;
  std::string name;
  std::optional<PipelineTime> since;
  bool stale = false;  // put on before the head commit was made

  bool holds() const { return on && !stale; }
};

// What a comment says that matters.
struct VerdictFact {
  std::string body;
  std::optional<PipelineTime> at;
};

struct TriggerFact {
  std::vector<std::optional<PipelineTime>> all;  // for this head, oldest first
  std::optional<PipelineTime> last;
};

enum class BuildState : uint8_t { kNone, kRunning, kFailed, kPassed };

// Of a check's name, as people see it.
inline constexpr size_t kMaxCheckNameBytes = 300;

struct PipelineFacts {
  LabelFact description_passed;
  LabelFact description_failed;
  LabelFact passed;
  LabelFact failed;
  LabelFact running;
  LabelFact working;

  // Verdicts of trusted bots that still hold.
  std::optional<VerdictFact> description_failure;
  std::optional<VerdictFact> blocked;
  std::optional<VerdictFact> merge_started;
  std::optional<VerdictFact> merge_failed;
  bool in_queue = false;  // the forge's own merge queue has it

  TriggerFact check_pr;
  TriggerFact retest;

  // Of this pull request, those that were broken off left out, newest first.
  std::vector<const PipelineBuild*> builds;
  // The newest that is not older than the head commit.
  const PipelineBuild* newest = nullptr;
  // Where builds are not known: as bots' comments tell. Outlives the pointers above.
  std::optional<PipelineBuild> told;

  bool has_checks = false;
  BuildState checks = BuildState::kNone;
  bool only_missing = false;  // of checks that are required; none runs and none failed
  std::vector<const PipelineCheck*> failed_checks;
  // That somebody has to allow first, where they may bring what is missing. Empty if any runs or failed.
  std::vector<const PipelineCheck*> held_checks;

  std::vector<PipelineEvidence> evidence;
};

// `signals` outlives the facts.
void ReadFacts(const PipelineProfile& profile, const PipelineSignals& signals, PipelineFacts& facts);

// The pull request of a build, by its description; nullopt: it names none, or the profile does not know how it would.
std::optional<int64_t> PullOfBuild(const PipelineProfile& profile, std::string_view description);
// Whether a build is one of this pull request, by its description.
bool IsBuildOfPull(const PipelineProfile& profile, std::string_view description, int64_t number);
// A build without a result has not ended.
bool IsBuilding(const PipelineBuild& build);
BuildState StateOf(const PipelineBuild& build);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_FACTS_H_
