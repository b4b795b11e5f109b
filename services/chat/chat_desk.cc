#include "services/chat/chat_desk.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clients/chat/button.h"
#include "clients/chat/event_json.h"
#include "clients/chat/platform.h"
#include "clients/forge/forge_error.h"
#include "clients/forge/forge_event.h"
#include "clients/git/git_server.h"
#include "services/chat/chat_target.h"
#include "services/core/messages/timestamps.h"
#include "services/core/reasons.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

using chat::ChatEvent;
using chat::ChatPlace;
using chat::ChatSent;
using nlohmann::json;

// Threads whose subjects are remembered.
constexpr size_t kMaxThreads = 2'000;
// Channels whose messages are counted.
constexpr size_t kMaxChannels = 2'000;
// Commands that wait for a yes and are looked through.
constexpr int64_t kAwaitedToLookAt = 100;
constexpr std::chrono::milliseconds kPlatformWait{5'000};

// What a platform takes for one channel: so many messages within so long. A little below what they document.
struct ChatBudget {
  std::string_view platform;
  size_t messages;
  std::chrono::seconds within;
};
constexpr ChatBudget kChatBudgets[] = {{"slack", 1, std::chrono::seconds(1)},
                                       {"mattermost", 8, std::chrono::seconds(1)},
                                       {"feishu", 4, std::chrono::seconds(1)},
                                       {"dingtalk", 18, std::chrono::seconds(60)},
                                       {"wecom", 25, std::chrono::seconds(60)}};

std::string HostOf(std::string_view url) {
  const size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = url.substr(begin + 3);
  return std::string(rest.substr(0, rest.find('/')));
}

v1::ChatOrigin::WriteBar BarOf(ChatWriteBar bar) {
  switch (bar) {
    case ChatWriteBar::kNone:
      break;
    case ChatWriteBar::kChannel:
      return v1::ChatOrigin::WRITE_BAR_CHANNEL;
    case ChatWriteBar::kNobody:
      return v1::ChatOrigin::WRITE_BAR_NOBODY;
    case ChatWriteBar::kUnproved:
      return v1::ChatOrigin::WRITE_BAR_UNPROVED;
  }
  return v1::ChatOrigin::WRITE_BAR_UNSPECIFIED;
}

std::string ThreadKey(const ChatEvent& event) {
  const std::string& thread = event.thread.empty() ? event.message : event.thread;
  return thread.empty() ? std::string() : absl::StrCat(event.platform, " ", event.channel, " ", thread);
}

// A button's payload: the channel that it was made for, the subject, and what pressing it says.
std::string ButtonPayload(const std::string& channel, const v1::Subject& subject, const std::string& says) {
  return json::array(
             {channel, subject.forge(), subject.repository(), static_cast<int>(subject.kind()), subject.number(), says})
      .dump();
}

absl::Status ChatError(ForgeReason reason, ForgeOutcome outcome, std::string_view text,
                       std::optional<std::chrono::milliseconds> wait = std::nullopt) {
  return MakeForgeStatus({reason, outcome, 0, wait}, text);
}

// What came of sending, in the words of the ledger.
absl::StatusOr<EffectObservation> ObservationOf(const ChatSent& sent) {
  using Kind = ChatSent::Kind;
  switch (sent.kind) {
    case Kind::kSent:
      return EffectObservation::Seen(sent.message.empty() ? "sent" : sent.message);
    case Kind::kLimited:
      return ChatError(ForgeReason::kRateLimited, ForgeOutcome::kRefused, sent.reason,
                       std::max<std::chrono::milliseconds>(sent.wait, kPlatformWait));
    case Kind::kNoToken:
      return ChatError(ForgeReason::kUnauthorized, ForgeOutcome::kNotSent, sent.reason);
    case Kind::kNotSent:
      return ChatError(ForgeReason::kNetwork, ForgeOutcome::kNotSent, sent.reason);
    case Kind::kRefused:
    case Kind::kNoPlace:
      return ChatError(ForgeReason::kInvalid, ForgeOutcome::kRefused, sent.reason);
    case Kind::kUnknown:
      break;
  }
  return ChatError(ForgeReason::kNetwork, ForgeOutcome::kUnknown, sent.reason);
}

}  // namespace

std::vector<std::string> ChatOrigins(const Config& config) {
  std::vector<std::string> origins;
  if (config.chat == nullptr) return origins;
  for (const auto& [name, platform] : config.chat->platforms) {
    origins.push_back(platform.api_url);
    for (const std::string_view host : chat::FindChatPlatform(name)->reply_hosts) {
      origins.push_back(absl::StrCat("https://", std::string(host)));
    }
  }
  return origins;
}

PlatformDesk::PlatformDesk(const Config& config, store::Inbox& inbox, store::Ledger& ledger,
                           store::Subscriptions& subscriptions, HttpClient& http, const Clock& clock, FindLinked linked)
    : config_(config),
      inbox_(inbox),
      ledger_(ledger),
      subscriptions_(subscriptions),
      http_(http),
      clock_(clock),
      linked_(std::move(linked)),
      settings_(MakeSettings(config)) {
  for (const auto& [name, forge] : config.forges) {
    if (const std::optional<GitServer> git = GitServerOf(forge); git.has_value()) hosts_[HostOf(git->url)] = name;
  }
}

std::shared_ptr<PlatformDesk::Settings> PlatformDesk::MakeSettings(const Config& config) {
  auto settings = std::make_shared<Settings>();
  settings->chat = config.chat;
  if (config.chat == nullptr) return settings;
  for (const auto& [name, platform] : config.chat->platforms) {
    settings->clients[name] = std::make_unique<chat::ChatClient>(name, platform, http_, clock_);
  }
  return settings;
}

std::shared_ptr<PlatformDesk::Settings> PlatformDesk::Now() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return settings_;
}

void PlatformDesk::ReplaceSettings(const Config& config) {
  std::shared_ptr<Settings> settings = MakeSettings(config);
  const std::lock_guard<std::mutex> lock(mutex_);
  settings_ = std::move(settings);
}

bool PlatformDesk::IsPlatform(std::string_view name) const { return chat::FindChatPlatform(name) != nullptr; }

bool PlatformDesk::OpenAction(const chat::PlatformConfig& config, const ChatEvent& event, std::string& says,
                              v1::Subject& subject) const {
  const std::string& secret = config.SecretText(chat::FindChatPlatform(event.platform)->button_secret);
  const std::optional<std::string> payload = chat::OpenButton(secret, event.action, clock_.Now());
  if (!payload.has_value()) return false;
  // We made it: its shape is ours.
  const json parts = json::parse(*payload, nullptr, false);
  if (!parts.is_array() || parts.size() != 6 || parts[0] != event.channel) return false;
  subject.set_forge(parts[1].get<std::string>());
  subject.set_repository(parts[2].get<std::string>());
  subject.set_kind(static_cast<v1::SubjectKind>(parts[3].get<int>()));
  subject.set_number(parts[4].get<int64_t>());
  says = parts[5].get<std::string>();
  return true;
}

bool PlatformDesk::Recall(const ChatEvent& event, const std::string& login, v1::Subject& subject) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto thread = threads_.find(ThreadKey(event));
    if (thread != threads_.end() && thread->second.repository() == subject.repository()) {
      subject = thread->second;
      return true;
    }
  }
  if (login.empty() || !absl::StrContains(absl::AsciiStrToLower(event.text), "yes")) return false;
  store::EffectFilter filter;
  filter.kind = std::string(kAwaitConfirmationKind);
  const absl::StatusOr<store::Page<store::Effect>> awaited = ledger_.List(filter, {0, kAwaitedToLookAt});
  if (!awaited.ok()) return false;
  for (const store::Effect& effect : awaited->items) {
    const v1::AwaitConfirmation& wait = effect.action.await_confirmation();
    if (!SameLogin(wait.by(), login) || effect.subject.forge() != subject.forge()) continue;
    // The newest says whether anything waits.
    if (wait.ended() || ToTimestamp(clock_.Now()).seconds() > wait.until().seconds()) return false;
    if (!absl::EqualsIgnoreCase(effect.subject.repository(), subject.repository())) return false;
    subject = effect.subject;
    return true;
  }
  return false;
}

void PlatformDesk::Remember(const ChatEvent& event, const v1::Subject& subject) {
  const std::string key = ThreadKey(event);
  if (key.empty() || subject.number() == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!threads_.contains(key)) thread_order_.push_back(key);
  threads_[key] = subject;
  if (thread_order_.size() <= kMaxThreads) return;
  threads_.erase(thread_order_.front());
  thread_order_.pop_front();
}

ChatAsked PlatformDesk::Read(const store::Delivery& delivery, std::string_view body) {
  ChatAsked asked;
  const auto ignored = [&](std::string_view word, std::string_view detail) {
    asked.ignored = reasons::WithDetail(word, detail);
    return asked;
  };
  const std::optional<ChatEvent> event = chat::EventFromJson(body);
  if (!event.has_value()) return ignored(reasons::kMalformed, "no event of chat");
  const std::shared_ptr<Settings> settings = Now();
  if (settings->chat == nullptr || !settings->chat->platforms.contains(event->platform)) {
    return ignored(reasons::kNoRepository, "the platform is no longer configured");
  }
  const chat::PlatformConfig& config = settings->chat->platforms.find(event->platform)->second;
  const ChatAsk ask = AskOf(config, *event, linked_);
  if (ask.channel == nullptr) return ignored(reasons::kNoRepository, "the channel is not configured");
  if (!event->addressed) return ignored(reasons::kNoTrigger, "not said to the bot");

  v1::Event& out = asked.event;
  v1::Subject& subject = *out.mutable_subject();
  subject.set_forge(ask.channel->forge);
  subject.set_repository(ask.channel->repository);
  std::string text = event->text;
  v1::ChatOrigin& origin = *out.mutable_chat();
  if (event->kind == ChatEvent::Kind::kAction) {
    if (!OpenAction(config, *event, text, subject)) {
      return ignored(reasons::kNoTrigger, "the button is not ours, or its hour is over");
    }
  } else if (const ChatTarget target = FindChatTarget(text, hosts_); target.number > 0) {
    const bool other_forge = !target.forge.empty() && target.forge != subject.forge();
    if (!target.forge.empty()) subject.set_forge(target.forge);
    if (!target.repository.empty()) subject.set_repository(target.repository);
    subject.set_number(target.number);
    origin.set_pull_first(target.pull_first);
    origin.set_other_repository(other_forge || !absl::EqualsIgnoreCase(subject.repository(), ask.channel->repository));
    Remember(*event, subject);
  } else if (delivery.action == kRoutedFromChat) {
    subject = delivery.subject;
  } else if (!Recall(*event, ask.login, subject)) {
    // Nothing but the repository.
    subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  }
  std::string login = ask.login;
  ChatWriteBar bar = ask.bar;
  if (subject.forge() != ask.channel->forge) {
    // The account of the forge that was named.
    login = LoginOf(config, *event, subject.forge(), linked_);
    if (bar == ChatWriteBar::kNone && login.empty()) bar = ChatWriteBar::kNobody;
  }
  // A channel bounds what is done there: other repositories are only read.
  if (origin.other_repository() && bar == ChatWriteBar::kNone) bar = ChatWriteBar::kChannel;
  origin.set_platform(event->platform);
  origin.set_channel(event->channel);
  origin.set_user(event->user);
  origin.set_login(login);
  origin.set_unproved(!event->proved);
  origin.set_write_bar(BarOf(bar));
  out.set_id(delivery.delivery_id);
  out.set_origin(v1::Event::ORIGIN_COMMAND);
  out.set_kind(v1::Event::KIND_COMMENTED);
  // No forge has a login with a colon.
  out.set_actor(login.empty() ? absl::StrCat(event->platform, ":", event->user) : login);
  out.set_text_author(out.actor());
  out.set_text(std::move(text));
  return asked;
}

std::chrono::milliseconds PlatformDesk::Spend(const std::string& platform, const std::string& channel) {
  const auto* const budget = std::find_if(std::begin(kChatBudgets), std::end(kChatBudgets),
                                          [&](const ChatBudget& one) { return one.platform == platform; });
  if (budget == std::end(kChatBudgets)) return std::chrono::milliseconds(0);
  const auto now = clock_.Monotonic();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (spent_.size() > kMaxChannels) spent_.clear();
  std::deque<std::chrono::steady_clock::time_point>& sent = spent_[absl::StrCat(platform, " ", channel)];
  while (!sent.empty() && sent.front() + budget->within <= now) sent.pop_front();
  if (sent.size() >= budget->messages) {
    return std::chrono::ceil<std::chrono::milliseconds>(sent.front() + budget->within - now);
  }
  sent.push_back(now);
  return std::chrono::milliseconds(0);
}

absl::StatusOr<EffectObservation> PlatformDesk::Deliver(const store::Effect& effect, bool again) {
  const v1::ChatMessage& message = effect.action.chat_message();
  const std::shared_ptr<Settings> settings = Now();
  const auto client = settings->clients.find(message.platform());
  if (client == settings->clients.end()) {
    return ChatError(ForgeReason::kInvalid, ForgeOutcome::kNotSent, "the platform is no longer configured");
  }
  ChatPlace place;
  place.channel = message.channel();
  // What it answers tells the thread and the address; the ledger does not keep addresses.
  if (const absl::StatusOr<std::string> body = inbox_.Body(effect.delivery); body.ok()) {
    if (const std::optional<ChatEvent> event = chat::EventFromJson(*body);
        event.has_value() && event->channel == message.channel()) {
      place.user = event->user;
      place.message = event->message;
      place.thread = event->thread;
      place.reply_url = event->reply_url;
      place.reply_until = event->reply_until;
    }
  }
  chat::ChatAnswer answer;
  answer.text = message.body();
  answer.key = effect.key;
  const chat::PlatformConfig& config = settings->chat->platforms.find(message.platform())->second;
  const std::string& secret = config.SecretText(chat::FindChatPlatform(message.platform())->button_secret);
  for (const v1::ChatButton& button : message.buttons()) {
    answer.choices.push_back(
        {button.label(), chat::SignButton(secret, ButtonPayload(message.channel(), effect.subject, button.says()),
                                          effect.created_at + chat::kButtonLife)});
  }
  if (const std::chrono::milliseconds wait = Spend(message.platform(), message.channel()); wait.count() > 0) {
    return ChatError(ForgeReason::kBudget, ForgeOutcome::kNotSent, "as much as the platform takes was said there",
                     wait);
  }
  if (!again) return ObservationOf(client->second->Send(place, answer, effect.key));
  const ChatSent found = client->second->SendAgain(place, answer, effect.key);
  if (found.kind == ChatSent::Kind::kNotSent) return EffectObservation{};
  if (found.kind == ChatSent::Kind::kUnknown) {
    EffectObservation nothing_proved;
    nothing_proved.conclusive = false;
    return nothing_proved;
  }
  return ObservationOf(found);
}

absl::StatusOr<EffectObservation> PlatformDesk::Send(const store::Effect& effect) {
  return Deliver(effect, /*again=*/false);
}

absl::Status PlatformDesk::Subscribe(const store::Effect& effect) {
  const v1::ChatSubscription& wanted = effect.action.chat_subscription();
  store::Subscription one;
  one.platform = wanted.platform();
  one.channel = wanted.channel();
  one.forge = effect.subject.forge();
  one.repository = effect.subject.repository();
  one.topic = wanted.topic();
  one.by = wanted.by();
  return wanted.ended() ? subscriptions_.Remove(one) : subscriptions_.Put(one);
}

absl::StatusOr<EffectObservation> PlatformDesk::ReadBack(const store::Effect& effect) {
  return Deliver(effect, /*again=*/true);
}

}  // namespace yardmaster
