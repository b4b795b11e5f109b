// Progress of long work on stderr: count, rate and time left.
#ifndef YARDMASTER_CLIENTS_CLI_PROGRESS_H_
#define YARDMASTER_CLIENTS_CLI_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>

#include "clients/cli/session.h"
#include "services/core/clock.h"

namespace yardmaster::cli {

// One line that is written over and over: only for terminals, only once the work has lasted a second, at most ten times
// a second, and gone at the end.
class Progress {
 public:
  // `err` null: nothing is shown. `total` 0: unknown.
  Progress(std::ostream* err, const Clock& clock, std::string what, size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Done(size_t count = 1);

  size_t count() const { return count_; }
  double seconds() const;
  // The line for the count and the time now: "4,096 of 10,000 cases · 41 % · 8,192/s · 1 s left".
  std::string Line() const;

 private:
  std::ostream* const err_;
  const Clock& clock_;
  const std::string what_;
  const size_t total_;
  const std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point shown_;
  size_t count_ = 0;
  bool visible_ = false;
};

// Where `yard` shows progress: null if stderr is no terminal, and with --quiet.
std::ostream* ProgressStream(const Session& session);

// "42 s left", "3 min 5 s left", "2 h 46 min left".
std::string TimeLeft(double seconds);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_PROGRESS_H_
