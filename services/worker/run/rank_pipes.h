// Named pipes into which the ranks of a launcher write: what a launcher would mix or delay comes as each rank says it.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_RANK_PIPES_H_
#define YARDMASTER_SERVICES_WORKER_RUN_RANK_PIPES_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "services/worker/process/process.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {

class RankPipes {
 public:
  using Output = std::function<void(int rank, Stream, std::string_view)>;

  // Makes the pipes of ranks 0 to `ranks` - 1 in `folder` and reads them in a thread of its own.
  static absl::StatusOr<std::unique_ptr<RankPipes>> Open(const std::filesystem::path& folder, size_t ranks,
                                                         Output output);
  // Reads what is left and ends. To be called when no rank runs any more.
  ~RankPipes();
  RankPipes(const RankPipes&) = delete;
  RankPipes& operator=(const RankPipes&) = delete;

 private:
  struct Pipe {
    UniqueFd fd;
    int rank = 0;
    Stream stream = Stream::kStdout;
  };

  explicit RankPipes(Output output) : output_(std::move(output)) {}
  void Read();
  // False: nothing was there.
  bool ReadOnce(const Pipe& pipe);

  Output output_;
  std::vector<Pipe> pipes_;
  UniqueFd wake_;
  std::vector<char> buffer_;
  std::thread thread_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_RANK_PIPES_H_
