#include "services/chat/chat_receiver.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "clients/chat/event_json.h"
#include "clients/chat/platform.h"
#include "services/core/reasons.h"

namespace yardmaster {
namespace {

using chat::ChatEvent;
using chat::ChatPlatform;
using chat::ChatReading;
using chat::ChatRequest;

constexpr int kChatRetryAfter = 5;

ChatResponse ErrorResponse(int status, std::string_view error) {
  ChatResponse response;
  response.status = status;
  response.body = nlohmann::json({{"error", std::string(error)}}).dump();
  response.no_retry = status == 400 || status == 413 || status == 415;
  return response;
}

ChatResponse BusyResponse() {
  ChatResponse response = ErrorResponse(503, "the daemon can't keep more messages now");
  response.retry_after_s = kChatRetryAfter;
  return response;
}

}  // namespace

ChatReceiver::ChatReceiver(const Config& config, store::Inbox& inbox, const Clock& clock, Logger& logger,
                           FindLinked linked)
    : inbox_(inbox), clock_(clock), logger_(logger), linked_(std::move(linked)), chat_(config.chat) {}

void ChatReceiver::ReplaceSettings(const Config& config) {
  const std::lock_guard<std::mutex> lock(mutex_);
  chat_ = config.chat;
}

void ChatReceiver::Receive(std::string_view platform, const ChatRequest& request, std::string_view request_id,
                           const Answer& answer) {
  std::shared_ptr<const chat::ChatConfig> settings;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    settings = chat_;
  }
  const ChatPlatform* row = chat::FindChatPlatform(platform);
  const bool configured = settings != nullptr && settings->platforms.find(platform) != settings->platforms.end();
  if (row == nullptr || !configured) return answer(ErrorResponse(404, "this platform is not configured"));
  if (request.method != "POST" && !(row->answers_get && request.method == "GET")) {
    ChatResponse response = ErrorResponse(405, "expected POST");
    response.allow = row->answers_get ? "GET, POST" : "POST";
    return answer(std::move(response));
  }
  if (request.body.size() > chat::kMaxChatBodyBytes) return answer(ErrorResponse(413, "the body is over 1 MiB"));

  const chat::PlatformConfig& config = settings->platforms.find(platform)->second;
  ChatReading reading = row->read(config, request, clock_.Now());
  ChatResponse receipt;
  receipt.status = reading.status;
  receipt.content_type = std::move(reading.content_type);
  receipt.body = std::move(reading.body);
  receipt.no_retry = receipt.status == 400 || receipt.status == 415;
  if (reading.event.has_value()) {
    const ChatAsk ask = AskOf(config, *reading.event, linked_);
    return Keep(*std::move(reading.event), ask, std::move(receipt), answer);
  }
  if (receipt.status != 200) {
    logger_.Info("chat request refused",
                 {{"request_id", request_id}, {"platform", row->name}, {"why", reading.reason}});
  }
  answer(std::move(receipt));
}

void ChatReceiver::Keep(ChatEvent event, const ChatAsk& ask, ChatResponse receipt, const Answer& answer) {
  store::NewDelivery delivery;
  delivery.forge = event.platform;
  delivery.delivery_id = event.id;
  delivery.event = event.kind == ChatEvent::Kind::kAction ? kChatActionEvent : kChatMessageEvent;
  delivery.body = chat::ToJson(event);
  delivery.received_at = clock_.Now();
  if (ask.channel != nullptr) {
    delivery.subject.set_forge(ask.channel->forge);
    delivery.subject.set_repository(ask.channel->repository);
  }
  logger_.Info("chat message received", {{"platform", event.platform},
                                         {"channel", event.channel},
                                         {"user", event.user},
                                         {"repository", ask.channel == nullptr ? "" : ask.channel->repository},
                                         {"account", ask.login},
                                         {"writing", ask.may_write() ? "may" : ChatWriteBarText(ask.bar)}});
  // Whether a button stands in a conversation with the bot, only its value tells, which the work opens.
  const bool perhaps_direct = ask.has_direct && event.kind == ChatEvent::Kind::kAction;
  if (ask.channel == nullptr && !perhaps_direct) {
    delivery.ignored_because = reasons::WithDetail(reasons::kNoRepository, "the channel is not configured");
  }
  inbox_.Add(std::move(delivery), [this, answer, receipt = std::move(receipt), platform = std::move(event.platform)](
                                      const absl::StatusOr<store::AddResult>& added) {
    if (added.ok()) return answer(receipt);
    logger_.Warning("chat message turned away",
                    {{"platform", platform}, {"error", std::string(added.status().message())}});
    answer(absl::IsInvalidArgument(added.status()) ? ErrorResponse(400, std::string(added.status().message()))
                                                   : BusyResponse());
  });
}

}  // namespace yardmaster
