#include "services/intake/webhook_forge.h"

namespace yardmaster {

const WebhookForge* FindWebhookForge(std::string_view name) {
  for (const WebhookForge* forge : {&GitHubWebhooks(), &GitCodeWebhooks()}) {
    if (forge->name == name) return forge;
  }
  return nullptr;
}

}  // namespace yardmaster
