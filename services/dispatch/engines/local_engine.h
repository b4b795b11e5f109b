// "local": jobs go to the runners that have attached themselves. One round looks at the waiting jobs in the order of
// their turns and gives each that fits its devices, all at once. A job that has to wait gets the devices that will be
// free first set aside, and what comes after it may use these only if it is certain to end before. So small jobs fill
// gaps, and the large one starts no later than without them; its start is an estimate as far as the runs under way are.
#ifndef YARDMASTER_SERVICES_DISPATCH_ENGINES_LOCAL_ENGINE_H_
#define YARDMASTER_SERVICES_DISPATCH_ENGINES_LOCAL_ENGINE_H_

#include <cstddef>
#include <string_view>

#include "services/dispatch/queue/engine.h"

namespace yardmaster::dispatch {

// Of the waiting jobs no more than so many are looked at in a round, nor devices set aside for more: time is bounded.
inline constexpr size_t kMaxJobsConsidered = 1'000;
inline constexpr size_t kMaxReservations = 32;

class LocalEngine final : public Engine {
 public:
  std::string_view name() const override { return "local"; }
  Round Place(PlacementInput input) const override;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_ENGINES_LOCAL_ENGINE_H_
