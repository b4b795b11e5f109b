// One event to work on.
#ifndef YARDMASTER_SERVICES_INTAKE_PIPELINE_WORK_ITEM_H_
#define YARDMASTER_SERVICES_INTAKE_PIPELINE_WORK_ITEM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "services/core/store/inbox.h"
#include "services/core/store/subjects.h"
#include "services/intake/plans/subject_run.h"
#include "yardmaster/v1/event.pb.h"

namespace yardmaster {

struct WorkItem {
  int64_t delivery = 0;        // row in the inbox; 0: nothing but effects that are open is to be settled
  int64_t attempts = 0;        // that failed before
  store::TimePoint started{};  // when this process took the delivery up
  // Not before this time; until then another one with such a time takes its place.
  std::optional<store::TimePoint> debounced_until;
  v1::Event event;
  // What the packs that the repository may use make of it, the default one first; or the one that was asked for.
  std::vector<PackRoute> routes;
  bool pack_named = false;
  v1::Mode mode = v1::MODE_DRY_RUN;
  // What the text asks for, read when the event was routed: under the pack of the first route, with the account that
  // was known then.
  TextCommands commands;
  std::string commands_login;
  // What the payload tells of the subject: noted if it turns out that nothing is done with the event.
  std::optional<store::SeenSubject> seen;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PIPELINE_WORK_ITEM_H_
