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
  std::filesystem::path daemon_key;  // PEM of the daemon's public key; empty: its answers need no signature
  std::string name;
  std::string devices = "cpu:auto,gpu:auto,npu:auto";
  std::string labels;
  std::string pool = "trusted";
  std::string readable;
  std::filesystem::path work_dir;
  std::filesystem::path ready_file;
  size_t cache_mb = 20'480;
  // MiB of memory that all runs together may have; 0: no limit. -1: none, or most of the host's in the pool
  // "untrusted".
  int64_t memory_mb = -1;
  bool once = false;
};

// The exit code. SIGTERM drains; a second one gives the runs back.
int Work(const WorkOptions& given, const std::filesystem::path& executable);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_WORK_H_
