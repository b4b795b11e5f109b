#include "services/core/store/inbox.h"

#include <future>
#include <memory>
#include <utility>

namespace yardmaster::store {

std::string_view DeliveryStateName(DeliveryState state) {
  static constexpr std::string_view kNames[] = {"received", "ignored", "done", "failed", "dead"};
  return kNames[static_cast<size_t>(state)];
}

std::optional<DeliveryState> DeliveryStateFromName(std::string_view name) {
  for (DeliveryState state : {DeliveryState::kReceived, DeliveryState::kIgnored, DeliveryState::kDone,
                              DeliveryState::kFailed, DeliveryState::kDead}) {
    if (DeliveryStateName(state) == name) return state;
  }
  return std::nullopt;
}

absl::StatusOr<AddResult> Inbox::AddAndWait(NewDelivery delivery) {
  // Shared: the other side may not be out of set_value yet when this function returns.
  auto promise = std::make_shared<std::promise<absl::StatusOr<AddResult>>>();
  std::future<absl::StatusOr<AddResult>> result = promise->get_future();
  Add(std::move(delivery), [promise](absl::StatusOr<AddResult> answer) { promise->set_value(std::move(answer)); });
  return result.get();
}

}  // namespace yardmaster::store
