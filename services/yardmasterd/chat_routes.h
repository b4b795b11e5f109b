// POST /chat/PLATFORM, and GET where a platform checks the URL so.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_CHAT_ROUTES_H_
#define YARDMASTER_SERVICES_YARDMASTERD_CHAT_ROUTES_H_

#include <vector>

#include "services/chat/chat_receiver.h"
#include "services/gateway/http_router.h"

namespace yardmaster {

// `receiver` outlives the server; null: no platform is configured.
std::vector<HttpRoute> ChatRoutes(ChatReceiver* receiver);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_CHAT_ROUTES_H_
