#include "services/yardmasterd/own_worker.h"

#include <openssl/rand.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/hex.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

constexpr size_t kOwnTokenBytes = 32;
constexpr std::chrono::seconds kFirstRestart{1};
constexpr std::chrono::seconds kLongestRestart{30};
// A worker that lived so long had begun well: the next one need not wait.
constexpr std::chrono::seconds kLivedWell{60};
constexpr std::chrono::seconds kGiveBackTime{10};

// Between fork and exec: only calls that are safe there.
[[noreturn]] void Become(pid_t parent, char* const* words) {
  // It goes with this daemon, whatever ends it; supervisors of runs stay, and are found again.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  // Not the daemon's files: its lock, its sockets.
  ::close_range(3, ~0U, 0);
  ::setpgid(0, 0);
  ::execv(words[0], words);
  ::_exit(127);
}

}  // namespace

OwnWorker::OwnWorker(fs::path program, fs::path folder, Secret token, int processors, Logger& logger)
    : program_(std::move(program)),
      folder_(std::move(folder)),
      token_(std::move(token)),
      processors_(processors),
      logger_(logger) {}

absl::StatusOr<std::unique_ptr<OwnWorker>> OwnWorker::Prepare(const Config& config, const fs::path& data_dir,
                                                              int processors, Logger& logger) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path() / "yard-worker";
  if (error || ::access(program.c_str(), X_OK) != 0) {
    return absl::FailedPreconditionError(absl::StrCat("--with-worker: there is no program ", program.string(),
                                                      ": install yard-worker beside yardmasterd"));
  }
  if (config.tls.has_value() && config.tls->grpc) {
    return absl::FailedPreconditionError(
        "--with-worker: it speaks to this host without encryption, and the config has tls.grpc: start a yard-worker "
        "elsewhere, or take TLS from gRPC");
  }
  for (const TokenEntry& token : config.tokens) {
    if (token.name != kName) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("--with-worker: the config has a token named \"", kName, "\", which is its own: rename that one"));
  }
  const fs::path folder = data_dir / "worker";
  fs::create_directories(folder, error);
  fs::permissions(folder, fs::perms::owner_all, error);
  std::array<unsigned char, kOwnTokenBytes> random{};
  if (::RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) return errors::Internal("no random bytes");
  Secret token(Hex(random));
  // The folder is this user's alone before the file is there.
  RETURN_IF_ERROR(WriteFileAtomically(folder / "token", token.Reveal()));
  fs::permissions(folder / "token", fs::perms::owner_read | fs::perms::owner_write, error);
  if (error) return errors::FileNotWritten((folder / "token").native(), error.message());
  return std::unique_ptr<OwnWorker>(new OwnWorker(program, folder, std::move(token), processors, logger));
}

OwnWorker::~OwnWorker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    if (pid_ > 0) ::kill(pid_, SIGKILL);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void OwnWorker::AddToken(Config& config) const {
  TokenEntry entry;
  entry.name = kName;
  entry.role = Role::kRunner;
  entry.secret = token_;
  config.tokens.push_back(std::move(entry));
}

void OwnWorker::Start(const HostPort& grpc) {
  HostPort address = grpc;
  // One that listens everywhere listens here, too.
  if (!IsLoopbackHost(address.host)) address.host = "127.0.0.1";
  server_ = address.ToString();
  thread_ = std::thread([this] { Loop(); });
}

pid_t OwnWorker::Spawn() const {
  std::vector<std::string> texts = {program_.string(),
                                    "--server",
                                    server_,
                                    "--token-file",
                                    (folder_ / "token").string(),
                                    "--name",
                                    kName,
                                    "--devices",
                                    absl::StrCat("cpu:", processors_),
                                    "--work-dir",
                                    (folder_ / "work").string()};
  std::vector<char*> words;
  words.reserve(texts.size() + 1);
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) Become(parent, words.data());
  return pid;
}

// The thread that starts it also waits for it: a child goes when the thread that made it does.
void OwnWorker::Loop() {
  std::chrono::seconds pause = kFirstRestart;
  while (true) {
    const auto began = std::chrono::steady_clock::now();
    pid_t pid = -1;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stopping_) return;
      pid = Spawn();
      pid_ = pid;
    }
    if (pid > 0) {
      logger_.Info("the worker runs", {{"pid", pid}, {"processors", processors_}});
    } else {
      logger_.Error("the worker could not be started", {});
    }
    int status = 0;
    if (pid > 0) {
      // Its end is seen before its number is anybody else's.
      siginfo_t info;
      while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
      }
    }
    std::unique_lock<std::mutex> lock(mutex_);
    if (pid > 0) ::waitpid(pid, &status, 0);
    pid_ = -1;
    changed_.notify_all();
    if (stopping_) return;
    const bool well = std::chrono::steady_clock::now() - began > kLivedWell;
    pause = well ? kFirstRestart : std::min(2 * pause, kLongestRestart);
    logger_.Warning(
        "the worker has ended and is started again",
        {{"exit", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)}, {"in_seconds", pause.count()}});
    changed_.wait_for(lock, pause, [this] { return stopping_; });
  }
}

void OwnWorker::Signal(int number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (pid_ > 0) ::kill(pid_, number);
}

void OwnWorker::Drain(std::chrono::milliseconds patience) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  changed_.notify_all();
  const auto gone_within = [this](std::chrono::milliseconds time) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return pid_ <= 0; });
  };
  Signal(SIGTERM);
  if (!gone_within(patience)) {
    logger_.Warning("the worker's runs did not end in time: they are given back", {});
    Signal(SIGTERM);
    if (!gone_within(kGiveBackTime)) Signal(SIGKILL);
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace yardmaster
