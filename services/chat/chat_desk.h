// The service for chat behind the pipe: makes events of messages, and sends answers, each within the platform's limits.
#ifndef YARDMASTER_SERVICES_CHAT_CHAT_DESK_H_
#define YARDMASTER_SERVICES_CHAT_CHAT_DESK_H_

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "clients/chat/chat_client.h"
#include "clients/chat/chat_event.h"
#include "clients/forge/http.h"
#include "services/chat/chat_ask.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/store/inbox.h"
#include "services/core/store/ledger.h"
#include "services/core/store/subscriptions.h"
#include "services/intake/chat_desk.h"

namespace yardmaster {

// What answers may contact: the APIs of the configured platforms, and their hosts for answers.
std::vector<std::string> ChatOrigins(const Config& config);

// Thread-safe.
class PlatformDesk final : public ChatDesk {
 public:
  // References outlive the desk. `http` reaches ChatOrigins and nothing else.
  // `linked`: accounts that people linked themselves; null: there are none.
  PlatformDesk(const Config& config, store::Inbox& inbox, store::Ledger& ledger, store::Subscriptions& subscriptions,
               HttpClient& http, const Clock& clock, FindLinked linked = nullptr);

  bool IsPlatform(std::string_view name) const override;
  ChatAsked Read(const store::Delivery& delivery, std::string_view body) override;
  absl::StatusOr<EffectObservation> Send(const store::Effect& effect) override;
  absl::StatusOr<EffectObservation> ReadBack(const store::Effect& effect) override;
  absl::Status Subscribe(const store::Effect& effect) override;
  absl::StatusOr<std::vector<store::Subscription>> Subscriptions() override { return subscriptions_.List(); }

  // New secrets, users and channels, in one step.
  void ReplaceSettings(const Config& config);

 private:
  // One configuration and what was made of it.
  struct Settings {
    std::shared_ptr<const chat::ChatConfig> chat;
    std::map<std::string, std::unique_ptr<chat::ChatClient>, std::less<>> clients;
  };
  std::shared_ptr<Settings> MakeSettings(const Config& config);
  std::shared_ptr<Settings> Now() const;

  // What a button says, and about what; false if it is not ours, or its hour is over.
  bool OpenAction(const chat::PlatformConfig& config, const chat::ChatEvent& event, std::string& says,
                  v1::Subject& subject) const;
  // The thread's subject, where the text names none: what was asked about there last, or what waits for the person's
  // confirmation.
  bool Recall(const chat::ChatEvent& event, const std::string& login, v1::Subject& subject);
  void Remember(const chat::ChatEvent& event, const v1::Subject& subject);
  absl::StatusOr<EffectObservation> Deliver(const store::Effect& effect, bool again);
  // When one more message may go to a channel; zero: now, and it is counted.
  std::chrono::milliseconds Spend(const std::string& platform, const std::string& channel);

  const Config& config_;
  store::Inbox& inbox_;
  store::Ledger& ledger_;
  store::Subscriptions& subscriptions_;
  HttpClient& http_;
  const Clock& clock_;
  const FindLinked linked_;
  std::map<std::string, std::string, std::less<>> hosts_;  // of the forges' pages
  mutable std::mutex mutex_;                               // guards what follows
  std::shared_ptr<Settings> settings_;
  std::map<std::string, v1::Subject> threads_;  // what threads are about
  std::deque<std::string> thread_order_;        // the oldest first
  std::map<std::string, std::deque<std::chrono::steady_clock::time_point>> spent_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_CHAT_DESK_H_
