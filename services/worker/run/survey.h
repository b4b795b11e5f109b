// What a run of a suite would miss on this machine, found out without running any of it.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_SURVEY_H_
#define YARDMASTER_SERVICES_WORKER_RUN_SURVEY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/launch/launch.h"
#include "services/worker/process/process.h"

namespace yardmaster::worker {

class Survey {
 public:
  // `environment`: what programs and modules are looked for in, before the suite's own variables. A kind without a
  // probe is not asked about.
  Survey(ProcessStarter& processes, std::vector<DeviceProbe*> probes, Environment environment)
      : processes_(processes), probes_(std::move(probes)), environment_(std::move(environment)) {}

  // One clause for each Python module and each kind of device that all cells of the suite, or of one of its layers,
  // need and that is not there: "the module \"torch\": Python has no module torch". Modules of the interpreter that the
  // suite names; of one that can't be started nothing is said. Each kind of device is looked for once.
  std::vector<std::string> Missing(const rules::SuiteModel& suite);

 private:
  std::string WhyNoDevice(const rules::DeviceRequest& request);

  ProcessStarter& processes_;
  std::vector<DeviceProbe*> probes_;
  Environment environment_;
  std::map<rules::DeviceKind, absl::StatusOr<Discovery>> discovered_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_SURVEY_H_
