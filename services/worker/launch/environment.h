// The environment of a job, built from nothing: what programs need to find their way, and what the suite asks for.
#ifndef YARDMASTER_SERVICES_WORKER_LAUNCH_ENVIRONMENT_H_
#define YARDMASTER_SERVICES_WORKER_LAUNCH_ENVIRONMENT_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"
#include "services/worker/launch/launch.h"

namespace yardmaster::worker {

struct EnvironmentRequest {
  Environment worker;             // of this process
  std::filesystem::path home;     // an empty folder: suites see nothing of the real one
  std::filesystem::path temp;     // TMPDIR; short, since sockets are made in it
  std::vector<std::string> pass;  // names
  std::vector<std::string> secrets;
  std::vector<std::string> visible_devices;  // "NAME=value"
  // A folder that comes first in PATH; may be empty.
  std::filesystem::path first_in_path;
};

// The fixed part. What was asked for and is held back, since its value or its name is a secret's, is told in `notes`.
Environment BaseEnvironment(const EnvironmentRequest& request, std::vector<std::string>& notes);

// The variables without those whose value holds a secret; the names of those are added to `held_back`.
Environment WithoutSecrets(const Environment& variables, const std::vector<std::string>& secrets,
                           std::vector<std::string>& held_back);

// This process's environment.
Environment WorkerEnvironment();

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LAUNCH_ENVIRONMENT_H_
