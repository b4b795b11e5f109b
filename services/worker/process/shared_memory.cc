#include "services/worker/process/shared_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/process/process_table.h"
#include "services/worker/process/vfork_child.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// Calls `visit` with each name in an open folder, "." and ".." left out. Closes it.
void ForEachName(DIR* names, const std::function<void(const std::string&)>& visit) {
  if (names == nullptr) return;
  while (const dirent* item = ::readdir(names)) {
    const std::string name = item->d_name;
    if (name != "." && name != "..") visit(name);
  }
  ::closedir(names);
}

// A plain file of a folder that belongs to us.
std::optional<struct stat> OwnFile(const std::filesystem::path& path) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != ::geteuid()) return std::nullopt;
  return about;
}

std::vector<SystemVSegment> ReadSegments() { return ParseSystemVSegments(ReadProcFile("/proc/sysvipc/shm")); }

// Takes the candidates that a process has open or mapped out of the list.
void DropUsed(const std::filesystem::path& folder, std::set<std::string>& candidates) {
  const std::string prefix = folder.native() + "/";
  ForEachName(::opendir("/proc"), [&](const std::string& pid) {
    if (candidates.empty() || pid.find_first_not_of("0123456789") != std::string::npos) return;
    const std::string process = "/proc/" + pid;
    ForEachName(::opendir((process + "/fd").c_str()), [&](const std::string& fd) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(process + "/fd/" + fd, error).native();
      if (!error && target.compare(0, prefix.size(), prefix) == 0) candidates.erase(target.substr(prefix.size()));
    });
    const std::string maps = ReadProcFile(process + "/maps");
    for (size_t at = maps.find(prefix); at != std::string::npos; at = maps.find(prefix, at + 1)) {
      const size_t begin = at + prefix.size();
      candidates.erase(maps.substr(begin, maps.find('\n', begin) - begin));
    }
  });
}

bool IsAlive(pid_t pid) { return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM); }

void Add(const SystemVSegment& segment, SharedMemoryLeft& left) {
  left.system_v.push_back(segment.id);
  left.bytes += segment.bytes;
}

// --- Namespaces ---

// A short text that a child writes.
struct Line {
  char text[64] = "";
  size_t size = 0;

  explicit Line(const std::string& from) : size(std::min(from.size(), sizeof(text))) {
    std::memcpy(text, from.data(), size);
  }
};

// What the child that makes the namespaces needs, and what it leaves: descriptors, which it shares with its parent.
struct NamespacePlan {
  bool as_user = false;
  Line deny_groups;
  Line users;
  Line groups;
  bool own_network = false;
  ifreq loopback{};
  // Answers.
  int error = 0;
  const char* failed = "";
  int user = -1;
  int ipc = -1;
  int network = -1;
  int mount = -1;
  int root = -1;
  int folder = -1;
  int segments = -1;
};

YARD_IN_CHILD int OpenInChild(const char* path, int flags) {
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0));
}

YARD_IN_CHILD bool WriteInChild(const char* path, const Line& line) {
  const int fd = OpenInChild(path, O_WRONLY);
  const bool written = fd >= 0 && ::syscall(SYS_write, fd, line.text, line.size) == static_cast<long>(line.size);
  if (fd >= 0) ::syscall(SYS_close, fd);
  return written;
}

YARD_IN_CHILD bool MakeInChild(NamespacePlan& plan) {
  plan.failed = "make namespaces";
  const int kinds =
      CLONE_NEWNS | CLONE_NEWIPC | (plan.as_user ? CLONE_NEWUSER : 0) | (plan.own_network ? CLONE_NEWNET : 0);
  if (::syscall(SYS_unshare, kinds) != 0) return false;
  plan.failed = "name our user in a namespace";
  if (plan.as_user &&
      (!WriteInChild("/proc/self/setgroups", plan.deny_groups) || !WriteInChild("/proc/self/uid_map", plan.users) ||
       !WriteInChild("/proc/self/gid_map", plan.groups))) {
    return false;
  }
  plan.failed = "bring up the loopback of a namespace";
  if (plan.own_network) {
    const long fd = ::syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ::syscall(SYS_ioctl, fd, SIOCSIFFLAGS, &plan.loopback) != 0) return false;
    ::syscall(SYS_close, fd);
    if ((plan.network = OpenInChild("/proc/self/ns/net", O_RDONLY)) < 0) return false;
  }
  plan.failed = "mount /dev/shm in a namespace";
  // What is mounted here later comes to the machine's mounts never, and what is mounted there comes here.
  if (::syscall(SYS_mount, "none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0 ||
      ::syscall(SYS_mount, "tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") != 0) {
    return false;
  }
  plan.failed = "hold namespaces";
  plan.segments = OpenInChild("/proc/sysvipc/shm", O_RDONLY);
  if (plan.as_user && (plan.user = OpenInChild("/proc/self/ns/user", O_RDONLY)) < 0) return false;
  return (plan.ipc = OpenInChild("/proc/self/ns/ipc", O_RDONLY)) >= 0 &&
         (plan.mount = OpenInChild("/proc/self/ns/mnt", O_RDONLY)) >= 0 &&
         (plan.root = OpenInChild("/", O_PATH | O_DIRECTORY)) >= 0 &&
         (plan.folder = OpenInChild("/dev/shm", O_RDONLY | O_DIRECTORY)) >= 0;
}

YARD_IN_CHILD int RunNamespaceChild(void* argument) {
  NamespacePlan& plan = *static_cast<NamespacePlan*>(argument);
  if (!MakeInChild(plan)) plan.error = errno;
  ::syscall(SYS_exit_group, 0);
  return 0;
}

}  // namespace

std::vector<SystemVSegment> ParseSystemVSegments(std::string_view text) {
  // "key shmid perms size cpid lpid nattch uid gid cuid cgid …", the names of the columns in the first line.
  std::vector<SystemVSegment> segments;
  for (const std::string_view line : LinesOf(text)) {
    std::vector<uint64_t> fields;
    for (const std::string_view word : SplitWords(line)) {
      const std::optional<uint64_t> number = NumberOf(word);
      // A key is a signed number, and of no interest.
      if (!number.has_value() && !fields.empty()) break;
      fields.push_back(number.value_or(0));
    }
    if (fields.size() < 10) continue;
    segments.push_back({static_cast<int>(fields[1]), fields[3], static_cast<pid_t>(fields[4]), fields[6],
                        static_cast<uid_t>(fields[9])});
  }
  return segments;
}

SharedMemorySnapshot SharedMemorySnapshot::Take(std::filesystem::path folder) {
  SharedMemorySnapshot snapshot(std::move(folder));
  ForEachName(::opendir(snapshot.folder_.c_str()), [&](const std::string& name) {
    if (const auto about = OwnFile(snapshot.folder_ / name)) snapshot.files_.emplace(name, about->st_ino);
  });
  for (const SystemVSegment& segment : ReadSegments()) snapshot.segments_.insert(segment.id);
  return snapshot;
}

SharedMemoryLeft SharedMemorySnapshot::New() const {
  SharedMemoryLeft left;
  std::set<std::string> candidates;
  ForEachName(::opendir(folder_.c_str()), [&](const std::string& name) {
    const auto about = OwnFile(folder_ / name);
    if (about.has_value() && files_.count({name, about->st_ino}) == 0) candidates.insert(name);
  });
  if (!candidates.empty()) DropUsed(folder_, candidates);
  for (const std::string& name : candidates) {
    const auto about = OwnFile(folder_ / name);
    if (!about.has_value()) continue;
    left.names.push_back(name);
    left.bytes += static_cast<uint64_t>(about->st_size);
  }
  for (const SystemVSegment& segment : ReadSegments()) {
    if (segments_.count(segment.id) != 0 || segment.owner != ::geteuid() || segment.attached != 0) continue;
    if (!IsAlive(segment.creator)) Add(segment, left);
  }
  return left;
}

std::unique_ptr<NamespacedSharedMemory> NamespacedSharedMemory::Make(std::string& reason, bool as_user,
                                                                     bool own_network) {
  const auto same = [](uint32_t id) { return Line(std::to_string(id) + " " + std::to_string(id) + " 1"); };
  NamespacePlan plan{as_user, Line("deny"), same(::geteuid()), same(::getegid())};
  plan.own_network = own_network;
  plan.loopback.ifr_name[0] = 'l';
  plan.loopback.ifr_name[1] = 'o';
  plan.loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  const pid_t pid = RunVforkChild(RunNamespaceChild, &plan, CLONE_FILES);
  if (pid > 0) ReapVforkChild(pid);
  std::unique_ptr<NamespacedSharedMemory> memory(new NamespacedSharedMemory());
  for (const int fd : {plan.user, plan.ipc, plan.network, plan.mount}) {
    if (fd >= 0) memory->namespaces_.emplace_back(fd);
  }
  memory->root_ = UniqueFd(plan.root);
  memory->folder_ = UniqueFd(plan.folder);
  memory->segments_ = UniqueFd(plan.segments);
  const int error = pid < 0 ? -pid : plan.error;
  if (error == 0) return memory;
  if (!as_user) return Make(reason, true, own_network);
  reason = "can't " + std::string(plan.failed) + ": " + std::strerror(error);
  return nullptr;
}

SharedMemoryLeft NamespacedSharedMemory::Left() const {
  SharedMemoryLeft left;
  ForEachName(::fdopendir(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
              [&](const std::string& name) {
                struct stat about {};
                if (::fstatat(folder_.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) return;
                left.names.push_back(name);
                left.bytes += static_cast<uint64_t>(about.st_size);
              });
  absl::c_sort(left.names);
  if (!segments_.ok() || ::lseek(segments_.get(), 0, SEEK_SET) != 0) return left;
  for (const SystemVSegment& segment : ParseSystemVSegments(ReadAll(segments_))) Add(segment, left);
  return left;
}

void NamespacedSharedMemory::Enter(SpawnRequest& request) const {
  for (const UniqueFd& fd : namespaces_) request.namespaces.push_back(fd.get());
  request.root = root_.get();
}

}  // namespace yardmaster::worker
