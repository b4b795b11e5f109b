#include "services/worker/run/python_stacks.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "services/core/lines.h"
#include "services/worker/launch/python_hook.h"
#include "services/worker/process/unique_fd.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr std::chrono::seconds kAnswerTime{1};
constexpr std::chrono::milliseconds kLook{10};
// An answer that has not grown for so many looks is whole.
constexpr int kLooksAtRest = 4;
constexpr off_t kMaxAnswerBytes = 1024 * 1024;
constexpr off_t kMaxSourceBytes = 4 * 1024 * 1024;

// A file by device and number.
using FileId = std::pair<dev_t, ino_t>;

off_t SizeOf(const UniqueFd& file) {
  struct stat about {};
  return ::fstat(file.get(), &about) == 0 ? about.st_size : 0;
}

std::string ReadFrom(const UniqueFd& file, off_t begin, off_t end) {
  std::string text(static_cast<size_t>(std::min(end - begin, kMaxAnswerBytes)), '\0');
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), begin);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

// The plain files of the folder, opened.
std::map<FileId, UniqueFd> OpenPlainFiles(const std::filesystem::path& folder) {
  std::map<FileId, UniqueFd> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    UniqueFd file(::open(it->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about {};
    if (!file.ok() || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    files.emplace(FileId{about.st_dev, about.st_ino}, std::move(file));
  }
  return files;
}

// The one of `files` that the process has open; null: none.
const UniqueFd* FileOf(const ProcessEntry& process, const std::map<FileId, UniqueFd>& files) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(Concat("/proc/", process.pid, "/fd"), error), end; !error && it != end;
       it.increment(error)) {
    struct stat about {};
    if (::stat(it->path().c_str(), &about) != 0) continue;
    const auto found = files.find({about.st_dev, about.st_ino});
    if (found != files.end()) return &found->second;
  }
  return nullptr;
}

struct Asked {
  size_t index = 0;  // of the process
  const UniqueFd* file = nullptr;
  off_t begin = 0;
  off_t size = 0;
  int at_rest = 0;
};

// Until all have answered and are at rest, or the time is up.
void WaitForAnswers(std::vector<Asked>& asked, std::vector<std::string>& answers) {
  const auto deadline = std::chrono::steady_clock::now() + kAnswerTime;
  bool waiting = true;
  while (waiting && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kLook);
    waiting = false;
    for (Asked& one : asked) {
      const off_t size = SizeOf(*one.file);
      one.at_rest = size > one.begin && size == one.size ? one.at_rest + 1 : 0;
      one.size = size;
      waiting = waiting || one.at_rest < kLooksAtRest;
    }
  }
  for (const Asked& one : asked) {
    if (one.size > one.begin) answers[one.index] = ReadFrom(*one.file, one.begin, one.size);
  }
}

UniqueFd OpenBelow(const std::filesystem::path& folder, const std::filesystem::path& relative) {
  const UniqueFd root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.ok()) return UniqueFd(-1);
  open_how how{};
  how.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, root.get(), relative.c_str(), &how, sizeof how)));
}

}  // namespace

bool CatchesSignal(std::string_view status, int signal) {
  constexpr std::string_view kCaught = "SigCgt:";
  for (const std::string_view line : LinesOf(status)) {
    if (!line.starts_with(kCaught)) continue;
    uint64_t mask = 0;
    const std::string_view digits = TrimBlanks(line.substr(kCaught.size()));
    return absl::SimpleHexAtoi({digits.data(), digits.size()}, &mask) && ((mask >> (signal - 1)) & 1U) != 0;
  }
  return false;
}

std::vector<std::string> AskForPythonStacks(const std::vector<ProcessEntry>& processes,
                                            const std::filesystem::path& stacks,
                                            std::chrono::steady_clock::time_point deadline) {
  std::vector<std::string> answers(processes.size());
  const std::map<FileId, UniqueFd> files = OpenPlainFiles(stacks);
  // Processes that were forked share a file: of each file one is asked at a time.
  std::map<const UniqueFd*, std::vector<size_t>> by_file;
  size_t rounds = 0;
  for (size_t i = 0; i < processes.size() && !files.empty(); ++i) {
    // Who has other plans with the signal would end by it.
    if (!CatchesSignal(ReadProcFile(Concat("/proc/", processes[i].pid, "/status")), kStackSignal)) continue;
    const UniqueFd* file = FileOf(processes[i], files);
    if (file == nullptr) continue;
    std::vector<size_t>& sharing = by_file[file];
    sharing.push_back(i);
    rounds = std::max(rounds, sharing.size());
  }
  for (size_t round = 0; round < rounds && std::chrono::steady_clock::now() < deadline; ++round) {
    std::vector<Asked> asked;
    for (const auto& [file, sharing] : by_file) {
      if (round >= sharing.size()) continue;
      const off_t size = SizeOf(*file);
      asked.push_back({sharing[round], file, size, size, 0});
      SendSignal(processes[sharing[round]], kStackSignal);
    }
    WaitForAnswers(asked, answers);
  }
  return answers;
}

std::string SourceLine(const std::filesystem::path& folder, const std::filesystem::path& file, int number) {
  const std::filesystem::path relative = file.is_absolute() ? file.lexically_relative(folder) : file;
  if (folder.empty() || relative.empty() || *relative.begin() == "..") return "";
  const UniqueFd source = OpenBelow(folder, relative);
  struct stat about {};
  if (!source.ok() || ::fstat(source.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      about.st_size > kMaxSourceBytes) {
    return "";
  }
  const std::string text = ReadAll(source);
  const std::vector<std::string_view> lines = LinesOf(text);
  if (number < 1 || static_cast<size_t>(number) > lines.size()) return "";
  return std::string(TrimBlanks(lines[static_cast<size_t>(number) - 1]));
}

}  // namespace yardmaster::worker
