// yard-worker: runs suites beside the devices, as yardmasterd says.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "clients/command_line/parse.h"
#include "services/core/version.h"
#include "services/yardworker/gpu_probe.h"
#include "services/yardworker/keeper.h"
#include "services/yardworker/supervise.h"
#include "services/yardworker/work.h"

namespace {

constexpr char kFooter[] = R"(
A run is the child of a process of its own, which goes on when the worker is started again. Signals: SIGTERM and SIGINT
drain, the runs in hand end; a second one ends them and gives them back.

Exit: 0 drained; 2 usage, or another worker has the folder; 3 not admitted, or a newer worker has the name; 4 the system.

Examples:
  yard-worker --server 127.0.0.1:9090 --token-file worker.token --name box-1 --work-dir /var/lib/yard-worker
      everything that is there: processors, GPUs, NPUs
  yard-worker --token-file worker.token --name box-2 --pool untrusted --work-dir work
      for code that nobody has vouched for; starts only where bubblewrap and control groups contain it
  yard-worker --token-file worker.token --name box-1 --devices cpu:8 --labels big,lab --work-dir work
      eight processors, for jobs that ask for these labels or none
)";

}  // namespace

int main(int argc, char** argv) {
  using yardmaster::yardworker::WorkOptions;
  std::error_code error;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
  if (argc >= 6 && std::string_view(argv[1]) == "--supervise") {
    yardmaster::yardworker::SupervisorCommand command;
    command.program = executable;
    command.cache_mb = std::strtoull(argv[3], nullptr, 10);
    command.toolchain = argv[4];
    command.kernel_log_since = std::strtoull(argv[5], nullptr, 10);
    command.readable = {argv + 6, argv + argc};
    return yardmaster::yardworker::Supervise(argv[2], command);
  }
  if (argc == 2 && std::string_view(argv[1]) == "--probe-gpus") return yardmaster::yardworker::ProbeGpus();
  WorkOptions options;
  namespace command_line = yardmaster::command_line;
  command_line::Command program("yard-worker", "yard-worker: runs suites on this machine's devices for yardmasterd.");
  program.footer = kFooter;
  program.last_value_wins = true;
  program.Help("-h,--help", "Print this help and exit");
  program.Version("--version", "yard-worker " + std::string(yardmaster::kVersion), "Print the version and exit");
  std::optional<yardmaster::HostPort> server;
  program.Value("--server", &server, "Address of yardmasterd (default 127.0.0.1:9090)");
  program.Value("--token-file", &options.token_file, "FILE", "File with a token of the role runner");
  program.Value("--daemon-key", &options.daemon_key, "FILE",
                "The daemon's public key (PEM): follow only orders that are signed with it");
  program.Value("--name", &options.name, "NAME", "The worker's name (default: the host's)");
  program.Value("--devices", &options.devices, "LIST",
                "cpu:N, gpu:auto, npu:auto, with commas (default: all there is)");
  program.Value("--labels", &options.labels, "LIST", "Labels that jobs may ask for, with commas");
  program.Value("--pool", &options.pool, "POOL", "trusted or untrusted").OneOf({"trusted", "untrusted"});
  program.Value("--readable", &options.readable, "DIRS",
                "Folders that runs may read besides the system's, with commas: a Python of your own, a toolkit");
  program.Value("--work-dir", &options.work_dir, "DIR", "Where runs lie; one worker at a time (default ./yard-worker)");
  program.Value("--cache-mb", &options.cache_mb, "N",
                "MiB that runs may keep for those after them: git objects, ccache, builds; 0: nothing (default 20480)");
  program
      .Value("--memory-mb", &options.memory_mb, "N",
             "MiB of memory that runs may have together, each the share of its devices; 0: no limit (default 0; in "
             "the pool untrusted nine tenths of the host's)")
      .NotNegative();
  program.Value("--ready-file", &options.ready_file, "FILE", "Written when the worker is known: {\"pid\", \"name\"}");
  program.Flag("--once", &options.once, "End after the first run");
  bool keep = false;
  program.Flag("--keep", &keep, "Start it again when it crashes, as a service manager would");
  const command_line::Parsed parsed = command_line::Parse(program, {argv + 1, argv + argc});
  if (parsed.command == nullptr) {
    if (parsed.error.empty()) {
      std::cout << parsed.answer;
      return 0;
    }
    std::cerr << parsed.error << "\nRun with --help for more information.\n";
    return 2;
  }
  if (keep) {
    std::vector<std::string> words = {executable.native()};
    std::copy_if(argv + 1, argv + argc, std::back_inserter(words),
                 [](std::string_view word) { return word != "--keep"; });
    return yardmaster::yardworker::Keep(words);
  }
  if (server.has_value()) options.server = *server;
  if (options.name.empty()) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    options.name = host;
  }
  if (options.work_dir.empty()) options.work_dir = "yard-worker";
  return yardmaster::yardworker::Work(options, executable);
}
