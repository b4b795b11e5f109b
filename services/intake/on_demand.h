// What other services may ask of the pipe about one subject: a decision without or with effects, now, and decisions of
// the past.
#ifndef YARDMASTER_SERVICES_INTAKE_ON_DEMAND_H_
#define YARDMASTER_SERVICES_INTAKE_ON_DEMAND_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "yardmaster/v1/ledger.pb.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

struct DecisionAnswer {
  v1::Plan plan;
  std::vector<v1::Effect> effects;  // of an applied decision, oldest first
};

// Thread-safe. Calls block.
class OnDemandDecider {
 public:
  virtual ~OnDemandDecider() = default;

  // Reads the subject from its forge and decides; writes nothing but the decision. `pack` may be empty: the
  // repository's first.
  virtual absl::StatusOr<DecisionAnswer> DecideNow(const v1::Subject& subject, std::string_view pack) = 0;

  // Hands the subject to the pipe as a person's request and waits until its effects are settled. `alive` is asked while
  // it waits; when it is not OK the call ends with it, and the work goes on.
  virtual absl::StatusOr<DecisionAnswer> Apply(const v1::Subject& subject, std::string_view pack,
                                               std::string_view actor, const std::function<absl::Status()>& alive) = 0;

  // The same, to start a gate: Event.gate.
  virtual absl::StatusOr<DecisionAnswer> StartGate(const v1::Subject& subject, std::string_view pack,
                                                   std::string_view actor, std::string_view gate,
                                                   const std::function<absl::Status()>& alive) = 0;

  // What an operation on a pull request would do: as DecideNow. And the operation itself: as Apply.
  virtual absl::StatusOr<DecisionAnswer> Preview(const v1::Subject& subject, std::string_view pack,
                                                 const v1::PullOperation& operation) = 0;
  virtual absl::StatusOr<DecisionAnswer> Operate(const v1::Subject& subject, std::string_view pack,
                                                 std::string_view actor, const v1::PullOperation& operation,
                                                 const std::function<absl::Status()>& alive) = 0;

  // nullopt if there is none, or it is no longer kept.
  virtual absl::StatusOr<std::optional<v1::Plan>> FindById(std::string_view id) = 0;
  virtual absl::StatusOr<std::optional<v1::Plan>> FindBySubject(const v1::Subject& subject) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_ON_DEMAND_H_
