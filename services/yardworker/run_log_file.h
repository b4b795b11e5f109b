// The log of a run as its supervisor writes it: what happens and what the tests print, as people read it.
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_LOG_FILE_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_LOG_FILE_H_

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "services/worker/process/unique_fd.h"

namespace yardmaster::yardworker {

// Lines are written in blocks: a test that prints a million of them is not slowed down by as many writes. Thread-safe.
class RunLogFile {
 public:
  // Appends to `file`, at most `most_bytes` in all.
  RunLogFile(const std::filesystem::path& file, uint64_t most_bytes);
  ~RunLogFile() { Flush(); }
  RunLogFile(const RunLogFile&) = delete;
  RunLogFile& operator=(const RunLogFile&) = delete;

  void AddLine(std::string_view text);
  // Writes what was added; to be called now and then, so that followers see it. A full disk loses lines, and
  // `lost_lines` says that it did.
  void Flush();
  bool lost_lines();

 private:
  void FlushLocked();

  const worker::UniqueFd fd_;
  std::mutex mutex_;  // guards what follows
  uint64_t left_;
  std::string block_;
  bool lost_lines_ = false;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_LOG_FILE_H_
