#include "services/worker/run/rank_pipes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "services/core/errors.h"
#include "services/worker/launch/rank_script.h"

namespace yardmaster::worker {
namespace {

constexpr int kPipeBytes = 1024 * 1024;
constexpr size_t kBufferBytes = 256 * 1024;
// Pieces that are read from one pipe at the end: a process that escaped us may write for ever.
constexpr int kMaxPiecesAtEnd = 64;

}  // namespace

absl::StatusOr<std::unique_ptr<RankPipes>> RankPipes::Open(const std::filesystem::path& folder, size_t ranks,
                                                           Output output) {
  std::unique_ptr<RankPipes> out(new RankPipes(std::move(output)));
  for (size_t rank = 0; rank < ranks; ++rank) {
    for (const auto& [pattern, stream] :
         {std::pair(kRankStdout, Stream::kStdout), std::pair(kRankStderr, Stream::kStderr)}) {
      const std::filesystem::path path = folder / RankFile(pattern, static_cast<int>(rank));
      // Open for both ways: then it has no end before the first writer and between two of them.
      UniqueFd fd(::mkfifo(path.c_str(), 0600) == 0 ? ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
                                                    : -1);
      if (!fd.ok()) return errors::FileNotWritten(path.native(), std::strerror(errno));
      // More room where the system gives it: a rank need not wait for us.
      ::fcntl(fd.get(), F_SETPIPE_SZ, kPipeBytes);
      out->pipes_.push_back({std::move(fd), static_cast<int>(rank), stream});
    }
  }
  out->wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  if (!out->wake_.ok()) return errors::FileNotWritten(folder.native(), std::strerror(errno));
  out->buffer_.resize(kBufferBytes);
  out->thread_ = std::thread([pipes = out.get()] { pipes->Read(); });
  return out;
}

RankPipes::~RankPipes() {
  if (!thread_.joinable()) return;
  // An eventfd takes this always.
  if (::eventfd_write(wake_.get(), 1) != 0) std::abort();
  thread_.join();
  for (const Pipe& pipe : pipes_) {
    for (int piece = 0; piece < kMaxPiecesAtEnd && ReadOnce(pipe); ++piece) {
    }
  }
}

void RankPipes::Read() {
  std::vector<pollfd> polled;
  polled.reserve(pipes_.size());
  for (const Pipe& pipe : pipes_) polled.push_back({pipe.fd.get(), POLLIN, 0});
  polled.push_back({wake_.get(), POLLIN, 0});
  while (true) {
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
    for (size_t i = 0; i < pipes_.size(); ++i) {
      if ((polled[i].revents & POLLIN) != 0) ReadOnce(pipes_[i]);
    }
    if (polled.back().revents != 0) return;
  }
}

bool RankPipes::ReadOnce(const Pipe& pipe) {
  const ssize_t count = ::read(pipe.fd.get(), buffer_.data(), buffer_.size());
  if (count <= 0) return false;
  output_(pipe.rank, pipe.stream, std::string_view(buffer_.data(), static_cast<size_t>(count)));
  return true;
}

}  // namespace yardmaster::worker
