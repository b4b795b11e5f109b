// How each forge sends webhooks: names of headers, of events, and of the member that names the repository. One table;
// the entries are beside the routers.
#ifndef YARDMASTER_SERVICES_INTAKE_WEBHOOK_FORGE_H_
#define YARDMASTER_SERVICES_INTAKE_WEBHOOK_FORGE_H_

#include <string_view>
#include <vector>

#include "services/intake/router.h"
#include "services/intake/scope.h"

namespace yardmaster {

struct WebhookForge {
  std::string_view name;  // as in the configuration and in the path
  // The first of these headers that is there counts.
  std::vector<std::string_view> event_headers;
  std::vector<std::string_view> delivery_headers;
  std::string_view signature_header;
  std::string_view token_header;  // the secret itself; empty: this forge never sends it
  RepositoryPath repository;
  // Events that the router knows; all others are ignored at the door.
  std::vector<std::string_view> events;
  std::string_view ping_event;  // empty: there is none
  RouteFunction route;
};

const WebhookForge& GitHubWebhooks();
const WebhookForge& GitCodeWebhooks();

// nullptr for a name that has no entry.
const WebhookForge* FindWebhookForge(std::string_view name);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_WEBHOOK_FORGE_H_
