#include "services/yardworker/sandbox.h"

#include <sys/resource.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/core/files.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kOpenFiles = 65'536;
// bubblewrap takes some thousand arguments.
constexpr size_t kMaxPins = 1'000;
constexpr size_t kMaxInformationBytes = 64 * 1024;

// What every program of a run may read. Of /etc what programs need to start and to find names, no keys, no tokens.
constexpr std::string_view kSystemPaths[] = {"/usr",
                                             "/bin",
                                             "/sbin",
                                             "/lib",
                                             "/lib32",
                                             "/lib64",
                                             "/libx32",
                                             "/opt",
                                             "/sys",
                                             "/etc/OpenCL",
                                             "/etc/alternatives",
                                             "/etc/ascend_install.info",
                                             "/etc/bash.bashrc",
                                             "/etc/ca-certificates",
                                             "/etc/ca-certificates.conf",
                                             "/etc/debian_version",
                                             "/etc/environment",
                                             "/etc/gai.conf",
                                             "/etc/group",
                                             "/etc/hccn.conf",
                                             "/etc/host.conf",
                                             "/etc/hosts",
                                             "/etc/ld.so.cache",
                                             "/etc/ld.so.conf",
                                             "/etc/ld.so.conf.d",
                                             "/etc/localtime",
                                             "/etc/magic",
                                             "/etc/mime.types",
                                             "/etc/nsswitch.conf",
                                             "/etc/openmpi",
                                             "/etc/os-release",
                                             "/etc/passwd",
                                             "/etc/pmix",
                                             "/etc/profile",
                                             "/etc/protocols",
                                             "/etc/python3",
                                             "/etc/services",
                                             "/etc/ssl/certs",
                                             "/etc/timezone",
                                             "/etc/vulkan"};
constexpr std::string_view kForNetwork[] = {"/etc/resolv.conf"};

// Nodes of the drivers; those that are not there are left out by the command.
constexpr std::string_view kNvidiaNodes[] = {
    "/dev/nvidiactl",   "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",         "/dev/nvidia-modeset",
    "/dev/nvidia-caps", "/dev/infiniband", "/dev/nvidia-caps-imex-channels"};
constexpr std::string_view kAscendNodes[] = {"/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc",
                                             "/dev/dvpp_cmdlist",    "/dev/uburma",    "/dev/ummu",
                                             "/dev/infiniband"};

void Bind(std::vector<std::string>& words, std::string_view how, const fs::path& path) {
  words.emplace_back(how);
  words.push_back(path.native());
  words.push_back(path.native());
}

// The folders in a folder that the worker will read from again. As mounts they can't be exchanged for links.
std::vector<fs::path> Pins(const fs::path& folder) {
  std::vector<fs::path> pins;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end && pins.size() < kMaxPins;
       it.increment(error)) {
    std::error_code gone;
    if (fs::is_directory(it->symlink_status(gone))) pins.push_back(it->path());
  }
  return pins;
}

// By its full path: the PATH of a run may name folders that the run writes.
std::string Bubblewrap() {
  std::error_code error;
  for (const char* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap"}) {
    if (fs::exists(path, error)) return path;
  }
  return "/usr/bin/bwrap";
}

// Where ours is lower it stays: only root may raise it.
std::string LimitWord(const char* option, int resource, uint64_t wanted) {
  rlimit ours{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &ours) != 0) ours.rlim_max = RLIM_INFINITY;
  return absl::StrCat(option, std::min<uint64_t>(wanted, ours.rlim_max));
}

void AddLimits(const SandboxPolicy& policy, std::vector<std::string>& words) {
  // Hard limits: what it starts can't lift them.
  words.insert(words.end(), {"/usr/bin/prlimit", LimitWord("--core=", RLIMIT_CORE, policy.core_bytes),
                             LimitWord("--nofile=", RLIMIT_NOFILE, kOpenFiles)});
  if (policy.processes > 0) words.push_back(LimitWord("--nproc=", RLIMIT_NPROC, policy.processes));
  if (policy.file_bytes > 0) words.push_back(LimitWord("--fsize=", RLIMIT_FSIZE, policy.file_bytes));
}

}  // namespace

std::vector<std::string> SandboxCommand(const SandboxPolicy& policy, const worker::ProcessSpec& spec) {
  const bool network = policy.network || spec.fetches;
  // The SIGTERM that ends a run is for the program: bubblewrap itself would take all down at once.
  std::vector<std::string> words;
  // Programs are started with no descriptors but their standard ones: so a shell opens the filter.
  if (!policy.filter.empty()) words = {"/bin/sh", "-c", "exec 9<\"$0\" && exec \"$@\"", policy.filter.native()};
  words.insert(words.end(),
               {"/usr/bin/env", "--ignore-signal=TERM", Bubblewrap(), "--unshare-user", "--unshare-pid",
                "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--disable-userns", "--cap-drop", "ALL"});
  if (!policy.filter.empty()) words.insert(words.end(), {"--seccomp", "9"});
  // Ranks of one step meet in those of the step.
  if (spec.shared_memory == nullptr) words.emplace_back("--unshare-ipc");
  if (spec.shared_memory == nullptr && !network) words.emplace_back("--unshare-net");
  for (const std::string_view path : kSystemPaths) Bind(words, "--ro-bind-try", path);
  for (const std::string_view path : kForNetwork) {
    if (network) Bind(words, "--ro-bind-try", path);
  }
  words.insert(words.end(), {"--proc", "/proc", "--dev", "/dev"});
  if (spec.shared_memory != nullptr) Bind(words, "--bind", "/dev/shm");
  for (const fs::path& node : policy.device_nodes) Bind(words, "--dev-bind-try", node);
  if (!policy.temp.empty()) words.insert(words.end(), {"--bind", policy.temp.native(), "/tmp"});
  words.insert(words.end(), {"--dir", "/var", "--symlink", "/tmp", "/var/tmp"});
  for (const fs::path& path : policy.readable) Bind(words, "--ro-bind-try", path);
  for (const fs::path& path : policy.writable) Bind(words, "--bind-try", path);
  for (const fs::path& path : policy.fetched_into) {
    if (spec.fetches) Bind(words, "--bind-try", path);
  }
  for (const fs::path& path : spec.writable) {
    Bind(words, "--bind-try", path);
    for (const fs::path& pin : Pins(path)) Bind(words, "--bind-try", pin);
    // What it printed is on record.
    Bind(words, "--ro-bind-try", path / "log");
  }
  std::error_code error;
  words.insert(words.end(),
               {"--chdir", fs::absolute(spec.directory.empty() ? "." : spec.directory, error).native(), "--"});
  AddLimits(policy, words);
  // Its environment begins here: what it says of loaders and paths must not reach what runs outside.
  words.insert(words.end(), {"/usr/bin/env", "-i", "--default-signal=TERM"});
  for (const std::string& entry : spec.environment) {
    if (entry.find('=') != std::string::npos && entry[0] != '-') words.push_back(entry);
  }
  // A name with "=" would be taken for a variable.
  if (!spec.argv.empty() && absl::StrContains(spec.argv[0], '=')) {
    words.insert(words.end(), {"/bin/sh", "-c", "exec \"$0\" \"$@\""});
  }
  words.insert(words.end(), spec.argv.begin(), spec.argv.end());
  return words;
}

std::vector<fs::path> DeviceNodesOf(const std::vector<worker::Device>& devices,
                                    int (*minor_of)(const std::string& pci_address)) {
  std::vector<fs::path> nodes;
  const auto add = [&](const fs::path& node) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  };
  for (const worker::Device& device : devices) {
    if (device.kind == rules::DeviceKind::kGpu) {
      for (const std::string_view node : kNvidiaNodes) add(node);
      const int minor = minor_of(device.pci_address);
      add(absl::StrCat("/dev/nvidia", minor < 0 ? device.index : minor));
    }
    if (device.kind == rules::DeviceKind::kNpu) {
      for (const std::string_view node : kAscendNodes) add(node);
      add(absl::StrCat("/dev/davinci", device.index));
    }
  }
  return nodes;
}

int NvidiaMinorOf(const std::string& pci_address) {
  const absl::StatusOr<std::string> text =
      ReadSmallFile("/proc/driver/nvidia/gpus/" + pci_address + "/information", kMaxInformationBytes);
  if (!text.ok()) return -1;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    int minor = -1;
    if (absl::StartsWith(line, "Device Minor:") && absl::SimpleAtoi(line.substr(line.find(':') + 1), &minor)) {
      return minor;
    }
  }
  return -1;
}

}  // namespace yardmaster::yardworker
