#include "services/chat/platform_bridge.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
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
#include "services/core/absl_view.h"
#include "services/core/lines.h"
#include "services/core/messages/timestamps.h"
#include "services/core/reasons.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

using chat::ChatEvent;
using chat::ChatPlace;
using chat::ChatSent;
using nlohmann::json;

// Commands that wait for a yes and are looked through.
constexpr int64_t kAwaitedToLookAt = 100;
// The same of what was said about a subject.
constexpr int64_t kAnswersToLookAt = 20;
constexpr std::chrono::milliseconds kPlatformWait{5'000};
// WeCom takes 1,024 bytes.
constexpr size_t kMostButtonValue = 1'000;
// Before the id of a person, as the name of a thread: no platform's name of a message begins so.
constexpr std::string_view kPersonsThread = "person ";
// So long a person without threads goes on with what they asked about.
constexpr std::chrono::minutes kPersonsThreadLife{30};
// The ledger's word for a message whose name the platform did not tell.
constexpr std::string_view kSentWithoutName = "sent";
// A message is changed no more often than this: people read it, and platforms count.
constexpr std::chrono::milliseconds kBetweenChanges{5'000};

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

// What is said belongs to: its thread, which a message at the top begins; where the platform has none, or what was said
// is no message, the person in the channel.
store::ChatThread ThreadOf(const ChatEvent& event) {
  std::string thread = event.thread;
  if (thread.empty() && chat::FindChatPlatform(event.platform)->has_threads) thread = event.message;
  if (thread.empty()) thread = absl::StrCat(Abs(kPersonsThread), event.user);
  return {event.platform, event.channel, std::move(thread)};
}

// Parts of a button's payload, and of one that an older daemon made: it had none of the last two, and is good for an
// hour.
constexpr size_t kButtonParts = 9;
constexpr size_t kOldButtonParts = 7;

// A button's payload: the channel that it was made for, the subject, what pressing it says, which button it is, whether
// its message is in Chinese, and whether it stands in a conversation with one person: no platform says so of a press.
std::string ButtonPayload(const ChatPlace& place, const v1::Subject& subject, const v1::ChatButton& says,
                          const std::string& button) {
  return json::array({place.channel, subject.forge(), subject.repository(), static_cast<int>(subject.kind()),
                      subject.number(), says.says(), button, says.chinese(), place.direct})
      .dump();
}

absl::Status ChatError(ForgeReason reason, ForgeOutcome outcome, std::string_view text,
                       std::optional<std::chrono::milliseconds> wait = std::nullopt) {
  return MakeForgeStatus({reason, outcome, 0, wait}, text);
}

ChatGoal GoalOf(const v1::ChatMessage& message, const ChatPlace& place) {
  return {message.platform(), message.channel(), place.user};
}

// What came of sending, in the words of the ledger.
absl::StatusOr<EffectObservation> ObservationOf(const ChatSent& sent) {
  using Kind = ChatSent::Kind;
  switch (sent.kind) {
    case Kind::kSent:
      return EffectObservation::Seen(sent.message.empty() ? kSentWithoutName : sent.message);
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

PlatformBridge::PlatformBridge(const Environment& environment)
    : env_(environment),
      linked_([&links = environment.links](std::string_view platform, std::string_view user, std::string_view forge) {
        return links.Find(platform, user, forge);
      }),
      budgets_(environment.clock),
      settings_(MakeSettings(environment.config)) {
  for (const auto& [name, forge] : env_.config.forges) {
    if (const std::optional<GitServer> git = GitServerOf(forge); git.has_value()) hosts_[HostOf(git->url)] = name;
  }
}

std::shared_ptr<PlatformBridge::Settings> PlatformBridge::MakeSettings(const Config& config) {
  auto settings = std::make_shared<Settings>();
  settings->chat = config.chat;
  if (config.chat == nullptr) return settings;
  for (const auto& [name, platform] : config.chat->platforms) {
    settings->clients[name] = std::make_unique<chat::ChatClient>(name, platform, env_.http, env_.clock);
  }
  return settings;
}

std::shared_ptr<PlatformBridge::Settings> PlatformBridge::Now() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return settings_;
}

void PlatformBridge::ReplaceSettings(const Config& config) {
  std::shared_ptr<Settings> settings = MakeSettings(config);
  const std::lock_guard<std::mutex> lock(mutex_);
  settings_ = std::move(settings);
}

bool PlatformBridge::IsPlatform(std::string_view name) const { return chat::FindChatPlatform(name) != nullptr; }

std::optional<PlatformBridge::Pressed> PlatformBridge::OpenAction(const chat::PlatformConfig& config,
                                                                  const ChatEvent& event) const {
  const std::string& secret = config.SecretText(chat::FindChatPlatform(event.platform)->button_secret);
  const std::optional<std::string> payload = chat::OpenButton(secret, event.action, env_.clock.Now());
  if (!payload.has_value()) return std::nullopt;
  // We made it: its shape is ours.
  const json parts = json::parse(*payload, nullptr, false);
  if (!parts.is_array() || (parts.size() != kButtonParts && parts.size() != kOldButtonParts)) return std::nullopt;
  if (parts[0] != event.channel) return std::nullopt;
  Pressed pressed;
  pressed.subject.set_forge(parts[1].get<std::string>());
  pressed.subject.set_repository(parts[2].get<std::string>());
  pressed.subject.set_kind(static_cast<v1::SubjectKind>(parts[3].get<int>()));
  pressed.subject.set_number(parts[4].get<int64_t>());
  pressed.says = parts[5].get<std::string>();
  pressed.button = parts[6].get<std::string>();
  if (parts.size() == kButtonParts) {
    pressed.chinese = parts[7].get<bool>();
    pressed.direct = parts[8].get<bool>();
  }
  return pressed;
}

bool PlatformBridge::Recall(const ChatEvent& event, const std::string& login, v1::Subject& subject) {
  const store::ChatThread thread = ThreadOf(event);
  const absl::StatusOr<std::optional<store::ThreadSubject>> known = env_.threads.Find(thread);
  if (known.ok() && known->has_value() && (*known)->subject.repository() == subject.repository()) {
    const bool good =
        !thread.thread.starts_with(kPersonsThread) || env_.clock.Now() - (*known)->at < kPersonsThreadLife;
    if (good) subject = (*known)->subject;
    if (good) return true;
  }
  if (login.empty() || !absl::StrContains(absl::AsciiStrToLower(event.text), "yes")) return false;
  store::EffectFilter filter;
  filter.kind = std::string(kAwaitConfirmationKind);
  const absl::StatusOr<store::Page<store::Effect>> awaited = env_.ledger.List(filter, {0, kAwaitedToLookAt});
  if (!awaited.ok()) return false;
  for (const store::Effect& effect : awaited->items) {
    const v1::AwaitConfirmation& wait = effect.action.await_confirmation();
    if (!SameLogin(wait.by(), login) || effect.subject.forge() != subject.forge()) continue;
    // The newest says whether anything waits.
    if (wait.ended() || ToTimestamp(env_.clock.Now()).seconds() > wait.until().seconds()) return false;
    if (!absl::EqualsIgnoreCase(effect.subject.repository(), subject.repository())) return false;
    subject = effect.subject;
    return true;
  }
  return false;
}

bool PlatformBridge::IsOfferedInChinese(const ChatEvent& event, const v1::Subject& subject) const {
  const std::string_view line = TrimBlanks(event.text);
  if (!line.starts_with('/')) return false;
  store::EffectFilter filter;
  filter.kind = std::string(kChatMessageKind);
  filter.subject = subject;
  filter.subject->clear_kind();  // what a person names has none yet
  const absl::StatusOr<store::Page<store::Effect>> said = env_.ledger.List(filter, {0, kAnswersToLookAt});
  if (!said.ok()) return false;
  for (const store::Effect& effect : said->items) {
    const v1::ChatMessage& message = effect.action.chat_message();
    if (env_.clock.Now() - effect.created_at > chat::kButtonLife) return false;
    if (message.platform() != event.platform || message.channel() != event.channel) continue;
    const auto offered =
        absl::c_find_if(message.buttons(), [&](const v1::ChatButton& button) { return button.says() == line; });
    if (offered != message.buttons().end()) return offered->chinese();
  }
  return false;
}

ChatAsked PlatformBridge::Read(const store::Delivery& delivery, std::string_view body) {
  ChatAsked asked;
  const auto ignored = [&](std::string_view word, std::string_view detail) {
    asked.ignored = reasons::WithDetail(word, detail);
    return asked;
  };
  std::optional<ChatEvent> event = chat::EventFromJson(body);
  if (!event.has_value()) return ignored(reasons::kMalformed, "no event of chat");
  const std::shared_ptr<Settings> settings = Now();
  if (settings->chat == nullptr || !settings->chat->platforms.contains(event->platform)) {
    return ignored(reasons::kNoRepository, "the platform is no longer configured");
  }
  const chat::PlatformConfig& config = settings->chat->platforms.find(event->platform)->second;
  std::optional<Pressed> pressed;
  if (event->kind == ChatEvent::Kind::kAction) pressed = OpenAction(config, *event);
  if (pressed.has_value()) event->direct = event->direct || pressed->direct;
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
    if (!pressed.has_value()) return ignored(reasons::kNoTrigger, "the button is not ours, or its hour is over");
    text = std::move(pressed->says);
    subject = std::move(pressed->subject);
    origin.set_button(std::move(pressed->button));
    origin.set_chinese(pressed->chinese);
  } else if (const ChatTarget target = FindChatTarget(text, hosts_); target.number > 0) {
    const bool other_forge = !target.forge.empty() && target.forge != subject.forge();
    if (!target.forge.empty()) subject.set_forge(target.forge);
    if (!target.repository.empty()) subject.set_repository(target.repository);
    subject.set_number(target.number);
    origin.set_pull_first(target.pull_first);
    origin.set_other_repository(other_forge || !absl::EqualsIgnoreCase(subject.repository(), ask.channel->repository));
    // Where it can't be kept, it has to be named again.
    if (delivery.action != kRoutedFromChat) env_.threads.Put(ThreadOf(*event), subject).IgnoreError();
  } else if (delivery.action == kRoutedFromChat) {
    subject = delivery.subject;
    origin.set_recalled(subject.number() > 0);
  } else if (Recall(*event, ask.login, subject)) {
    origin.set_recalled(true);
  } else {
    // Nothing but the repository.
    subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  }
  if (event->kind == ChatEvent::Kind::kMessage) origin.set_chinese(IsOfferedInChinese(*event, subject));
  std::string account = event->proved ? ask.login : ask.claimed;
  ChatWriteBar bar = ask.bar;
  if (subject.forge() != ask.channel->forge) {
    // The account of the forge that was named.
    account = LoginOf(config, *event, subject.forge(), linked_);
    if (bar == ChatWriteBar::kNone && account.empty()) bar = ChatWriteBar::kNobody;
  }
  // A channel bounds what is done there: other repositories are only read.
  const bool only_reads = bar == ChatWriteBar::kNone || bar == ChatWriteBar::kUnproved;
  if (origin.other_repository() && only_reads) bar = ChatWriteBar::kChannel;
  const std::string login = event->proved ? account : std::string();
  if (!event->proved) {
    origin.set_claimed(account);
    origin.set_open_answer(!settings->clients.at(event->platform)->HasApi());
  }
  origin.set_platform(event->platform);
  origin.set_channel(event->channel);
  origin.set_user(event->user);
  origin.set_login(login);
  origin.set_unproved(!event->proved);
  origin.set_direct(event->direct);
  if (const std::string thread = ThreadOf(*event).thread; !thread.starts_with(kPersonsThread))
    origin.set_thread(thread);
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

ChatPlace PlatformBridge::PlaceOf(const store::Effect& effect, const chat::ChatClient& client) const {
  const v1::ChatMessage& message = effect.action.chat_message();
  ChatPlace place;
  place.channel = message.channel();
  place.user = message.user();
  place.thread = message.thread();
  place.direct = message.direct();
  // What it answers tells the thread and the address; the ledger does not keep addresses.
  const absl::StatusOr<std::string> body = env_.inbox.Body(effect.delivery);
  const std::optional<ChatEvent> event = body.ok() ? chat::EventFromJson(*body) : std::nullopt;
  if (!event.has_value() || event->channel != place.channel) return place;
  place.user = event->user;
  place.message = event->message;
  place.thread = event->thread;
  place.direct = place.direct || event->direct;
  // An address that anybody could have written is used only where there is no other way.
  if (event->proved || !client.HasApi()) {
    place.reply_url = event->reply_url;
    place.reply_until = event->reply_until;
  }
  return place;
}

chat::ChatAnswer PlatformBridge::AnswerOf(const store::Effect& effect, const chat::PlatformConfig& config,
                                          const ChatPlace& place) const {
  const v1::ChatMessage& message = effect.action.chat_message();
  chat::ChatAnswer answer;
  answer.text = message.body();
  answer.key = effect.key;
  answer.only_for_asker =
      message.audience() == v1::ChatMessage::AUDIENCE_ASKER ||
      (message.audience() == v1::ChatMessage::AUDIENCE_ASKER_BY_ADDRESS && !place.reply_url.empty());
  answer.changes = message.changes();
  answer.callback_url = config.Id("callback_url");
  const std::string& secret = config.SecretText(chat::FindChatPlatform(message.platform())->button_secret);
  for (const v1::ChatButton& button : message.buttons()) {
    const std::string payload =
        ButtonPayload(place, effect.subject, button, absl::StrCat(effect.key, ".", answer.choices.size()));
    std::string value = chat::SignButton(secret, payload, effect.created_at + chat::kButtonLife);
    // What does not fit is written by hand: the text says what.
    if (value.size() <= kMostButtonValue) answer.choices.push_back({button.label(), std::move(value), button.says()});
  }
  return answer;
}

absl::StatusOr<std::optional<store::Effect>> PlatformBridge::FindShown(const store::Effect& effect) const {
  v1::ChatMessage earlier = effect.action.chat_message();
  const int64_t own = earlier.revision();
  for (int64_t revision = own - 1; revision >= std::max<int64_t>(0, own - kMostChatForms); --revision) {
    earlier.set_revision(revision);
    absl::StatusOr<store::Effect> found = env_.ledger.Find(ChatMessageKey(earlier));
    if (absl::IsNotFound(found.status())) continue;
    if (!found.ok()) return found.status();
    if (found->state == store::EffectState::kConfirmed) return *std::move(found);
  }
  return std::nullopt;
}

void PlatformBridge::KeepAway(const v1::ChatMessage& message, const ChatPlace& place, const ChatSent& sent) {
  budgets_.Hold(GoalOf(message, place), std::max<std::chrono::milliseconds>(sent.wait, kPlatformWait));
}

std::optional<absl::StatusOr<EffectObservation>> PlatformBridge::Change(const store::Effect& shown,
                                                                        chat::ChatClient& client,
                                                                        const ChatPlace& place,
                                                                        const chat::ChatAnswer& answer) {
  if (!client.CanEdit() || shown.forge_ref == kSentWithoutName) return std::nullopt;
  // What stands there since it was said first may be changed at once.
  const bool was_changed = shown.action.chat_message().revision() > kAnswerForm;
  const auto rests = shown.settled_at.value_or(shown.created_at) + kBetweenChanges - env_.clock.Now();
  if (was_changed && rests.count() > 0) {
    return ChatError(ForgeReason::kBudget, ForgeOutcome::kNotSent, "it was changed a moment ago",
                     std::chrono::ceil<std::chrono::milliseconds>(rests));
  }
  ChatSent sent = client.Edit(place, shown.forge_ref, answer);
  if (sent.kind == ChatSent::Kind::kLimited) KeepAway(shown.action.chat_message(), place, sent);
  if (sent.kind == ChatSent::Kind::kRefused || sent.kind == ChatSent::Kind::kNoPlace) return std::nullopt;
  if (sent.kind == ChatSent::Kind::kSent) sent.message = shown.forge_ref;
  return ObservationOf(sent);
}

absl::StatusOr<EffectObservation> PlatformBridge::Deliver(const store::Effect& effect, bool again) {
  const v1::ChatMessage& message = effect.action.chat_message();
  const std::shared_ptr<Settings> settings = Now();
  const auto client = settings->clients.find(message.platform());
  if (client == settings->clients.end()) {
    return ChatError(ForgeReason::kInvalid, ForgeOutcome::kNotSent, "the platform is no longer configured");
  }
  const ChatPlace place = PlaceOf(effect, *client->second);
  const chat::ChatAnswer answer = AnswerOf(effect, settings->chat->platforms.find(message.platform())->second, place);
  std::optional<store::Effect> shown;
  if (message.revision() > 0) {
    ASSIGN_OR_RETURN(shown, FindShown(effect));
  }
  if (const std::chrono::milliseconds wait = budgets_.Spend(GoalOf(message, place)); wait.count() > 0) {
    return ChatError(ForgeReason::kBudget, ForgeOutcome::kNotSent, "as much as the platform takes was said there",
                     wait);
  }
  if (shown.has_value()) {
    auto changed = Change(*shown, *client->second, place, answer);
    if (changed.has_value()) return *std::move(changed);
  }
  const ChatSent sent =
      again ? client->second->SendAgain(place, answer, effect.key, effect.sent_at.value_or(effect.created_at))
            : client->second->Send(place, answer, effect.key);
  if (sent.kind == ChatSent::Kind::kLimited) KeepAway(message, place, sent);
  if (again && sent.kind == ChatSent::Kind::kNotSent) return EffectObservation{};
  if (again && sent.kind == ChatSent::Kind::kUnknown) {
    EffectObservation nothing_proved;
    nothing_proved.conclusive = false;
    return nothing_proved;
  }
  return ObservationOf(sent);
}

absl::StatusOr<EffectObservation> PlatformBridge::Send(const store::Effect& effect) {
  return Deliver(effect, /*again=*/false);
}

absl::Status PlatformBridge::Subscribe(const store::Effect& effect) {
  const v1::ChatSubscription& wanted = effect.action.chat_subscription();
  store::Subscription one;
  one.platform = wanted.platform();
  one.channel = wanted.channel();
  one.forge = effect.subject.forge();
  one.repository = effect.subject.repository();
  one.topic = wanted.topic();
  one.by = wanted.by();
  one.language = wanted.language();
  return wanted.ended() ? env_.subscriptions.Remove(one) : env_.subscriptions.Put(one);
}

bool PlatformBridge::CanChange(std::string_view platform) const {
  const std::shared_ptr<Settings> settings = Now();
  const auto client = settings->clients.find(platform);
  return client != settings->clients.end() && client->second->CanEdit();
}

absl::Status PlatformBridge::Link(const store::Effect& effect) {
  const v1::ChatLinkChange& change = effect.action.chat_link();
  switch (change.kind()) {
    case v1::ChatLinkChange::KIND_OFFER:
      return env_.links.Offer({change.platform(), change.user(), change.forge()}, change.code_digest(),
                              FromTimestamp(change.until()));
    case v1::ChatLinkChange::KIND_REDEEM:
      return env_.links.Redeem(change.code_digest(), change.forge(), change.login());
    case v1::ChatLinkChange::KIND_END:
      return env_.links.Remove(change.platform(), change.user());
    default:
      return absl::InvalidArgumentError("no change of a link");
  }
}

absl::StatusOr<EffectObservation> PlatformBridge::ReadBack(const store::Effect& effect) {
  return Deliver(effect, /*again=*/true);
}

}  // namespace yardmaster
