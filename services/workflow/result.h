// How a command of the workflow ended.
#ifndef YARDMASTER_SERVICES_WORKFLOW_RESULT_H_
#define YARDMASTER_SERVICES_WORKFLOW_RESULT_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "clients/git/git_clone.h"

namespace yardmaster::workflow {

struct Step {
  std::string id;
  std::string state;  // "done", "planned", "left"
  std::string detail;
};

struct Result {
  // kRefused: nothing has changed.
  enum class Outcome : uint8_t { kDone, kNothing, kRefused };

  std::string command;
  Outcome outcome = Outcome::kDone;
  std::string reason;
  std::string fix;
  std::string branch;
  std::vector<GitRefChange> refs;  // those that moved, or would
  std::vector<std::string> backups;
  std::vector<std::string> untracked;
  std::vector<Step> steps;
};

// The object that `--json` prints; ids of refs that are absent are null.
nlohmann::ordered_json ToJson(const Result& result);
std::string ToText(const Result& result);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_RESULT_H_
