// Where waiting jobs go. One round looks at them in the order of their turns and gives each that fits its devices, all
// at once. A job that has to wait gets the devices that will be free first set aside, and what comes after it may use
// these only if it is certain to end before. So small jobs fill gaps, and the large one starts no later than without
// them; its start is an estimate as far as the runs under way are.
#ifndef YARDMASTER_SERVICES_DISPATCH_BOOK_PLACEMENT_H_
#define YARDMASTER_SERVICES_DISPATCH_BOOK_PLACEMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "services/dispatch/book/model.h"
#include "services/dispatch/book/turns.h"

namespace yardmaster::dispatch {

// Of the waiting jobs no more than so many are looked at in a round, nor devices set aside for more: time is bounded.
inline constexpr size_t kMaxJobsConsidered = 1'000;
inline constexpr size_t kMaxReservations = 32;
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

// `job_of` gives a waiting job by its number. `usage` counts what is in use, and what is placed on top.
Round PlaceJobs(const WaitingJobs& waiting, const std::function<const Job&(int64_t)>& job_of,
                std::vector<Candidate> candidates, Usage usage, const Moment& now);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_BOOK_PLACEMENT_H_
