// What becomes of a delivery before anything is done about it: it is over at once, or it is work on a subject.
#ifndef YARDMASTER_SERVICES_INTAKE_PIPELINE_DELIVERY_ROUTER_H_
#define YARDMASTER_SERVICES_INTAKE_PIPELINE_DELIVERY_ROUTER_H_

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "services/core/store/inbox.h"
#include "services/core/store/subjects.h"
#include "services/intake/event.h"
#include "services/intake/pipeline/request.h"
#include "services/intake/pipeline/subject_work.h"
#include "services/intake/pipeline/work_item.h"
#include "services/intake/plans/subject_run.h"

namespace yardmaster {

// The store could not be read or written: the delivery is taken again later.
struct StoreFailed {};
using Routing = std::variant<WorkItem, store::Settlement, StoreFailed>;

// Thread-safe. Reads the delivery, finds who works on it, and notes in the store what it tells of its subject.
class DeliveryRouter {
 public:
  // `environment` outlives the router.
  explicit DeliveryRouter(const IntakeEnvironment& environment) : env_(environment) {}

  Routing Route(const store::Delivery& delivery) const;

 private:
  // A delivery with what it turned out to be.
  struct Routed {
    const store::Delivery& delivery;
    std::string action;
    v1::Subject subject;
    RoutedEvent event;
    std::optional<SubjectRequest> request;  // asked for by a person or a sweep
  };

  // A message of a chat platform.
  Routing RouteChat(const store::Delivery& delivery, std::string_view body) const;
  // What a schedule says: nothing is decided about it.
  Routing AcceptAnnouncement(Routed routed) const;
  // Numbers an event that names a pull request by its head alone.
  absl::Status FindPull(v1::Event& event) const;
  // An event of a forge, or a request.
  Routing Accept(Routed routed) const;
  Routing Ignore(const Routed& routed, std::string_view word, std::string_view detail = {}) const;
  // What a pack makes of an event; nullopt if it is not in service.
  std::optional<PackRoute> RouteUnder(const std::string& pack, const Routed& routed, const TextCommands& commands,
                                      bool unchanged, const std::vector<std::string>* seen_labels) const;
  // Commands for us that a person gives in the event's text; `may_hold` is set where that can't be known yet.
  TextCommands CommandsIn(const Routed& routed, const rules::CompiledPack& pack, bool& may_hold) const;
  // The branch of a pull request moved, or it was closed: what is tested of it may be of no use any more.
  absl::Status SupersedeTests(const Routed& routed) const;
  // Asks for the tests whose check somebody wants again.
  absl::Status RerunTests(const Routed& routed) const;
  void NoteLabels(const RoutedEvent& routed, const std::optional<store::KnownSubject>& seen) const;
  // Notes which head a pull request has, and since when.
  void NoteHead(const Routed& routed) const;

  const IntakeEnvironment& env_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PIPELINE_DELIVERY_ROUTER_H_
