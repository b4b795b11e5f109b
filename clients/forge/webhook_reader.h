// What the readers of all forges' webhooks share: a body that is read once, and ends as an event or with a reason.
#ifndef YARDMASTER_CLIENTS_FORGE_WEBHOOK_READER_H_
#define YARDMASTER_CLIENTS_FORGE_WEBHOOK_READER_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "clients/forge/forge_event.h"
#include "clients/forge/payload.h"

namespace yardmaster {

// A reader derives from it, and adds `WebhookReading Read()`.
class WebhookReader {
 protected:
  WebhookReader(const WebhookDelivery& delivery, const nlohmann::json& body) : delivery_(delivery), body_(body) {}
  ~WebhookReader() = default;

  // No event, for a reason of services/core/reasons.h.
  WebhookReading Ignored(std::string_view word, std::string_view detail = {});
  // An event about the subject that was read; none if we did it ourselves: without that, two bots could talk for ever.
  WebhookReading Finish(ForgeEventKind kind);
  // The same for what nobody but others asks for.
  WebhookReading FinishRequest(ForgeEventKind kind);

  const WebhookDelivery& delivery_;
  const nlohmann::json& body_;
  WebhookReading reading_;
  ForgeEvent event_;
};

// Parses `body` and has it read by a `Reader` of its own.
template <typename Reader>
WebhookReading ReadWebhookBy(const WebhookDelivery& delivery, std::string_view body) {
  WebhookReading unreadable;
  const std::optional<nlohmann::json> parsed = payload::Parse(body, unreadable.reason);
  return parsed.has_value() ? Reader(delivery, *parsed).Read() : unreadable;
}

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_WEBHOOK_READER_H_
