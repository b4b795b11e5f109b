// GitHub's webhooks → events.
#ifndef YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_WEBHOOK_H_
#define YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_WEBHOOK_H_

#include <string_view>

#include "clients/forge/forge_event.h"

namespace yardmaster {

WebhookReading ReadGitHubWebhook(const WebhookDelivery& delivery, std::string_view body);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_WEBHOOK_H_
