// What happened, as planners hear of it: an event of the contracts, and what its payload tells about the subject.
#ifndef YARDMASTER_SERVICES_INTAKE_EVENT_H_
#define YARDMASTER_SERVICES_INTAKE_EVENT_H_

#include <string>
#include <string_view>

#include "clients/forge/forge_event.h"
#include "yardmaster/v1/event.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

struct RoutedEvent {
  v1::Event event;
  SubjectFacts facts;
  // See ForgeEvent.
  std::string label_added;
  std::string label_removed;
};

RoutedEvent ToRoutedEvent(std::string_view forge, std::string_view delivery_id, ForgeEvent event);

v1::Subject SubjectOf(std::string_view forge, const ForgeSubject& subject);
ForgeSubject ForgeSubjectOf(const v1::Subject& subject);

// "github:owner/name#12" in lower case with the kind: equal for the same subject, however it was spelled.
std::string SubjectKey(const v1::Subject& subject);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EVENT_H_
