// Decisions on demand, over the store and the pipe.
#ifndef YARDMASTER_SERVICES_INTAKE_SERVICE_ON_DEMAND_DECIDER_H_
#define YARDMASTER_SERVICES_INTAKE_SERVICE_ON_DEMAND_DECIDER_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/intake/on_demand.h"
#include "services/intake/pipeline/request.h"
#include "services/intake/plans/subject_run.h"

namespace yardmaster {

class PipelineDecider final : public OnDemandDecider {
 public:
  // `environment` outlives the decider.
  explicit PipelineDecider(const IntakeEnvironment& environment) : env_(environment) {}

  absl::StatusOr<DecisionAnswer> DecideNow(const v1::Subject& subject, std::string_view pack) override;
  absl::StatusOr<DecisionAnswer> StartGate(const v1::Subject& subject, std::string_view pack, std::string_view actor,
                                           std::string_view gate, const std::function<absl::Status()>& alive) override;
  absl::StatusOr<DecisionAnswer> Apply(const v1::Subject& subject, std::string_view pack, std::string_view actor,
                                       const std::function<absl::Status()>& alive) override;
  absl::StatusOr<DecisionAnswer> Preview(const v1::Subject& subject, std::string_view pack,
                                         const v1::PullOperation& operation) override;
  absl::StatusOr<DecisionAnswer> Operate(const v1::Subject& subject, std::string_view pack, std::string_view actor,
                                         const v1::PullOperation& operation,
                                         const std::function<absl::Status()>& alive) override;
  absl::StatusOr<std::optional<v1::Plan>> FindById(std::string_view id) override;
  absl::StatusOr<std::optional<v1::Plan>> FindBySubject(const v1::Subject& subject) override;

 private:
  // What each pack that the subject may be decided under makes of a request, the default one first; an error if there
  // is none.
  absl::StatusOr<std::vector<PackRoute>> Routes(const v1::Subject& subject, std::string_view pack,
                                                const v1::Event& event) const;
  absl::StatusOr<DecisionAnswer> DecideAbout(const v1::Event& event, std::string_view pack);
  // Puts a request into the pipe and waits until it is settled.
  absl::StatusOr<DecisionAnswer> Request(SubjectRequest request, const std::function<absl::Status()>& alive);

  const IntakeEnvironment& env_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SERVICE_ON_DEMAND_DECIDER_H_
