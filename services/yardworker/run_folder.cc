#include "services/yardworker/run_folder.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/sha256.h"
#include "services/core/status_macros.h"
#include "services/worker/process/process_table.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxRunFileBytes = 64 * 1024 * 1024;
constexpr size_t kMarkDigits = 32;

absl::StatusOr<worker::UniqueFd> OpenLock(const fs::path& folder) {
  worker::UniqueFd lock(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.ok()) return errors::FileNotWritten((folder / "lock").native(), std::strerror(errno));
  return lock;
}

// Environment of the supervisor: this process's, with the mark of the run.
std::vector<std::string> MarkedEnvironment(const std::string& mark) {
  const std::string name = absl::StrCat(std::string(worker::kMarkVariable), "=");
  std::string value = name;
  std::vector<std::string> environment;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, name.c_str(), name.size()) == 0) {
      value = absl::StrCat(*entry, ":");
    } else {
      environment.emplace_back(*entry);
    }
  }
  environment.push_back(absl::StrCat(value, mark));
  return environment;
}

std::vector<char*> PointersOf(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

RunFolder::RunFolder(fs::path path) : path_(std::move(path)) {
  constexpr size_t kNameDigits = 12;
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) folder = "/tmp";
  temp_ = folder / absl::StrCat("yr-", Sha256Hex(path_.native()).substr(0, kNameDigits));
}

std::vector<RunFolder> RunFolder::All(const fs::path& runs) {
  std::vector<RunFolder> all;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(runs, error)) {
    RunFolder folder(entry.path());
    if (folder.Order().ok()) {
      all.push_back(std::move(folder));
    } else {
      folder.Remove();
    }
  }
  return all;
}

absl::StatusOr<RunFolder> RunFolder::Make(const fs::path& runs, const v1::RunOrder& order) {
  RunFolder folder(runs / absl::StrCat(order.job(), "-", order.fence()));
  folder.Remove();
  std::error_code error;
  fs::create_directories(folder.path_, error);
  if (error) return errors::FileNotWritten(folder.path_.native(), error.message());
  RETURN_IF_ERROR(WriteFileAtomically(folder.path_ / "order.bin", order.SerializeAsString()));
  return folder;
}

absl::StatusOr<v1::RunOrder> RunFolder::Order() const {
  ASSIGN_OR_RETURN(const std::string bytes, ReadSmallFile(path_ / "order.bin", kMaxRunFileBytes));
  v1::RunOrder order;
  if (!order.ParseFromString(bytes)) return errors::StoredValueDamaged((path_ / "order.bin").native());
  return order;
}

bool RunFolder::Started() const {
  std::error_code error;
  return fs::exists(path_ / "started", error);
}

absl::Status RunFolder::SetStarted() const { return WriteFileAtomically(path_ / "started", ""); }

std::optional<v1::FinishRunRequest> RunFolder::Outcome() const {
  const absl::StatusOr<std::string> bytes = ReadSmallFile(path_ / "outcome.bin", kMaxRunFileBytes);
  v1::FinishRunRequest outcome;
  if (!bytes.ok() || !outcome.ParseFromString(*bytes)) return std::nullopt;
  return outcome;
}

absl::Status RunFolder::SetOutcome(const v1::FinishRunRequest& outcome) const {
  return WriteFileAtomically(path_ / "outcome.bin", outcome.SerializeAsString());
}

void RunFolder::Remove() const {
  std::error_code error;
  // Tests may have taken the right to write from folders of theirs.
  for (const fs::path& folder : {path_, temp()}) {
    for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && it != end; it.increment(error)) {
      std::error_code ignored;
      if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
        fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
      }
    }
  }
  fs::remove_all(path_, error);
  fs::remove_all(temp(), error);
}

std::string RunFolder::Mark() const { return absl::StrCat("run-", Sha256Hex(path_.native()).substr(0, kMarkDigits)); }

absl::Status RunFolder::StartSupervisor(const SupervisorCommand& command) const {
  const fs::path& program = command.program;
  ASSIGN_OR_RETURN(const worker::UniqueFd lock, OpenLock(path_));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return absl::OkStatus();  // one lives
  // The lock belongs to the open file, which the supervisor has from its first moment on.
  constexpr int kLockInSupervisor = 3;
  const int output = ::open((path_ / "supervisor.err").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const worker::UniqueFd closes(output);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, lock.get(), kLockInSupervisor);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> words = {program.native(), "--supervise", path_.native()};
  words.insert(words.end(), command.readable.begin(), command.readable.end());
  std::vector<std::string> environment = MarkedEnvironment(Mark());
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, PointersOf(words).data(),
                                   PointersOf(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return errors::Internal(absl::StrCat("the supervisor was not started: ", std::strerror(failed)));
  return WriteFileAtomically(path_ / "supervisor.pid", absl::StrCat(pid));
}

std::optional<pid_t> RunFolder::Supervisor() const {
  const absl::StatusOr<worker::UniqueFd> lock = OpenLock(path_);
  if (!lock.ok() || ::flock(lock->get(), LOCK_EX | LOCK_NB) == 0) return std::nullopt;
  const absl::StatusOr<std::string> text = ReadSmallFile(path_ / "supervisor.pid", 64);
  pid_t pid = 0;
  if (!text.ok() || !absl::SimpleAtoi(*text, &pid)) return 0;
  return pid;
}

bool RunFolder::KillLeftovers() const {
  const std::string mark = Mark();
  bool any = false;
  for (const worker::ProcessEntry& process : worker::ReadProcesses(0)) {
    if (process.zombie || !worker::ReadsAsMarked(process.pid, mark)) continue;
    any = true;
    worker::SendSignal(process, SIGKILL);
  }
  return !any;
}

}  // namespace yardmaster::yardworker
