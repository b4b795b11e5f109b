// NVML by dlopen. The declarations below are the parts of its public C interface that are called; each symbol is paired
// with the structure of its own version.
#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "services/worker/devices/nvml.h"

namespace yardmaster::worker {
namespace {

// nvmlInitWithFlags: a host without devices is no error.
constexpr unsigned kInitFlagNoGpus = 1;
// nvmlDeviceGetTotalEccErrors: what could not be corrected, since the driver was loaded.
constexpr unsigned kUncorrected = 1;
constexpr unsigned kVolatile = 0;
constexpr size_t kTextBytes = 96;
constexpr size_t kMaxProcesses = 4096;

struct MemoryV1 {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct MemoryV2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
struct Use {
  unsigned gpu;
  unsigned memory;
};
struct PciV3 {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;
  unsigned pci_subsystem_id;
  char bus_id[32];
};
struct ProcessV1 {
  unsigned pid;
  unsigned long long used_memory;
};
struct ProcessV2 {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

// Structures with a version carry their size and number in it.
template <typename T>
constexpr unsigned VersionWord(unsigned version) {
  return static_cast<unsigned>(sizeof(T)) | (version << 24U);
}

class NvmlLibrary : public Nvml {
 public:
  explicit NvmlLibrary(void* library) : library_(library) {}
  ~NvmlLibrary() override { dlclose(library_); }
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  // It has what there has been since NVML came to be.
  bool usable() const {
    return (Has("nvmlInitWithFlags") || Has("nvmlInit_v2")) && Has("nvmlShutdown") &&
           (Has("nvmlDeviceGetCount_v2") || Has("nvmlDeviceGetCount")) &&
           (Has("nvmlDeviceGetHandleByIndex_v2") || Has("nvmlDeviceGetHandleByIndex")) && Has("nvmlDeviceGetName") &&
           Has("nvmlDeviceGetUUID");
  }

  int Init() override {
    return Has("nvmlInitWithFlags") ? Call("nvmlInitWithFlags", kInitFlagNoGpus) : Call("nvmlInit_v2");
  }
  void Shutdown() override { Call("nvmlShutdown"); }
  std::string ErrorText(int code) override {
    const auto text_of = reinterpret_cast<const char* (*)(int)>(dlsym(library_, "nvmlErrorString"));
    const char* text = text_of == nullptr ? nullptr : text_of(code);
    return text == nullptr ? "error" : text;
  }

  int DriverVersion(std::string& version) override {
    return Text(version, [&](char* to, unsigned size) { return Call("nvmlSystemGetDriverVersion", to, size); });
  }
  int CudaVersion(int& version) override {
    return CallNewest("nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion", &version);
  }
  int Count(unsigned& count) override { return CallNewest("nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", &count); }
  int DeviceAt(unsigned index, Handle& device) override {
    return CallNewest("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex", index, &device);
  }

  int Name(Handle device, std::string& name) override {
    return Text(name, [&](char* to, unsigned size) { return Call("nvmlDeviceGetName", device, to, size); });
  }
  int Uuid(Handle device, std::string& uuid) override {
    return Text(uuid, [&](char* to, unsigned size) { return Call("nvmlDeviceGetUUID", device, to, size); });
  }
  int PciAddress(Handle device, std::string& address) override {
    PciV3 pci{};
    const int code = Call("nvmlDeviceGetPciInfo_v3", device, &pci);
    if (code == kNvmlOk) address.assign(pci.bus_id, strnlen(pci.bus_id, sizeof(pci.bus_id)));
    return code;
  }
  int Capability(Handle device, int& major, int& minor) override {
    return Call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor);
  }
  int ComputeMode(Handle device, unsigned& mode) override { return Call("nvmlDeviceGetComputeMode", device, &mode); }
  int Memory(Handle device, uint64_t& total_bytes, uint64_t& used_bytes) override {
    MemoryV2 split{};
    split.version = VersionWord<MemoryV2>(2);
    if (Call("nvmlDeviceGetMemoryInfo_v2", device, &split) == kNvmlOk) {
      total_bytes = split.total;
      used_bytes = split.used;
      return kNvmlOk;
    }
    MemoryV1 whole{};
    const int code = Call("nvmlDeviceGetMemoryInfo", device, &whole);
    total_bytes = whole.total;
    used_bytes = whole.used;
    return code;
  }
  int Utilization(Handle device, unsigned& percent) override {
    Use use{};
    const int code = Call("nvmlDeviceGetUtilizationRates", device, &use);
    percent = use.gpu;
    return code;
  }
  int UncorrectedErrors(Handle device, uint64_t& count) override {
    unsigned long long errors = 0;
    const int code = Call("nvmlDeviceGetTotalEccErrors", device, kUncorrected, kVolatile, &errors);
    count = errors;
    return code;
  }
  int RemappedRows(Handle device, bool& pending, bool& failed) override {
    unsigned corrected = 0;
    unsigned uncorrected = 0;
    unsigned is_pending = 0;
    unsigned has_failed = 0;
    const int code = Call("nvmlDeviceGetRemappedRows", device, &corrected, &uncorrected, &is_pending, &has_failed);
    pending = is_pending != 0;
    failed = has_failed != 0;
    return code;
  }
  int RetiredPagesPending(Handle device, bool& pending) override {
    unsigned is_pending = 0;
    const int code = Call("nvmlDeviceGetRetiredPagesPendingStatus", device, &is_pending);
    pending = is_pending != 0;
    return code;
  }
  int Processes(Handle device, std::vector<int64_t>& pids) override {
    for (const char* name : {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}) {
      if (Has(name)) return ReadProcesses<ProcessV2>(name, device, pids);
    }
    return ReadProcesses<ProcessV1>("nvmlDeviceGetComputeRunningProcesses", device, pids);
  }

  int MigMode(Handle device, bool& on) override {
    unsigned current = 0;
    unsigned pending = 0;
    const int code = Call("nvmlDeviceGetMigMode", device, &current, &pending);
    on = current != 0;
    return code;
  }
  int MigSlots(Handle device, unsigned& count) override {
    return Call("nvmlDeviceGetMaxMigDeviceCount", device, &count);
  }
  int MigDeviceAt(Handle device, unsigned slot, Handle& instance) override {
    return Call("nvmlDeviceGetMigDeviceHandleByIndex", device, slot, &instance);
  }

 private:
  bool Has(const char* name) const { return dlsym(library_, name) != nullptr; }
  // The arguments must have the types that NVML declares.
  template <typename... Args>
  int Call(const char* name, Args... args) const {
    const auto function = reinterpret_cast<int (*)(Args...)>(dlsym(library_, name));
    return function == nullptr ? kNvmlFunctionMissing : function(args...);
  }
  template <typename... Args>
  int CallNewest(const char* name, const char* older, Args... args) const {
    return Call(Has(name) ? name : older, args...);
  }
  template <typename Ask>
  static int Text(std::string& out, Ask ask) {
    std::array<char, kTextBytes> text{};
    const int code = ask(text.data(), static_cast<unsigned>(text.size()));
    if (code == kNvmlOk) out.assign(text.data(), strnlen(text.data(), text.size()));
    return code;
  }
  template <typename Record>
  int ReadProcesses(const char* name, Handle device, std::vector<int64_t>& pids) const {
    pids.clear();
    for (size_t room = 64; room <= kMaxProcesses; room *= 4) {
      // Some drivers wrote larger records than their header said: half of the room is never offered to them.
      std::vector<Record> records(2 * room);
      auto count = static_cast<unsigned>(room);
      const int code = Call(name, device, &count, static_cast<void*>(records.data()));
      if (code == kNvmlBufferTooSmall) continue;
      if (code != kNvmlOk) return code;
      for (size_t i = 0; i < count && i < room; ++i) pids.push_back(records[i].pid);
      return kNvmlOk;
    }
    return kNvmlBufferTooSmall;
  }

  void* library_;
};

}  // namespace

std::unique_ptr<Nvml> LoadNvml(const char* library) {
  void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return nullptr;
  auto nvml = std::make_unique<NvmlLibrary>(opened);
  if (!nvml->usable()) return nullptr;
  return nvml;
}

}  // namespace yardmaster::worker
