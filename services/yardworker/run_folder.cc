#include "services/yardworker/run_folder.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/sha256.h"
#include "services/core/status_macros.h"
#include "services/worker/process/cgroup.h"
#include "services/worker/process/process_table.h"
#include "services/worker/process/unique_fd.h"
#include "services/worker/run/workspace.h"
#include "services/yardworker/outcome.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxRunFileBytes = 64 * 1024 * 1024;
constexpr size_t kMarkDigits = 32;
constexpr size_t kMaxReasonOfFault = 500;
constexpr off_t kReservedBytes = 256 * 1024;

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
  constexpr size_t kLongestPlace = 40;
  const std::string name = Sha256Hex(path_.native()).substr(0, kNameDigits);
  const fs::path beside = path_.parent_path().parent_path() / "t";
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) folder = "/tmp";
  temp_ = beside.native().size() <= kLongestPlace ? beside / name : folder / absl::StrCat("yr-", name);
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

fs::path RunFolder::PathOf(const fs::path& runs, const v1::RunOrder& order) {
  return runs / absl::StrCat(order.job(), "-", order.fence());
}

absl::StatusOr<RunFolder> RunFolder::Make(const fs::path& runs, const v1::RunOrder& order) {
  RunFolder folder(PathOf(runs, order));
  folder.Remove();
  std::error_code error;
  fs::create_directories(folder.path_, error);
  if (error) return errors::FileNotWritten(folder.path_.native(), error.message());
  const worker::UniqueFd reserve(
      ::open((folder.path_ / "reserve").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const int refused = reserve.ok() ? ::posix_fallocate(reserve.get(), 0, kReservedBytes) : errno;
  // Not every file system can.
  if (refused != 0 && refused != EOPNOTSUPP) {
    folder.Remove();
    return errors::FileNotWritten(folder.path_.native(), std::strerror(refused));
  }
  if (absl::Status written = WriteFileAtomically(folder.path_ / "order.bin", order.SerializeAsString());
      !written.ok()) {
    folder.Remove();
    return written;
  }
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

absl::Status RunFolder::WriteLast(const std::string& name, const std::string& content) const {
  absl::Status written = WriteFileAtomically(path_ / name, content);
  if (written.ok() || ::unlink((path_ / "reserve").c_str()) != 0) return written;
  return WriteFileAtomically(path_ / name, content);
}

absl::Status RunFolder::SetOutcome(const v1::FinishRunRequest& outcome) const {
  return WriteLast("outcome.bin", outcome.SerializeAsString());
}

std::optional<std::string> RunFolder::Declined() const {
  absl::StatusOr<std::string> why = ReadSmallFile(path_ / "declined", kMaxRunFileBytes);
  return why.ok() ? std::optional<std::string>(*std::move(why)) : std::nullopt;
}

absl::Status RunFolder::SetDeclined(const std::string& why) const { return WriteLast("declined", why); }

std::map<std::string, std::string> RunFolder::Faults() const {
  std::map<std::string, std::string> faults;
  const absl::StatusOr<std::string> text = ReadSmallFile(path_ / "faults.json", kMaxRunFileBytes);
  if (!text.ok()) return faults;
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return faults;
  for (const auto& [device, why] : json.items()) {
    if (why.is_string()) faults[device] = why.get<std::string>();
  }
  return faults;
}

absl::Status RunFolder::SetFaults(const std::map<std::string, std::string>& faults) const {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [device, why] : faults) json[device] = FitForMessage(why, kMaxReasonOfFault);
  return WriteLast("faults.json", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

bool RunFolder::DiskWasFull() const {
  std::error_code error;
  return fs::exists(path_ / "disk-full", error);
}

absl::Status RunFolder::SetDiskWasFull() const { return WriteLast("disk-full", ""); }

void RunFolder::Remove() const {
  worker::RemoveFolder(path_);
  worker::RemoveFolder(temp_);
}

std::string RunFolder::Mark() const { return absl::StrCat("run-", Sha256Hex(path_.native()).substr(0, kMarkDigits)); }

absl::Status RunFolder::StartSupervisor(const SupervisorCommand& command) const {
  const fs::path& program = command.program;
  ASSIGN_OR_RETURN(const worker::UniqueFd lock, OpenLock(path_));
  // One lives, or another thread starts a program at this moment, which has our descriptors until it is executed.
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return absl::UnavailableError("the run's lock is busy");
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
  std::vector<std::string> words = {program.native(),  "--supervise",
                                    path_.native(),    absl::StrCat(command.cache_mb),
                                    command.toolchain, absl::StrCat(command.kernel_log_since)};
  words.insert(words.end(), command.readable.begin(), command.readable.end());
  std::vector<std::string> environment = MarkedEnvironment(Mark());
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, PointersOf(words).data(),
                                   PointersOf(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return errors::Internal(absl::StrCat("the supervisor was not started: ", std::strerror(failed)));
  return absl::OkStatus();
}

absl::Status RunFolder::SetSupervisor() const { return WriteLast("supervisor.pid", absl::StrCat(::getpid())); }

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
  // Without its number only groups that are named for the run are found.
  pid_t supervisor = 0;
  const absl::StatusOr<std::string> text = ReadSmallFile(path_ / "supervisor.pid", 64);
  if (!text.ok() || !absl::SimpleAtoi(*text, &supervisor)) supervisor = 0;
  bool any = false;
  for (const worker::ProcessEntry& process : worker::ReadProcesses(0)) {
    if (process.zombie || !worker::ReadsAsMarked(process.pid, mark)) continue;
    any = true;
    worker::SendSignal(process, SIGKILL);
  }
  if (!any) worker::RemoveCgroupsOf(mark, supervisor);
  return !any;
}

}  // namespace yardmaster::yardworker
