#include "clients/forge/webhook_reader.h"

#include <utility>

#include "services/core/reasons.h"

namespace yardmaster {

WebhookReading WebhookReader::Ignored(std::string_view word, std::string_view detail) {
  reading_.reason = reasons::WithDetail(word, detail);
  return std::move(reading_);
}

WebhookReading WebhookReader::Finish(ForgeEventKind kind) {
  if (SameLogin(event_.actor, delivery_.bot_login)) return Ignored(reasons::kOwnAction);
  return FinishRequest(kind);
}

WebhookReading WebhookReader::FinishRequest(ForgeEventKind kind) {
  event_.kind = kind;
  event_.subject = reading_.subject;
  reading_.event = std::move(event_);
  return std::move(reading_);
}

}  // namespace yardmaster
