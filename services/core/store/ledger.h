// The ledger: everything that was meant to be written to a forge, and what became of it. It answers "what did the bot
// do here, when and why".
#ifndef YARDMASTER_SERVICES_CORE_STORE_LEDGER_H_
#define YARDMASTER_SERVICES_CORE_STORE_LEDGER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/store/page.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

// What has become of an effect:
//
//     intent ──▶ unknown | confirmed | refused | failed
//     unknown ─▶ intent (read and not found: to be sent again) | confirmed | refused | failed
//
// The last three are final. Every other transition is refused, the one to the same state included.
enum class EffectState : uint8_t { kIntent, kUnknown, kConfirmed, kRefused, kFailed };
std::string_view EffectStateName(EffectState state);  // "intent", "unknown", "confirmed", "refused", "failed"
std::optional<EffectState> EffectStateFromName(std::string_view name);
bool IsFinal(EffectState state);
bool MayFollow(EffectState from, EffectState to);

struct NewEffect {
  // Identifies the effect, so that asking for it twice does it once. Made by the caller; not empty.
  std::string key;
  v1::Subject subject;
  std::string kind;      // "add_labels", "post_template", …: one of a fixed set, it becomes a label of a metric
  v1::Action action;     // what to write, complete: a restart works from it
  std::string decision;  // id of the decision that wants it; empty if none
  int64_t delivery = 0;  // row id of the delivery that led to it; 0 if none
};

struct IntentResult {
  int64_t id = 0;
  bool existed = false;  // the key was there before: nothing was changed
  EffectState state = EffectState::kIntent;
};

struct Effect {
  int64_t id = 0;
  std::string key;
  v1::Subject subject;
  std::string kind;
  v1::Action action;
  std::string decision;
  int64_t delivery = 0;
  EffectState state = EffectState::kIntent;
  // What the forge calls it, once seen there or told by its answer to the write: a comment's id, a label's name.
  std::string forge_ref;
  std::string progress;  // of an effect that takes many calls: how far it has come, in the words of its kind
  std::string reason;    // why unknown, refused, failed or postponed
  int64_t attempts = 0;  // how often it was about to be sent
  TimePoint created_at{};
  // When the last attempt began, as long as that attempt may have done something: an intent without it is certainly
  // not on the forge.
  std::optional<TimePoint> sent_at;
  std::optional<TimePoint> due_at;  // not before this: backoff, or the next look
  std::optional<TimePoint> settled_at;
};

// Fields that are set must all hold.
struct EffectFilter {
  std::optional<v1::Subject> subject;  // case of names is ignored; an unspecified kind matches every kind
  std::optional<EffectState> state;
  std::string kind;
  std::string decision;
  std::string forge_ref;
};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store. Transitions of unknown ids are NOT_FOUND, impossible ones FAILED_PRECONDITION naming both states. Intents
// are RESOURCE_EXHAUSTED while the disk is low; transitions are not, since what was done has to be noted.
class Ledger {
 public:
  virtual ~Ledger() = default;

  // Notes what is about to be written, before it is. If the key is known nothing changes and the effect's state is
  // answered; ALREADY_EXISTS if it is known for another subject or kind.
  virtual absl::StatusOr<IntentResult> Intent(const NewEffect& effect) = 0;

  // About to call the forge: counts an attempt and notes the time. Refused unless `intent`. After a restart an intent
  // without an attempt was never sent.
  virtual absl::Status Sending(int64_t id) = 0;
  // Put off until `due_at` (a limit, a forge that is down): it stays `intent` or `unknown` as it was.
  virtual absl::Status Postpone(int64_t id, TimePoint due_at, std::string_view reason) = 0;
  // Sent, and not seen yet. `due_at`: when to read it back first; `forge_ref`: what the forge's answer called it, if
  // there was one.
  virtual absl::Status MarkUnknown(int64_t id, TimePoint due_at, std::string_view reason,
                                   std::string_view forge_ref) = 0;
  // A part of it is done: `unknown`, to be continued at `due_at`. Refused if it is final.
  virtual absl::Status NoteProgress(int64_t id, std::string_view progress, TimePoint due_at) = 0;
  // The attempt certainly did nothing (it never left, or the forge said "not now"): it counts towards no limit. Refused
  // unless `intent`.
  virtual absl::Status UndoSending(int64_t id, std::string_view reason) = 0;
  // No read found it: back to `intent`, to be sent again. Clears `sent_at`.
  virtual absl::Status MarkNotFound(int64_t id, std::string_view reason) = 0;
  // Seen on the forge.
  virtual absl::Status MarkConfirmed(int64_t id, std::string_view forge_ref) = 0;
  // The forge, or a guardrail right before the write, refused it.
  virtual absl::Status MarkRefused(int64_t id, std::string_view reason) = 0;
  // Given up.
  virtual absl::Status MarkFailed(int64_t id, std::string_view reason) = 0;

  virtual absl::StatusOr<Effect> Get(int64_t id) = 0;
  virtual absl::StatusOr<Effect> Find(std::string_view key) = 0;
  // Effects in `intent` or `unknown`, oldest first, whether due or not, with ids above `after`. For the start, when
  // everything pending is settled, and for the work after it.
  virtual absl::StatusOr<std::vector<Effect>> Pending(int64_t after, int64_t limit) = 0;
  virtual absl::StatusOr<int64_t> CountPending() = 0;
  virtual absl::StatusOr<Page<Effect>> List(const EffectFilter& filter, const PageRequest& page) = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_LEDGER_H_
