// Commands: what people asked for in comments and opening posts, so that edits, replays and redeliveries don't do it
// twice.
#ifndef YARDMASTER_SERVICES_CORE_STORE_COMMANDS_H_
#define YARDMASTER_SERVICES_CORE_STORE_COMMANDS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

// One command as it stands in a text.
struct AskedCommand {
  std::string fingerprint;  // equal for what asks for the same; not empty
  std::string command;      // its id; empty for one that nobody knows
  // False: it only holds its place. Somebody else's delivery brings it.
  bool take = true;
};

// All commands of one text, in their order.
struct CommandsOfText {
  v1::Subject subject;
  std::string source;  // names the text on its subject: "c123" for a comment, "post" for the opening post
  std::string actor;   // who wrote them
  int64_t delivery = 0;
  std::vector<AskedCommand> asked;
};

enum class CommandProgress : uint8_t {
  kTaken,    // somebody works on it
  kPlanned,  // what is to be done is decided, and perhaps begun
  kSettled,  // answered, or it will never be
};

struct StoredCommand {
  int64_t id = 0;
  v1::Subject subject;
  std::string source;
  int64_t slot = 0;      // its place among those of its text, for good: the answer is known by it
  int64_t revision = 0;  // how often another command was written in its place
  std::string fingerprint;
  std::string command;
  std::string actor;
  int64_t delivery = 0;  // that works, or worked, on it
  CommandProgress progress = CommandProgress::kTaken;
  std::string outcome;  // kSettled: what came of it, the caller's words
  std::string plan;     // the caller's bytes; empty until planned, and in lists
  TimePoint seen_at{};
  std::optional<TimePoint> settled_at;
};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store. Take is RESOURCE_EXHAUSTED while the disk is low.
class Commands {
 public:
  virtual ~Commands() = default;

  // Which of a text's commands `delivery` has to work on: for each asked one, in order, its row, or nullopt if it is
  // none of this delivery's business. Known by fingerprint within their text, so that it does not matter what an edit
  // puts before or behind them:
  //  * never seen in this text: new. Where something else stood in its place and is gone, it takes that one's slot,
  //    with a revision more; else a slot of its own.
  //  * settled in that place before, and then replaced by what is gone now (an edit that was taken back): nullopt.
  //  * seen, and not settled: handed out to the delivery that took it, and to another one when the inbox says that the
  //    first was given up. The actor stays the one who wrote it.
  //  * settled: nullopt.
  virtual absl::StatusOr<std::vector<std::optional<StoredCommand>>> Take(const CommandsOfText& text) = 0;
  // What is to be done. FAILED_PRECONDITION unless kTaken.
  virtual absl::Status Plan(int64_t id, std::string_view plan) = 0;
  // It is answered. FAILED_PRECONDITION if it was before.
  virtual absl::Status Settle(int64_t id, std::string_view outcome) = 0;
  // Those of a subject, oldest first, without plans.
  virtual absl::StatusOr<std::vector<StoredCommand>> List(const v1::Subject& subject) = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_COMMANDS_H_
