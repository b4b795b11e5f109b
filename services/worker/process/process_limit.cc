#include "services/worker/process/process_limit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "services/core/lines.h"
#include "services/worker/process/memory_group.h"
#include "services/worker/process/process_table.h"
#include "services/worker/process/unique_fd.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr std::chrono::milliseconds kGroupPause{5};
constexpr int kGroupTries = 1'000;

int WriteGroupFile(const std::filesystem::path& file, std::string_view value) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.ok()) return errno;
  return ::write(fd.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size()) ? 0 : errno;
}

std::optional<CgroupPlace> FindPlace(std::string& reason) {
  std::optional<CgroupPlace> place =
      FindCgroup(ReadProcFile("/proc/self/mountinfo"), ReadProcFile("/proc/self/cgroup"), 1, "pids");
  if (!place.has_value()) {
    reason =
        "no control groups of version 1 with \"pids\" are mounted here: run the worker as a user other than root, "
        "whose processes can be limited without";
  }
  return place;
}

}  // namespace

bool ProcessLimit::Possible(std::string& reason) {
  const std::optional<CgroupPlace> place = FindPlace(reason);
  if (!place.has_value()) return false;
  if (::access(place->own.c_str(), W_OK) == 0) return true;
  reason = "can't write to " + place->own.native() + ": " + std::strerror(errno);
  return false;
}

std::unique_ptr<ProcessLimit> ProcessLimit::Enter(std::string_view name, uint64_t most, std::string& reason) {
  const std::optional<CgroupPlace> place = FindPlace(reason);
  if (!place.has_value()) return nullptr;
  const std::filesystem::path folder = place->own / CgroupName(name, ::getpid(), 0);
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    reason = "can't make a control group in " + place->own.native() + ": " + std::strerror(errno);
    return nullptr;
  }
  std::unique_ptr<ProcessLimit> limit(new ProcessLimit(place->own, folder));
  int error = WriteGroupFile(folder / "pids.max", std::to_string(most));
  if (error == 0) error = WriteGroupFile(folder / "cgroup.procs", "0");
  if (error == 0) return limit;
  reason = "can't limit processes in " + folder.native() + ": " + std::strerror(error);
  return nullptr;
}

ProcessLimit::~ProcessLimit() {
  WriteGroupFile(before_ / "cgroup.procs", "0");
  for (int i = 0; i < kGroupTries && ::rmdir(folder_.c_str()) != 0 && errno != ENOENT; ++i) {
    const std::string pids = ReadProcFile((folder_ / "cgroup.procs").native());
    for (const std::string_view line : Split(pids, '\n')) {
      const uint64_t pid = NumberOf(line).value_or(0);
      if (pid > 0 && static_cast<pid_t>(pid) != ::getpid()) ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
    std::this_thread::sleep_for(kGroupPause);
  }
}

int64_t ProcessLimit::refusals() const {
  return CounterIn(ReadProcFile((folder_ / "pids.events").native()), "max").value_or(0);
}

}  // namespace yardmaster::worker
