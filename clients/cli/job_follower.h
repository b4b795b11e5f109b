// Follows a job of the server: its changes and its log as it grows. A connection that breaks is made again, and the log
// goes on where it was.
#ifndef YARDMASTER_CLIENTS_CLI_JOB_FOLLOWER_H_
#define YARDMASTER_CLIENTS_CLI_JOB_FOLLOWER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "clients/cli/connection.h"
#include "clients/cli/test_progress.h"
#include "yardmaster/v1/dispatch.grpc.pb.h"

namespace yardmaster::cli {

struct FollowOptions {
  std::string job;
  uint64_t fence = 0;   // the run, and where in its log to begin
  uint64_t offset = 0;  // bytes
  bool once = false;    // only what is there now
  // How long a server that is away is waited for.
  std::chrono::seconds patience{300};
};

struct FollowCallbacks {
  std::function<void(const v1::SuiteJob& job)> job;    // whenever it has changed
  std::function<void(const v1::LogPiece& piece)> log;  // in order
  std::function<void(std::string_view text)> note;     // the connection broke, or is there again
};

// The job as it was told last. The server's errors; UNAVAILABLE after the patience.
absl::StatusOr<v1::SuiteJob> FollowJob(const ServerConnection& server, const FollowOptions& options,
                                       const FollowCallbacks& callbacks);

// Cuts pieces of a log into lines. A line that is too long is cut.
class LineSplitter {
 public:
  explicit LineSplitter(std::function<void(std::string_view)> line) : line_(std::move(line)) {}
  // A piece of another run begins a new line.
  void Add(const v1::LogPiece& piece);
  // What is left without a line end.
  void Finish();

 private:
  const std::function<void(std::string_view)> line_;
  uint64_t fence_ = 0;
  std::string rest_;
};

// Shows what a worker says of its run as it goes on: each time all of it, of which only the news is told.
class JobProgress {
 public:
  explicit JobProgress(TestProgress& progress) : progress_(progress) {}
  void Show(const v1::SuiteJob& job);

 private:
  void ShowFailures(const v1::RunProgress& now);
  void ShowSteps(const v1::RunProgress& now);
  void ShowLayers(const v1::RunProgress& now);

  TestProgress& progress_;
  uint32_t attempt_ = 0;
  v1::RunProgress told_;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_JOB_FOLLOWER_H_
