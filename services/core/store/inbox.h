// The inbox: raw webhook requests, kept before they are answered and worked on later.
#ifndef YARDMASTER_SERVICES_CORE_STORE_INBOX_H_
#define YARDMASTER_SERVICES_CORE_STORE_INBOX_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/store/page.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

// What has become of a delivery:
//
//     received ──▶ done | ignored | failed | dead          each of them ──▶ received (requeue)
//
// `received` is the only one that is worked on: waiting, in work or to be retried. `failed` was given up (a dead
// letter), `dead` crashed us.
enum class DeliveryState : uint8_t { kReceived, kIgnored, kDone, kFailed, kDead };
std::string_view DeliveryStateName(DeliveryState state);  // "received", "ignored", "done", "failed", "dead"
std::optional<DeliveryState> DeliveryStateFromName(std::string_view name);

using Headers = std::vector<std::pair<std::string, std::string>>;

// A request as it came in. Its signature has been verified: nothing else gets here.
struct NewDelivery {
  std::string forge;        // the forge's name in the config; not empty
  std::string delivery_id;  // the forge's id of the delivery; not empty
  std::string event;        // the forge's name of the event, as the header said it; may be empty
  std::string body;         // the raw bytes
  std::string body_sha256;  // of `body`: 64 lower-case hex characters. Empty: computed by Add
  Headers headers;          // the few that the router needs; never credentials
  TimePoint received_at{};  // the epoch: now

  // For what is known not to be worked on when it arrives: kept as ignored with this reason, at once.
  std::optional<std::string> ignored_because;
  // Where known already; see Inbox::Describe.
  std::string action;
  v1::Subject subject;
};

struct AddResult {
  int64_t id = 0;          // row id: of the first delivery where this one is a duplicate
  bool duplicate = false;  // the forge's delivery id was there before
  // State and reason as they are now, of the first delivery where this is a duplicate.
  DeliveryState state = DeliveryState::kReceived;
  std::string reason;
};

// A stored delivery without its body.
struct Delivery {
  int64_t id = 0;
  std::string forge;
  std::string delivery_id;
  std::string event;
  std::string action;   // empty until described
  v1::Subject subject;  // forge is empty until described
  DeliveryState state = DeliveryState::kReceived;
  std::string reason;    // why ignored, failed, dead or retried; empty else
  int64_t attempts = 0;  // attempts that ended in a retry or in failure; those cut short by a crash are not among them
  TimePoint received_at{};
  std::optional<TimePoint> due_at;      // not before this, for a delivery to be retried
  std::optional<TimePoint> settled_at;  // when it left the state received
  std::string body_sha256;              // hex
  int64_t body_bytes = 0;               // as received
  bool body_kept = false;               // false once retention has removed it, and for replays
  Headers headers;
};

// What a delivery turned out to be.
struct Settlement {
  int64_t id = 0;
  DeliveryState state = DeliveryState::kDone;  // not kReceived
  std::string reason;                          // required for ignored, failed and dead
  // Filled in where the inbox does not know them yet and they are given.
  std::string action;
  v1::Subject subject;
};

// Fields that are set must all hold.
struct DeliveryFilter {
  std::string forge;
  std::string delivery_id;
  std::string event;
  std::optional<DeliveryState> state;
  std::optional<v1::Subject> subject;  // case of names is ignored; an unspecified kind matches every kind
};

struct InboxCounts {
  int64_t received = 0;
  int64_t failed = 0;
  int64_t dead = 0;
};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store (FAILED_PRECONDITION). All return RESOURCE_EXHAUSTED where the disk is low and UNAVAILABLE after shutdown.
class Inbox {
 public:
  virtual ~Inbox() = default;

  // Called once, on the store's own thread: be short, and hand over to another thread for work.
  using AddCallback = std::function<void(absl::StatusOr<AddResult>)>;

  // Keeps a delivery. `done` is called after the commit and never before it, for duplicates too: what was answered is
  // on the disk. Deliveries that arrive together share one commit.
  //
  // A delivery id that this forge sent before is a duplicate and changes nothing. A new id with a body that the same
  // (forge, event) brought before is kept as ignored, with a reason that begins with "replay": signatures cover
  // the body alone, so anybody who has seen a request could send it again under a new id.
  //
  // RESOURCE_EXHAUSTED at once, from the calling thread, if the queue is full (kStoreQueueDeliveries waiting, or
  // kStoreQueueBytes of compressed bodies) or the disk is below its floor; INVALID_ARGUMENT for names over
  // kMaxNameBytes or bodies over kMostHttpBodyBytes.
  virtual void Add(NewDelivery delivery, AddCallback done) = 0;
  // The same, waiting for the answer.
  absl::StatusOr<AddResult> AddAndWait(NewDelivery delivery);

  // Takes up to `limit` deliveries to work on: received, due, and not claimed by anybody. Those to be retried come
  // first, but fill no more than half of the answer where fresh ones wait; each kind in the order of arrival. A claim
  // is held in memory: it ends with Settle, Retry or Release, and all claims end with the process.
  virtual absl::StatusOr<std::vector<Delivery>> Claim(int64_t limit) = 0;
  // Gives claimed deliveries back untouched.
  virtual void Release(const std::vector<int64_t>& ids) = 0;
  // When the next delivery that waits for a retry is due; nullopt if none does.
  virtual absl::StatusOr<std::optional<TimePoint>> NextDue() = 0;
  // Called, on the store's own thread, after deliveries were committed that can be claimed now. One listener; null for
  // none. Once this returns, the one before is not called any more.
  virtual void SetListener(std::function<void()> listener) = 0;

  // Notes action and subject, so that a delivery in work is listed with them.
  virtual absl::Status Describe(int64_t id, std::string_view action, const v1::Subject& subject) = 0;
  // Ends the work on a delivery. Refused (FAILED_PRECONDITION naming both states) unless it is `received`.
  virtual absl::Status Settle(const Settlement& settlement) = 0;
  // The same without waiting; `done` may be null. Called as AddCallback is.
  virtual void SettleAsync(Settlement settlement, std::function<void(absl::Status)> done) = 0;
  absl::Status MarkDone(int64_t id) { return Settle({id, DeliveryState::kDone, {}, {}, {}}); }
  absl::Status MarkIgnored(int64_t id, std::string reason) {
    return Settle({id, DeliveryState::kIgnored, std::move(reason), {}, {}});
  }
  // Counts one more attempt.
  absl::Status MarkFailed(int64_t id, std::string reason) {
    return Settle({id, DeliveryState::kFailed, std::move(reason), {}, {}});
  }
  absl::Status MarkDead(int64_t id, std::string reason) {
    return Settle({id, DeliveryState::kDead, std::move(reason), {}, {}});
  }
  // One attempt failed: counts it, notes why, and lets the delivery rest until `due_at`. Refused unless `received`.
  virtual absl::Status Retry(int64_t id, TimePoint due_at, std::string_view reason) = 0;
  // Back to `received` with no attempts, due now. Refused if it is `received` already, or if its body is not kept.
  virtual absl::Status Requeue(int64_t id) = 0;

  // NOT_FOUND if there is none.
  virtual absl::StatusOr<Delivery> Get(int64_t id) = 0;
  virtual absl::StatusOr<Delivery> Find(std::string_view forge, std::string_view delivery_id) = 0;
  // The raw bytes as received. NOT_FOUND if the delivery is unknown or its body is not kept.
  virtual absl::StatusOr<std::string> Body(int64_t id) = 0;
  virtual absl::StatusOr<Page<Delivery>> List(const DeliveryFilter& filter, const PageRequest& page) = 0;
  // Received, failed and dead ones now. Those done or ignored are counted by metrics.
  virtual absl::StatusOr<InboxCounts> Counts() = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_INBOX_H_
