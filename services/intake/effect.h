// What the pipe asks of each kind of effect: what it may still write, how its action becomes an entry of the ledger,
// how it is written, and how it is read back. Nothing but an effect writes to a forge. A new kind is a file of its own
// in effects/, a field of v1::Action, and a row in effects/kinds.h.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECT_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECT_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "rules/engine/compiled_pack.h"
#include "services/core/store/ledger.h"
#include "services/intake/configured_forge.h"
#include "services/intake/event.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

class ChatBridge;
class JobDispatcher;

// What is known of an effect on the forge after a write or a read.
struct EffectObservation {
  enum class State : uint8_t {
    kSeen,
    kNotSeen,
    kInProgress,  // a part is done; Send goes on
  };
  State state = State::kNotSeen;
  // What the forge calls it. Of kNotSeen: what its answer to the write called it, if there was one.
  std::string forge_ref;
  // kNotSeen: false if the forge did not show everything, so that it proves nothing.
  bool conclusive = true;
  // kInProgress: how far it has come, for the next call; and when that is due.
  std::string progress;
  std::chrono::milliseconds delay{0};

  bool seen() const { return state == State::kSeen; }
  static EffectObservation Seen(std::string_view forge_ref) {
    return {State::kSeen, std::string(forge_ref), true, {}, {}};
  }
};

// How an effect reaches its forge.
struct EffectContext {
  ConfiguredForge& account;
  ForgeCall call;
  ChatBridge* chat = nullptr;     // null: there is no chat
  JobDispatcher* jobs = nullptr;  // null: suites are not run

  Forge& forge() const { return account.forge(); }
};

// What an action is measured by right before it is written.
struct GuardContext {
  const rules::CompiledPack& pack;
  const v1::Plan& plan;
  const std::vector<std::string>& labels_now;
  // Labels that people took off: never put back by a decision.
  const std::vector<std::string>& removed_by_people;
  // Labels that the repository has; null: unknown.
  const std::vector<std::string>* existing_labels = nullptr;
};

// Thread-safe: methods are const and keep nothing.
class EffectKind {
 public:
  virtual ~EffectKind() = default;

  // The word in the ledger and in metrics.
  virtual std::string_view name() const = 0;
  // The actions that it carries out.
  virtual v1::Action::ActionCase action() const = 0;

  // False: nothing depends on it on this forge. When it is refused or never seen, the work that it belongs to goes on
  // as if it were done, and it is not tried again; the ledger tells what became of it.
  virtual bool essential(const Forge&) const { return true; }
  // True: it takes so long (a push with checks, a suite) that no thread waits for it. Its delivery is done once it has
  // begun; the sweep of the ledger carries it on.
  virtual bool outlives_delivery() const { return false; }

  // Whether Guard looks at the subject, which is then read right before the write.
  virtual bool guarded() const { return false; }
  // The part of `action` that may still be written; no action set if nothing is left.
  virtual v1::Action Guard(const GuardContext&, const v1::Action& action) const { return action; }

  // The entry for an action of a plan: its key and the action as it is written, complete. The key names what is done to
  // which subject, whoever decides it and however often, so that the same thing is done once. INVALID_ARGUMENT for an
  // action that can't be written.
  struct Entry {
    std::string key;
    v1::Action action;
  };
  virtual absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const = 0;

  // Writes, or goes on with what `effect.progress` tells. Errors carry a ForgeError.
  virtual absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const = 0;

  // Reads whether it is there, or how much of it.
  virtual absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context,
                                                     const store::Effect& effect) const = 0;
};

// Words of kinds that are looked for in the ledger.
inline constexpr std::string_view kAddLabelsKind = "add_labels";
inline constexpr std::string_view kRemoveLabelsKind = "remove_labels";
inline constexpr std::string_view kPushRefKind = "push_ref";
inline constexpr std::string_view kEditPullKind = "edit_pull";
inline constexpr std::string_view kAwaitConfirmationKind = "await_confirmation";
inline constexpr std::string_view kChatMessageKind = "chat_message";
inline constexpr std::string_view kSubmitJobKind = "submit_job";
inline constexpr std::string_view kApproveTestsKind = "approve_tests";

// A table of kinds. Entries live as long as the program.
using EffectKinds = std::vector<const EffectKind*>;

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECT_H_
