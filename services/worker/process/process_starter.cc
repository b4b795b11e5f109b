#include "services/worker/process/process_starter.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include "services/core/hex.h"
#include "services/worker/errors.h"
#include "services/worker/process/children.h"
#include "services/worker/process/memory_group.h"
#include "services/worker/process/process.h"
#include "services/worker/process/program_path.h"
#include "services/worker/process/shared_memory.h"
#include "services/worker/process/system_process.h"

namespace yardmaster::worker {
namespace {

constexpr int kPipeBytes = 1024 * 1024;
constexpr size_t kMarkBytes = 16;
// Marks of jobs around us; deeper nesting forgets the outermost.
constexpr size_t kMaxInheritedMarkBytes = 8 * (2 * kMarkBytes + 1);
// A program that was just written may still be open for writing in a process that another thread is starting.
constexpr int kTextBusyTries = 50;
constexpr std::chrono::milliseconds kTextBusyPause{10};

// Above 2: the child puts descriptors there.
UniqueFd AboveStandard(UniqueFd fd) {
  if (fd.get() > 2 || !fd.ok()) return fd;
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
  bool ok() const { return read.ok() && write.ok(); }
};

Pipe MakePipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  Pipe pipe{UniqueFd(ends[0]), AboveStandard(UniqueFd(ends[1]))};
  // A large pipe lets the program run on while we are busy. Where there is a limit on it the usual size will do.
  ::fcntl(pipe.read.get(), F_SETPIPE_SZ, kPipeBytes);
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

// What an errno of a start that failed means.
absl::Status ExplainFailure(const ProcessSpec& spec, const SpawnRequest& request, const SpawnResult& result) {
  const std::string& program = spec.argv[0];
  if (result.stage == SpawnStage::kDirectory) {
    return worker_errors::DirectoryUnusable(spec.directory.native(), std::strerror(result.error));
  }
  if (result.stage == SpawnStage::kNamespace) return worker_errors::SharedMemoryRefused(program, result.error);
  switch (result.error) {
    case EAGAIN:
      return worker_errors::NothingLeftToStart(program, "processes", result.error);
    case ENOMEM:
      return worker_errors::NothingLeftToStart(program, "memory", result.error);
    case EMFILE:
    case ENFILE:
      return worker_errors::NothingLeftToStart(program, "descriptors", result.error);
    default:
      break;
  }
  if (result.stage == SpawnStage::kExec && result.error == ENOENT) {
    for (const std::string& candidate : request.programs) {
      const std::string interpreter = MissingInterpreter(spec.directory / candidate);
      if (!interpreter.empty()) return worker_errors::InterpreterNotFound(candidate, interpreter);
    }
    return worker_errors::ProgramNotFound(program, EnvironmentValue(spec.environment, "PATH"));
  }
  const std::string& tried =
      result.stage == SpawnStage::kExec && !request.programs.empty() ? request.programs[result.program] : program;
  if (result.error == ENOEXEC)
    return worker_errors::ProgramNotExecutable(tried, "it is neither a binary nor has a #! line");
  struct stat about {};
  if (result.error == EACCES && ::stat((spec.directory / tried).c_str(), &about) == 0 && S_ISDIR(about.st_mode)) {
    return worker_errors::ProgramNotExecutable(tried, "it is a folder");
  }
  return worker_errors::ProgramNotExecutable(tried, std::strerror(result.error));
}

// A descriptor from which `text` is read; not ok() if there is none left.
UniqueFd InputOf(const std::string& text) {
  if (text.empty()) return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  UniqueFd memory(::memfd_create("stdin", MFD_CLOEXEC));
  size_t done = 0;
  while (memory.ok() && done < text.size()) {
    const ssize_t count = ::write(memory.get(), text.data() + done, text.size() - done);
    if (count <= 0) return UniqueFd();
    done += static_cast<size_t>(count);
  }
  if (memory.ok()) ::lseek(memory.get(), 0, SEEK_SET);
  return memory;
}

class SystemProcessStarter : public ProcessStarter {
 public:
  absl::StatusOr<std::unique_ptr<Process>> Start(const ProcessSpec& spec, MemoryGroup* memory) override {
    if (spec.argv.empty() || spec.argv[0].empty()) return worker_errors::NoProgramGiven();
    const std::string mark = MakeProcessMark();
    const char* inherited = std::getenv(std::string(kMarkVariable).c_str());
    SpawnRequest request;
    request.programs = ProgramCandidates(spec.argv[0], EnvironmentValue(spec.environment, "PATH"));
    request.argv = spec.argv;
    request.environment = WithMark(spec.environment, mark, inherited == nullptr ? "" : inherited);
    std::error_code ignored;  // the start says what is wrong with it
    request.directory = std::filesystem::absolute(spec.directory.empty() ? "." : spec.directory, ignored).native();
    request.oom_score_adj = Children::Get().job_oom_score();

    // Its descriptors.
    const UniqueFd input = AboveStandard(InputOf(spec.input));
    Pipe out = MakePipe();
    Pipe err = MakePipe();
    StartedProcess started;
    started.wake = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!input.ok() || !out.ok() || !err.ok() || !started.wake.ok()) {
      return worker_errors::NothingLeftToStart(spec.argv[0], "descriptors", errno);
    }
    UniqueFd group;
    if (auto* cgroup = dynamic_cast<CgroupMemory*>(memory); cgroup != nullptr)
      group = AboveStandard(cgroup->OpenProcs());
    request.in = input.get();
    request.out = out.write.get();
    request.err = err.write.get();
    request.cgroup_procs = group.get();
    if (const auto* own = dynamic_cast<const NamespacedSharedMemory*>(spec.shared_memory)) own->Enter(request);

    SpawnResult result = Children::Get().Start(request);
    for (int i = 0; i < kTextBusyTries && result.pid < 0 && result.error == ETXTBSY; ++i) {
      std::this_thread::sleep_for(kTextBusyPause);
      result = Children::Get().Start(request);
    }
    if (result.pid < 0) return ExplainFailure(spec, request, result);

    // A zombie still has its start time, so that it is there even if the program has already ended.
    started.leader.pid = result.pid;
    if (const std::optional<ProcessEntry> entry = ReadProcess(result.pid)) started.leader.start = entry->start;
    started.leader.mark = mark;
    started.out = std::move(out.read);
    started.err = std::move(err.read);
    started.handle = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, result.pid, 0)));
    std::unique_ptr<Process> process = SystemProcess::Watched(std::move(started), spec.output);
    if (process == nullptr) return worker_errors::NothingLeftToStart(spec.argv[0], "threads", EAGAIN);
    return process;
  }

  std::unique_ptr<MemoryGroup> MakeMemoryGroup(std::string_view name, uint64_t limit_bytes,
                                               std::string& reason) override {
    return CgroupMemory::Make(name, limit_bytes, reason);
  }

  std::unique_ptr<SharedMemory> MakeSharedMemory(std::string& reason) override {
    return NamespacedSharedMemory::Make(reason);
  }
};

}  // namespace

std::string MakeProcessMark() {
  unsigned char bytes[kMarkBytes];
  if (::getrandom(bytes, sizeof(bytes), 0) != static_cast<ssize_t>(sizeof(bytes))) {
    std::random_device device;
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(device());
  }
  return Hex(bytes);
}

std::vector<std::string> WithMark(const std::vector<std::string>& environment, std::string_view mark,
                                  std::string_view inherited) {
  std::string value(kMarkVariable);
  value += '=';
  std::vector<std::string> marked;
  marked.reserve(environment.size() + 1);
  for (const std::string& entry : environment) {
    if (entry.compare(0, value.size(), value) != 0) marked.push_back(entry);
  }
  if (inherited.size() > kMaxInheritedMarkBytes) inherited.remove_prefix(inherited.size() - kMaxInheritedMarkBytes);
  value += inherited;
  if (!inherited.empty()) value += ':';
  value += mark;
  marked.push_back(std::move(value));
  return marked;
}

std::unique_ptr<ProcessStarter> MakeProcessStarter() {
  // Orphans come to us instead of to init: only their parent can wait for them.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  // Where our own starter ignores SIGCHLD the kernel would throw away how children ended.
  struct sigaction action {};
  if (::sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) ::signal(SIGCHLD, SIG_DFL);
  return std::make_unique<SystemProcessStarter>();
}

}  // namespace yardmaster::worker
