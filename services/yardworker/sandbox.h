// The command by which bubblewrap starts a process of a run: what it may see, write, reach and use up.
#ifndef YARDMASTER_SERVICES_YARDWORKER_SANDBOX_H_
#define YARDMASTER_SERVICES_YARDWORKER_SANDBOX_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "services/worker/devices/device_probe.h"
#include "services/worker/process/process.h"

namespace yardmaster::yardworker {

// What holds for all processes of a run. Folders that are not there are left out.
struct SandboxPolicy {
  std::vector<std::filesystem::path> readable;      // besides the system
  std::vector<std::filesystem::path> writable;      // of the run: its source, its build
  std::vector<std::filesystem::path> fetched_into;  // writable for what fetches the source, and for nothing else
  std::filesystem::path temp;                       // what it has as /tmp
  std::filesystem::path filter;                     // of system calls (syscall_filter.h), a file; empty: none
  std::vector<std::filesystem::path> device_nodes;  // besides null, zero, random and the like
  bool network = false;                             // true: the host's
  uint64_t processes = 0;                           // of its user; 0: not limited here
  uint64_t file_bytes = 0;                          // the largest file; 0: no limit
  uint64_t core_bytes = 0;
};

inline constexpr const char* kSandboxEnvironment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"};

// The words to execute, program and arguments of `spec` at their end. It sees: the system's folders, read-only; of /etc
// no secrets; nothing of /home, /root, /run, /srv and /var. It has namespaces of its own for users, processes, host
// names, and, where `spec` has no shared memory that brings them, for IPC and the network. It ends with the process
// that started it, and everything that it started ends with it. The command itself is to be started with
// kSandboxEnvironment: that of `spec` is in its words, since it may name libraries to load.
std::vector<std::string> SandboxCommand(const SandboxPolicy& policy, const worker::ProcessSpec& spec);

// The device nodes that programs on these devices need: the drivers' own, and one for each device. `minor_of` gives the
// number of an NVIDIA GPU's node by its PCI address; -1: the index is taken.
std::vector<std::filesystem::path> DeviceNodesOf(const std::vector<worker::Device>& devices,
                                                 int (*minor_of)(const std::string& pci_address));
// As the driver has it in /proc.
int NvidiaMinorOf(const std::string& pci_address);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_SANDBOX_H_
