// NVML by dlopen. The declarations below are the parts of its public C interface that are called; each symbol is paired
// with the structure of its own version.
#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

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
  explicit NvmlLibrary(void* library) : library_(library) {
    Find(init_with_flags_, "nvmlInitWithFlags");
    Find(init_, "nvmlInit_v2");
    Find(shutdown_, "nvmlShutdown");
    Find(error_string_, "nvmlErrorString");
    Find(driver_version_, "nvmlSystemGetDriverVersion");
    Find(cuda_version_, "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion");
    Find(count_, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount");
    Find(device_at_, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex");
    Find(name_, "nvmlDeviceGetName");
    Find(uuid_, "nvmlDeviceGetUUID");
    Find(pci_, "nvmlDeviceGetPciInfo_v3");
    Find(capability_, "nvmlDeviceGetCudaComputeCapability");
    Find(compute_mode_, "nvmlDeviceGetComputeMode");
    Find(memory_v2_, "nvmlDeviceGetMemoryInfo_v2");
    Find(memory_, "nvmlDeviceGetMemoryInfo");
    Find(utilization_, "nvmlDeviceGetUtilizationRates");
    Find(ecc_errors_, "nvmlDeviceGetTotalEccErrors");
    Find(remapped_rows_, "nvmlDeviceGetRemappedRows");
    Find(retired_pages_, "nvmlDeviceGetRetiredPagesPendingStatus");
    Find(processes_v2_, "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2");
    Find(processes_v1_, "nvmlDeviceGetComputeRunningProcesses");
    Find(mig_mode_, "nvmlDeviceGetMigMode");
    Find(mig_slots_, "nvmlDeviceGetMaxMigDeviceCount");
    Find(mig_device_, "nvmlDeviceGetMigDeviceHandleByIndex");
  }
  ~NvmlLibrary() override { dlclose(library_); }
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  // What there has been since NVML came to be.
  bool usable() const {
    return (init_with_flags_ != nullptr || init_ != nullptr) && shutdown_ != nullptr && count_ != nullptr &&
           device_at_ != nullptr && name_ != nullptr && uuid_ != nullptr;
  }

  int Init() override { return init_with_flags_ != nullptr ? init_with_flags_(kInitFlagNoGpus) : init_(); }
  void Shutdown() override { shutdown_(); }
  std::string ErrorText(int code) override {
    const char* text = error_string_ == nullptr ? nullptr : error_string_(code);
    return text == nullptr ? "error" : text;
  }

  int DriverVersion(std::string& version) override { return Text(driver_version_, version); }
  int CudaVersion(int& version) override { return Call(cuda_version_, &version); }
  int Count(unsigned& count) override { return Call(count_, &count); }
  int DeviceAt(unsigned index, Handle& device) override { return Call(device_at_, index, &device); }

  int Name(Handle device, std::string& name) override { return DeviceText(name_, device, name); }
  int Uuid(Handle device, std::string& uuid) override { return DeviceText(uuid_, device, uuid); }
  int PciAddress(Handle device, std::string& address) override {
    PciV3 pci{};
    const int code = Call(pci_, device, &pci);
    if (code == kNvmlOk) address.assign(pci.bus_id, strnlen(pci.bus_id, sizeof(pci.bus_id)));
    return code;
  }
  int Capability(Handle device, int& major, int& minor) override { return Call(capability_, device, &major, &minor); }
  int ComputeMode(Handle device, unsigned& mode) override { return Call(compute_mode_, device, &mode); }
  int Memory(Handle device, uint64_t& total_bytes, uint64_t& used_bytes) override {
    MemoryV2 split{};
    split.version = VersionWord<MemoryV2>(2);
    if (Call(memory_v2_, device, &split) == kNvmlOk) {
      total_bytes = split.total;
      used_bytes = split.used;
      return kNvmlOk;
    }
    MemoryV1 whole{};
    const int code = Call(memory_, device, &whole);
    total_bytes = whole.total;
    used_bytes = whole.used;
    return code;
  }
  int Utilization(Handle device, unsigned& percent) override {
    Use use{};
    const int code = Call(utilization_, device, &use);
    percent = use.gpu;
    return code;
  }
  int UncorrectedErrors(Handle device, uint64_t& count) override {
    unsigned long long errors = 0;
    const int code = Call(ecc_errors_, device, kUncorrected, kVolatile, &errors);
    count = errors;
    return code;
  }
  int RemappedRows(Handle device, bool& pending, bool& failed) override {
    unsigned corrected = 0;
    unsigned uncorrected = 0;
    unsigned is_pending = 0;
    unsigned has_failed = 0;
    const int code = Call(remapped_rows_, device, &corrected, &uncorrected, &is_pending, &has_failed);
    pending = is_pending != 0;
    failed = has_failed != 0;
    return code;
  }
  int RetiredPagesPending(Handle device, bool& pending) override {
    unsigned is_pending = 0;
    const int code = Call(retired_pages_, device, &is_pending);
    pending = is_pending != 0;
    return code;
  }
  int Processes(Handle device, std::vector<int64_t>& pids) override {
    if (processes_v2_ != nullptr) return ReadProcesses<ProcessV2>(processes_v2_, device, pids);
    return ReadProcesses<ProcessV1>(processes_v1_, device, pids);
  }

  int MigMode(Handle device, bool& on) override {
    unsigned current = 0;
    unsigned pending = 0;
    const int code = Call(mig_mode_, device, &current, &pending);
    on = current != 0;
    return code;
  }
  int MigSlots(Handle device, unsigned& count) override { return Call(mig_slots_, device, &count); }
  int MigDeviceAt(Handle device, unsigned slot, Handle& instance) override {
    return Call(mig_device_, device, slot, &instance);
  }

 private:
  template <typename Function>
  void Find(Function*& function, const char* name, const char* older = nullptr) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr && older != nullptr) function = reinterpret_cast<Function*>(dlsym(library_, older));
  }
  template <typename Function, typename... Args>
  static int Call(Function* function, Args... args) {
    return function == nullptr ? kNvmlFunctionMissing : function(args...);
  }
  static int Text(int (*function)(char*, unsigned), std::string& out) {
    std::array<char, kTextBytes> text{};
    const int code = Call(function, text.data(), static_cast<unsigned>(text.size()));
    if (code == kNvmlOk) out.assign(text.data(), strnlen(text.data(), text.size()));
    return code;
  }
  static int DeviceText(int (*function)(Handle, char*, unsigned), Handle device, std::string& out) {
    std::array<char, kTextBytes> text{};
    const int code = Call(function, device, text.data(), static_cast<unsigned>(text.size()));
    if (code == kNvmlOk) out.assign(text.data(), strnlen(text.data(), text.size()));
    return code;
  }
  template <typename Record>
  static int ReadProcesses(int (*function)(Handle, unsigned*, void*), Handle device, std::vector<int64_t>& pids) {
    pids.clear();
    for (size_t room = 64; room <= kMaxProcesses; room *= 4) {
      // Some drivers wrote larger records than their header said: half of the room is never offered to them.
      std::vector<Record> records(2 * room);
      auto count = static_cast<unsigned>(room);
      const int code = Call(function, device, &count, static_cast<void*>(records.data()));
      if (code == kNvmlBufferTooSmall) continue;
      if (code != kNvmlOk) return code;
      for (size_t i = 0; i < count && i < room; ++i) pids.push_back(records[i].pid);
      return kNvmlOk;
    }
    return kNvmlBufferTooSmall;
  }

  void* library_;
  int (*init_with_flags_)(unsigned) = nullptr;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  const char* (*error_string_)(int) = nullptr;
  int (*driver_version_)(char*, unsigned) = nullptr;
  int (*cuda_version_)(int*) = nullptr;
  int (*count_)(unsigned*) = nullptr;
  int (*device_at_)(unsigned, Handle*) = nullptr;
  int (*name_)(Handle, char*, unsigned) = nullptr;
  int (*uuid_)(Handle, char*, unsigned) = nullptr;
  int (*pci_)(Handle, PciV3*) = nullptr;
  int (*capability_)(Handle, int*, int*) = nullptr;
  int (*compute_mode_)(Handle, unsigned*) = nullptr;
  int (*memory_v2_)(Handle, MemoryV2*) = nullptr;
  int (*memory_)(Handle, MemoryV1*) = nullptr;
  int (*utilization_)(Handle, Use*) = nullptr;
  int (*ecc_errors_)(Handle, unsigned, unsigned, unsigned long long*) = nullptr;
  int (*remapped_rows_)(Handle, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
  int (*retired_pages_)(Handle, unsigned*) = nullptr;
  int (*processes_v2_)(Handle, unsigned*, void*) = nullptr;
  int (*processes_v1_)(Handle, unsigned*, void*) = nullptr;
  int (*mig_mode_)(Handle, unsigned*, unsigned*) = nullptr;
  int (*mig_slots_)(Handle, unsigned*) = nullptr;
  int (*mig_device_)(Handle, unsigned, Handle*) = nullptr;
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
