// What is known of a pull request when its gate is read. Whoever reads it from a forge, from Jenkins or from a file
// fills this; nothing here is judged yet.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_SIGNALS_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_SIGNALS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/said_text.h"

namespace yardmaster::rules {

using PipelineTime = std::chrono::system_clock::time_point;

// RFC 3339, with any offset, from 1970 to 2099.
std::optional<PipelineTime> ParsePipelineTime(std::string_view text);
std::string PipelineTimeText(PipelineTime time);

struct PipelineLabelEvent {
  std::string label;
  bool added = true;  // false: taken off
  PipelineTime at;
};

struct PipelineComment {
  std::string author;  // login
  std::string body;
  std::optional<PipelineTime> at;
  std::string id = {};  // the forge's; may be empty
};

struct PipelineBuild {
  int64_t number = 0;
  std::string result;  // "SUCCESS", "FAILURE", "UNSTABLE", "ABORTED", …; empty while it runs
  bool building = false;
  std::string description;
  std::string url;
  std::optional<PipelineTime> started;
  std::chrono::milliseconds duration{0};  // 0: unknown
  std::optional<std::string> console;     // nullopt: not read
};

// A check run or a commit status of the head.
struct PipelineCheck {
  // kHeld: it begins only once somebody with rights allows it.
  enum class State : uint8_t { kRunning, kPassed, kFailed, kCancelled, kHeld };
  std::string name;
  State state = State::kRunning;
  std::string url;
  std::vector<std::string> failed = {};  // the jobs of a failed one, where they are known
};

// The forge's merge queue took a pull request in, or let it go: merged or not.
struct PipelineQueueEvent {
  bool added = true;
  PipelineTime at;
};

struct PipelineSignals {
  std::string owner;
  std::string repo;
  int64_t number = 0;
  std::string url;
  std::string author;
  bool closed = false;  // or merged
  std::string head;     // commit
  std::optional<PipelineTime> head_at;
  std::vector<std::string> labels;
  std::vector<PipelineLabelEvent> label_events;      // in any order; may be incomplete
  std::vector<PipelineComment> comments;             // in any order
  std::optional<std::vector<PipelineBuild>> builds;  // of the job, of any pull request; nullopt: not known
  // Logs of builds that only comments tell of, by number.
  std::map<int64_t, std::string> consoles;
  std::optional<std::vector<PipelineCheck>> checks;  // nullopt: not known
  std::vector<std::string> required_checks;          // whole names, as the forge requires them of the branch
  std::vector<PipelineQueueEvent> queue_events;      // in any order
  std::optional<std::vector<std::string>> files;     // that the pull request changes; nullopt: not known
  // Of files that it changes: hunks in unified format without file headers.
  std::map<std::string, std::string, std::less<>> patches;
  // Test files, as logs name them → the files of the head that they reach. One that is missing is not known.
  std::map<std::string, std::vector<std::string>, std::less<>> reach;
  // Tests that ran on the base branch lately → whether they passed.
  std::map<std::string, bool, std::less<>> baseline;
  std::vector<SaidText> unread;  // what could not be read, and why; for people
};

inline constexpr size_t kMaxSignalsBytes = 32 * 1024 * 1024;

// The file of `yard pipeline diagnose --file`, and of the cases of profiles: see services/pipeline/README.md. nullopt,
// and `error`, for another shape.
std::optional<PipelineSignals> ReadPipelineSignals(const nlohmann::json& value, std::string& error);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_SIGNALS_H_
