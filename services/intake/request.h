// Work that nobody sent by webhook: a sweep's and a person's requests. They are kept in the inbox like deliveries, so
// that they survive a restart, are retried and listed like everything else.
#ifndef YARDMASTER_SERVICES_INTAKE_REQUEST_H_
#define YARDMASTER_SERVICES_INTAKE_REQUEST_H_

#include <string>
#include <string_view>

#include "services/core/store/inbox.h"
#include "services/intake/router.h"
#include "yardmaster/v1/event.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// Events of this prefix are our own: the door refuses them, whoever signs.
inline constexpr std::string_view kOwnEventPrefix = "yardmaster.";
inline constexpr std::string_view kRequestEvent = "yardmaster.request";

struct SubjectRequest {
  v1::Subject subject;
  v1::Event::Origin origin = v1::Event::ORIGIN_COMMAND;  // ORIGIN_SWEEP or ORIGIN_COMMAND
  std::string actor;                                     // who asked; empty for sweeps
  std::string pack;                                      // empty: the repository's
  v1::Mode mode = v1::MODE_UNSPECIFIED;                  // may narrow what the configuration allows
};

// `id` becomes the delivery id: unique.
store::NewDelivery MakeRequest(const SubjectRequest& request, std::string id);

struct RequestRoute {
  RouteResult result;
  SubjectRequest request;
};
RequestRoute RouteRequest(const RouteContext& context, std::string_view body);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_REQUEST_H_
