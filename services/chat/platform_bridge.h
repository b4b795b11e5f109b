// The service for chat behind the pipe: makes events of messages, and sends answers, each within the platform's limits.
#ifndef YARDMASTER_SERVICES_CHAT_PLATFORM_BRIDGE_H_
#define YARDMASTER_SERVICES_CHAT_PLATFORM_BRIDGE_H_

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/chat/chat_client.h"
#include "clients/chat/chat_event.h"
#include "clients/forge/http.h"
#include "services/chat/account_links.h"
#include "services/chat/chat_ask.h"
#include "services/chat/chat_budgets.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/store/chat_threads.h"
#include "services/core/store/inbox.h"
#include "services/core/store/ledger.h"
#include "services/core/store/subscriptions.h"
#include "services/intake/chat_bridge.h"

namespace yardmaster {

// What answers may contact: the APIs of the configured platforms, and their hosts for answers.
std::vector<std::string> ChatOrigins(const Config& config);

// Thread-safe.
class PlatformBridge final : public ChatBridge {
 public:
  // What the bridge is for outlives it. `http` reaches ChatOrigins and nothing else.
  struct Environment {
    const Config& config;
    store::Inbox& inbox;
    store::Ledger& ledger;
    store::Subscriptions& subscriptions;
    store::ChatThreads& threads;
    HttpClient& http;
    const Clock& clock;
    AccountLinks& links;  // accounts that people linked themselves
  };
  explicit PlatformBridge(const Environment& environment);

  bool IsPlatform(std::string_view name) const override;
  ChatAsked Read(const store::Delivery& delivery, std::string_view body) override;
  absl::StatusOr<EffectObservation> Send(const store::Effect& effect) override;
  absl::StatusOr<EffectObservation> ReadBack(const store::Effect& effect) override;
  bool CanChange(std::string_view platform) const override;
  absl::Status Subscribe(const store::Effect& effect) override;
  absl::Status Link(const store::Effect& effect) override;
  absl::StatusOr<std::vector<store::Subscription>> Subscriptions() override { return env_.subscriptions.List(); }

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

  // What a button of ours was made for.
  struct Pressed {
    std::string says;
    std::string button;  // which one
    bool chinese = false;
    bool direct = false;
    v1::Subject subject;
  };
  // nullopt: it is not ours, or its hour is over.
  std::optional<Pressed> OpenAction(const chat::PlatformConfig& config, const chat::ChatEvent& event) const;
  // The subject where the text names none: what was asked about last in the thread, or by the person where there are no
  // threads, or what waits for the person's confirmation.
  bool Recall(const chat::ChatEvent& event, const std::string& login, v1::Subject& subject);
  // Whether it is a line that we offered there lately, in Chinese: a line with a slash has no language of its own.
  bool IsOfferedInChinese(const chat::ChatEvent& event, const v1::Subject& subject) const;
  absl::StatusOr<EffectObservation> Deliver(const store::Effect& effect, bool again);
  // Where an answer goes, as the event that it answers tells.
  chat::ChatPlace PlaceOf(const store::Effect& effect, const chat::ChatClient& client) const;
  chat::ChatAnswer AnswerOf(const store::Effect& effect, const chat::PlatformConfig& config,
                            const chat::ChatPlace& place) const;
  // The newest of the earlier forms of the same message that is there.
  absl::StatusOr<std::optional<store::Effect>> FindShown(const store::Effect& effect) const;
  // Says no more there for as long as the platform asks for.
  void KeepAway(const v1::ChatMessage& message, const chat::ChatPlace& place, const chat::ChatSent& sent);
  // Changes the message that `shown` is; nullopt: it can't be changed, so that a new one is sent.
  std::optional<absl::StatusOr<EffectObservation>> Change(const store::Effect& shown, chat::ChatClient& client,
                                                          const chat::ChatPlace& place, const chat::ChatAnswer& answer);

  const Environment env_;
  const FindLinked linked_;
  ChatBudgets budgets_;
  std::map<std::string, std::string, std::less<>> hosts_;  // of the forges' pages
  mutable std::mutex mutex_;                               // guards what follows
  std::shared_ptr<Settings> settings_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_PLATFORM_BRIDGE_H_
