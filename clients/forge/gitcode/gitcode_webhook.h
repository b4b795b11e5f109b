// GitCode's webhooks → events.
#ifndef YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_WEBHOOK_H_
#define YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_WEBHOOK_H_

#include <string_view>

#include "clients/forge/forge_event.h"

namespace yardmaster {

WebhookReading ReadGitCodeWebhook(const WebhookDelivery& delivery, std::string_view body);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_WEBHOOK_H_
