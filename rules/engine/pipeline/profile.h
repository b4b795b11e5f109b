// A profile: how the gate of a project speaks. pipeline.json of a pack, compiled.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_PROFILE_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_PROFILE_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/pipeline/console_log.h"
#include "rules/engine/pipeline/pattern.h"
#include "rules/engine/pipeline/signals.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// The first gate: a bot checks title and description.
struct DescriptionGate {
  std::string trigger;  // the whole of the comment that starts it
  std::string passed;   // label
  std::string failed;   // label; empty: there is none
  std::vector<Pattern> passed_comments;
  std::vector<Pattern> failed_comments;
};

// The second gate: builds and tests.
struct BuildGate {
  std::string trigger;              // empty: no comment starts it
  std::vector<std::string> passed;  // labels, any of them
  std::vector<std::string> failed;
  std::vector<std::string> running;
  std::vector<std::string> working;       // a bot is at it, before there is a build
  std::vector<Pattern> blocked_comments;  // it was not started, for want of the first gate
  std::vector<Pattern> started_comments;  // group "number"
  // Over rows of a table in a comment: groups "stage", "number", "url", and "result" or, where that is no word of
  // Jenkins, "passed" and "failed".
  std::vector<Pattern> result_rows;
  std::vector<Pattern> partial_comments;  // their tables are about a part of the gate: they tell no result
  std::chrono::milliseconds bypass{0};    // a success that took less is none; 0: every success is one
};

// What keeps a pull request from being merged though its gate is green.
struct Blocker {
  enum class Sign : uint8_t {
    kLabel,    // a label of that name is on
    kPattern,  // a label is on whose whole name matches
    kMissing,  // no label of that name is on: tells of a green gate only
  };
  Sign sign = Sign::kLabel;
  std::string label;
  Pattern pattern;
  std::string why;
};

// What people do about a failure: told with it.
struct FixRecipe {
  std::string stage;  // empty: any
  std::string rule;   // empty: any
  std::string fix;
};

struct JenkinsProfile {
  std::string url;                          // with scheme, without "/" at its end
  std::map<std::string, std::string> jobs;  // "owner/repo" → job
  uint32_t builds = 60;                     // that are looked at
  Pattern pull_request;                     // group "number", over a build's description
};

// Gates of check runs and commit statuses.
struct ChecksProfile {
  std::vector<Pattern> required;  // over the whole name; empty: all
  std::vector<Pattern> ignored;   // over the whole name; wins
  // What the forge requires of the branch is required, too.
  bool required_by_forge = false;
};

// What merges once the gate is green.
struct MergeQueueProfile {
  bool of_forge = false;             // the forge's own: its history tells
  std::vector<std::string> running;  // labels
  std::vector<Pattern> started_comments;
  std::vector<Pattern> failed_comments;
};

struct PipelineCase {
  std::string id;
  nlohmann::json signals;
  PipelineTime now;
  nlohmann::json expected;  // members that the report must have, with these values
  std::string file;
  uint32_t line = 0;
};

struct PipelineProfile {
  std::string pack;  // that has it
  std::vector<std::string> trusted_authors;
  std::chrono::minutes trigger_wait{30};
  uint32_t max_retests = 5;
  // While a gate runs, the service pushes nothing to the pull request.
  bool no_push_while_running = false;
  std::vector<std::string> call;  // logins that are named when a person is needed
  std::optional<DescriptionGate> description_gate;
  BuildGate build_gate;
  std::vector<Blocker> blockers;
  std::vector<std::string> advisory;  // labels that change nothing
  std::optional<JenkinsProfile> jenkins;
  std::optional<ChecksProfile> checks;
  std::optional<MergeQueueProfile> merge_queue;
  LogRules log;
  std::vector<FixRecipe> fixes;
  std::vector<std::string> build_inputs;  // globs: a change here may break anything
  std::vector<std::string> inert_files;   // globs: a change here breaks no test
  std::vector<PipelineCase> cases;
};

// Name of the pack, `pack` itself or the nearest that it extends, with a profile; empty if there is none.
std::string PackWithPipeline(const PackFiles& files, std::string_view pack);

// Null if there is no profile, or if anything is wrong with it; `problems` then names file, pointer and line. Pure.
std::shared_ptr<const PipelineProfile> LoadPipeline(const PackFiles& files, std::string_view pack, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_PROFILE_H_
