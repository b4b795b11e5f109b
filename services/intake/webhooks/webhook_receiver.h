// Receives webhooks: a request is checked, kept, and answered only after it was committed. Nothing of the body is
// looked at beyond its signature and the name of its repository; the work comes later.
#ifndef YARDMASTER_SERVICES_INTAKE_WEBHOOKS_WEBHOOK_RECEIVER_H_
#define YARDMASTER_SERVICES_INTAKE_WEBHOOKS_WEBHOOK_RECEIVER_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/log_budget.h"
#include "services/core/logging.h"
#include "services/core/store/inbox.h"
#include "services/intake/webhooks/webhook_scope.h"

namespace yardmaster {

// Requests that are turned away, of all senders together.
inline constexpr int64_t kRefusalsLoggedPerMinute = 30;

struct WebhookRequest {
  std::string_view forge;  // the last part of the path
  // The first header of that name, case ignored; empty if there is none.
  std::function<std::string_view(std::string_view name)> header;
  std::string_view body;
  std::string_view request_id;  // for the log
};

struct WebhookAnswer {
  int status = 202;
  std::string body;       // JSON: {"delivery", "duplicate", "state", "reason"?} or {"error"}
  int retry_after_s = 0;  // above 0: for the header
};

// A longer or stranger delivery id is refused like a missing one.
inline constexpr size_t kMaxDeliveryIdBytes = 200;
inline constexpr size_t kMaxEventNameBytes = 100;

// Thread-safe.
class WebhookReceiver {
 public:
  using Answer = std::function<void(WebhookAnswer)>;

  // References outlive the receiver. Secrets are copied from the config.
  WebhookReceiver(const Config& config, store::Inbox& inbox, const Clock& clock, Logger& logger);

  // Answers once: at once if the request is refused, else from the store's thread after the commit. What `request`
  // refers to is not used after this returns.
  //
  //   202  kept; also duplicates, and what is ignored because it is not JSON, of an unknown event, or of a repository
  //        without a pack
  //   400  no delivery id
  //   401  no signature, a wrong one, or a repository outside of the scope of the secrets that fit
  //   404  the forge is not configured
  //   415  not application/json
  //   503  with Retry-After: the commit queue is full, the disk is low, or the store is shutting down
  void Receive(const WebhookRequest& request, const Answer& answer);

  // New secrets, in one step; the rest of `config` is not looked at.
  void ReplaceSecrets(const Config& config);

 private:
  struct Secrets {
    const ForgeProfile* profile = nullptr;
    std::vector<WebhookSecret> secrets;
    bool accept_plain_token = false;
  };
  using Table = std::map<std::string, Secrets, std::less<>>;
  static std::shared_ptr<const Table> MakeTable(const Config& config);

  // Why the delivery will never be worked on; empty if it may.
  std::string IgnoredOnReceipt(const ForgeProfile& forge, std::string_view event, const ScanResult& scan) const;

  const Config& config_;
  store::Inbox& inbox_;
  const Clock& clock_;
  Logger& logger_;
  LogBudget refusals_{kRefusalsLoggedPerMinute};
  mutable std::mutex mutex_;  // guards table_
  std::shared_ptr<const Table> table_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_WEBHOOKS_WEBHOOK_RECEIVER_H_
