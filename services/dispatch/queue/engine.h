// What places jobs on machines. The queue knows what waits and what the runners do; an engine says which of the waiting
// jobs get which devices now. engines/ has those that there are, each in a file and a row of a table.
#ifndef YARDMASTER_SERVICES_DISPATCH_QUEUE_ENGINE_H_
#define YARDMASTER_SERVICES_DISPATCH_QUEUE_ENGINE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "services/dispatch/queue/fair_order.h"
#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

// How long a run is taken to last if nobody knows, and how much longer one whose time is up.
inline constexpr std::chrono::seconds kUnknownRun{3'600};
inline constexpr std::chrono::seconds kOverdueRun{60};

// A runner that can take runs now, with what its devices do.
struct Candidate {
  const Runner* runner = nullptr;
  // For each device: since it is in use, when it will be free as far as one knows; nullopt: it is free. Devices that
  // are not healthy are neither: `out`.
  std::vector<std::optional<WallTime>> busy_until;
  std::vector<bool> out;
};

struct Placed {
  const Job* job = nullptr;
  const Runner* runner = nullptr;
  std::vector<size_t> devices;
};

struct Reserved {
  int64_t job = 0;
  const Runner* runner = nullptr;
  WallTime at;
};

struct Round {
  std::vector<Placed> placed;
  std::vector<Reserved> reserved;
};

// What an engine looks at. References outlive the call.
struct PlacementInput {
  const WaitingJobs& waiting;
  const std::function<const Job&(int64_t)>& job_of;  // a waiting job by its number
  std::vector<Candidate> candidates;
  Usage usage;  // what is in use
  Moment now;
};

// Pure: no clock, no store, no network. Thread-safe.
class Engine {
 public:
  virtual ~Engine() = default;
  // As in the configuration.
  virtual std::string_view name() const = 0;
  // One round of placing. Each job is placed whole: all of its devices on one runner, none that is in use, is out, or
  // was given to another in the same round.
  virtual Round Place(PlacementInput input) const = 0;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_QUEUE_ENGINE_H_
