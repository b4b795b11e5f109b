// Work that no webhook brought: a sweep's and a person's requests. They are kept in the inbox like deliveries, so
// that they survive a restart, are retried and listed like everything else.
#ifndef YARDMASTER_SERVICES_INTAKE_PIPELINE_REQUEST_H_
#define YARDMASTER_SERVICES_INTAKE_PIPELINE_REQUEST_H_

#include <optional>
#include <string>
#include <string_view>

#include "services/core/store/inbox.h"
#include "services/intake/event.h"
#include "services/intake/own_deliveries.h"
#include "yardmaster/v1/event.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

struct SubjectRequest {
  v1::Subject subject;
  v1::Event::Origin origin = v1::Event::ORIGIN_COMMAND;  // ORIGIN_SWEEP or ORIGIN_COMMAND
  std::string actor;                                     // who asked; empty for sweeps
  std::string pack;                                      // empty: the repository's
  v1::Mode mode = v1::MODE_UNSPECIFIED;                  // may narrow what the configuration allows
  std::string gate = {};                                 // as Event.gate
  std::optional<v1::PullOperation> operation = {};       // as Event.operation
  std::optional<v1::Announcement> announcement = {};     // as Event.announcement
  std::optional<v1::TestRequest> test = {};              // as Event.test
};

// `id` becomes the delivery id: unique.
store::NewDelivery MakeRequest(const SubjectRequest& request, std::string id);

// Reads a request back; nullopt, with `reason` set, if its body is none.
std::optional<SubjectRequest> ReadRequest(std::string_view forge, std::string_view body, std::string& reason);

// What a request is to planners.
RoutedEvent ToRoutedEvent(const SubjectRequest& request, std::string_view delivery_id);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PIPELINE_REQUEST_H_
