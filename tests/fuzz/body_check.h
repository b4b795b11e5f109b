// What must hold for whatever a forge, or somebody who knows the secret, sends as a body.
#ifndef YARDMASTER_TESTS_FUZZ_BODY_CHECK_H_
#define YARDMASTER_TESTS_FUZZ_BODY_CHECK_H_

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "clients/forge/profile.h"
#include "services/core/reasons.h"
#include "services/core/repository_name.h"
#include "services/intake/event.h"
#include "services/intake/webhooks/webhook_scope.h"

namespace yardmaster {

// The input's first line is the event, the rest the body.
inline void CheckBody(const ForgeProfile& forge, const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  const std::string_view event = input.substr(0, line);
  const std::string_view body = line == std::string_view::npos ? std::string_view() : input.substr(line + 1);

  WebhookDelivery delivery{.event = event, .bot_login = "yardbot", .repository = {}};
  const WebhookReading result = forge.webhooks.read(delivery, body);
  // Either an event or a reason.
  if (result.event.has_value() != result.reason.empty()) std::abort();
  if (!result.reason.empty() && reasons::WordOf(result.reason).empty()) std::abort();
  if (result.subject.number < 0) std::abort();
  if (!result.subject.repository.empty() && !IsRepositoryName(result.subject.repository)) std::abort();
  const ScanResult scan = FindMember(body, forge.webhooks.repository);
  if (!result.event.has_value()) return;

  const RoutedEvent routed = ToRoutedEvent(forge.name, "delivery", *result.event);
  if (routed.event.kind() == v1::Event::KIND_UNSPECIFIED || routed.event.id() != "delivery") std::abort();
  if (routed.event.subject().forge() != forge.name) std::abort();
  // The receiver checks the scope of a secret for what it finds; the pipe works on what the payload is read as.
  if (scan.state != ScanState::kFound || scan.text != routed.event.subject().repository()) std::abort();
  if (routed.facts.Complete() && routed.facts.Digest().size() != 16) std::abort();
  // With what the receiver found the same comes out; with anything else nothing does.
  delivery.repository = scan.text;
  if (!forge.webhooks.read(delivery, body).event.has_value()) std::abort();
  delivery.repository = "some/other";
  if (scan.text != "some/other" && forge.webhooks.read(delivery, body).event.has_value()) std::abort();
}

}  // namespace yardmaster

#endif  // YARDMASTER_TESTS_FUZZ_BODY_CHECK_H_
