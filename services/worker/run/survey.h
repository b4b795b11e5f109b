// What a run of a suite would miss on this machine, found out without running any of it.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_SURVEY_H_
#define YARDMASTER_SERVICES_WORKER_RUN_SURVEY_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/process/process.h"
#include "services/worker/run/requirements.h"

namespace yardmaster::worker {

class Survey {
 public:
  // `variable`: of the environment that a run would have; empty: it is not set. A kind of device without a probe is not
  // asked about.
  Survey(ProcessStarter& processes, std::vector<DeviceProbe*> probes, std::function<std::string(const char*)> variable)
      : processes_(processes), probes_(std::move(probes)), variable_(std::move(variable)) {}

  // One clause for everything that all cells of the suite, of one of its layers or of a step need and that is not
  // there: "the module \"torch\": Python has no module torch". Modules of the interpreter that the suite names, also
  // those that its commands can't do without; of one that can't be started nothing is said. Each kind of device is
  // looked for once.
  std::vector<std::string> Missing(const rules::SuiteModel& suite);

 private:
  std::string WhyNoDevice(const rules::DeviceRequest& request);
  RequirementContext ContextOf(const rules::SuiteModel& suite) const;

  ProcessStarter& processes_;
  std::vector<DeviceProbe*> probes_;
  const std::function<std::string(const char*)> variable_;
  std::map<rules::DeviceKind, absl::StatusOr<Discovery>> discovered_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_SURVEY_H_
