#include "services/worker/process/shared_memory.h"

#include <dirent.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <functional>
#include <optional>
#include <system_error>

#include "services/worker/process/process_table.h"

namespace yardmaster::worker {
namespace {

// Calls `visit` with each name in a folder, "." and ".." left out. Nothing if it can't be read.
void ForEachName(const std::filesystem::path& folder, const std::function<void(const std::string&)>& visit) {
  DIR* names = ::opendir(folder.c_str());
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
  ForEachName("/proc", [&](const std::string& pid) {
    if (candidates.empty() || pid.find_first_not_of("0123456789") != std::string::npos) return;
    const std::string process = "/proc/" + pid;
    ForEachName(process + "/fd", [&](const std::string& fd) {
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

}  // namespace

std::vector<SystemVSegment> ParseSystemVSegments(std::string_view text) {
  // "key shmid perms size cpid lpid nattch uid gid cuid cgid …", the names of the columns in the first line.
  std::vector<SystemVSegment> segments;
  size_t begin = std::min(text.find('\n'), text.size());
  while (begin < text.size()) {
    ++begin;
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end;
    int64_t fields[10] = {};
    size_t count = 0;
    size_t at = 0;
    while (count < 10) {
      at = line.find_first_not_of(' ', at);
      if (at == std::string_view::npos) break;
      const std::from_chars_result read = std::from_chars(line.data() + at, line.data() + line.size(), fields[count]);
      if (read.ec != std::errc()) break;
      at = static_cast<size_t>(read.ptr - line.data());
      ++count;
    }
    if (count < 10) continue;
    segments.push_back({static_cast<int>(fields[1]), static_cast<uint64_t>(fields[3]), static_cast<pid_t>(fields[4]),
                        static_cast<uint64_t>(fields[6]), static_cast<uid_t>(fields[9])});
  }
  return segments;
}

SharedMemorySnapshot SharedMemorySnapshot::Take(std::filesystem::path folder) {
  SharedMemorySnapshot snapshot(std::move(folder));
  ForEachName(snapshot.folder_, [&](const std::string& name) {
    if (const auto about = OwnFile(snapshot.folder_ / name)) snapshot.files_.emplace(name, about->st_ino);
  });
  for (const SystemVSegment& segment : ReadSegments()) snapshot.segments_.insert(segment.id);
  return snapshot;
}

SharedMemoryLeft SharedMemorySnapshot::RemoveNew() const {
  SharedMemoryLeft left;
  std::set<std::string> candidates;
  ForEachName(folder_, [&](const std::string& name) {
    const auto about = OwnFile(folder_ / name);
    if (about.has_value() && files_.count({name, about->st_ino}) == 0) candidates.insert(name);
  });
  if (!candidates.empty()) DropUsed(folder_, candidates);
  for (const std::string& name : candidates) {
    const auto about = OwnFile(folder_ / name);
    if (!about.has_value() || ::unlink((folder_ / name).c_str()) != 0) continue;
    left.names.push_back(name);
    left.bytes += static_cast<uint64_t>(about->st_size);
  }
  for (const SystemVSegment& segment : ReadSegments()) {
    if (segments_.count(segment.id) != 0 || segment.owner != ::geteuid() || segment.attached != 0) continue;
    if (IsAlive(segment.creator) || ::shmctl(segment.id, IPC_RMID, nullptr) != 0) continue;
    left.system_v.push_back(segment.id);
    left.bytes += segment.bytes;
  }
  return left;
}

}  // namespace yardmaster::worker
