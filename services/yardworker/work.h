// The worker's own loop: reports what it is and does, and does what it is told.
#ifndef YARDMASTER_SERVICES_YARDWORKER_WORK_H_
#define YARDMASTER_SERVICES_YARDWORKER_WORK_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "services/core/address.h"

namespace yardmaster::yardworker {

struct WorkOptions {
  HostPort server{"127.0.0.1", 9090};
  std::filesystem::path token_file;
  std::string name;
  std::string devices = "cpu:auto,gpu:auto,npu:auto";
  std::string labels;
  std::string pool = "trusted";
  std::string readable;
  std::filesystem::path work_dir;
  std::filesystem::path ready_file;
  size_t cache_mb = 20'480;
  bool once = false;
};

// The exit code. SIGTERM drains; a second one gives the runs back.
int Work(const WorkOptions& given, const std::filesystem::path& executable);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_WORK_H_
