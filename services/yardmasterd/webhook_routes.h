// POST /webhooks/<forge>: HTTP on one side, the receiver of the pipe on the other.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_WEBHOOK_ROUTES_H_
#define YARDMASTER_SERVICES_YARDMASTERD_WEBHOOK_ROUTES_H_

#include <vector>

#include "services/gateway/http_router.h"
#include "services/intake/webhooks/webhook_receiver.h"

namespace yardmaster {

// `receiver` outlives the server. Null: this daemon takes no webhooks, and every forge is unknown to it.
std::vector<HttpRoute> WebhookRoutes(WebhookReceiver* receiver);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_WEBHOOK_ROUTES_H_
