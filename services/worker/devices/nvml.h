// NVIDIA's management library, as far as it is needed: one method a question, each with NVML's own return code. The
// library is opened while the program runs, so that nothing has to be installed where there is no such device.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_NVML_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_NVML_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace yardmaster::worker {

// Return codes of NVML that mean something to us.
inline constexpr int kNvmlOk = 0;
inline constexpr int kNvmlNotSupported = 3;
inline constexpr int kNvmlNoPermission = 4;
inline constexpr int kNvmlNotFound = 6;
inline constexpr int kNvmlBufferTooSmall = 7;
inline constexpr int kNvmlDriverNotLoaded = 9;
inline constexpr int kNvmlFunctionMissing = 13;
inline constexpr int kNvmlGpuLost = 15;
inline constexpr int kNvmlResetRequired = 16;
inline constexpr int kNvmlVersionsDiffer = 18;
inline constexpr int kNvmlNotReady = 27;
inline constexpr int kNvmlGpuNotFound = 28;
inline constexpr int kNvmlUnknown = 999;

class Nvml {
 public:
  // A device, as NVML hands it out; opaque.
  using Handle = void*;

  virtual ~Nvml() = default;
  // Must succeed before all else. A host without a device is no error.
  virtual int Init() = 0;
  virtual void Shutdown() = 0;
  virtual std::string ErrorText(int code) = 0;

  virtual int DriverVersion(std::string& version) = 0;
  virtual int CudaVersion(int& version) = 0;  // 1000 · major + 10 · minor
  // Also counts devices that the caller may not open.
  virtual int Count(unsigned& count) = 0;
  virtual int DeviceAt(unsigned index, Handle& device) = 0;

  virtual int Name(Handle device, std::string& name) = 0;
  virtual int Uuid(Handle device, std::string& uuid) = 0;
  virtual int PciAddress(Handle device, std::string& address) = 0;
  virtual int Capability(Handle device, int& major, int& minor) = 0;
  // 0 default, 1 exclusive thread, 2 prohibited, 3 exclusive process.
  virtual int ComputeMode(Handle device, unsigned& mode) = 0;
  virtual int Memory(Handle device, uint64_t& total_bytes, uint64_t& used_bytes) = 0;
  virtual int Utilization(Handle device, unsigned& percent) = 0;
  virtual int UncorrectedErrors(Handle device, uint64_t& count) = 0;  // since the driver was loaded
  virtual int RemappedRows(Handle device, bool& pending, bool& failed) = 0;
  virtual int RetiredPagesPending(Handle device, bool& pending) = 0;
  virtual int Processes(Handle device, std::vector<int64_t>& pids) = 0;

  virtual int MigMode(Handle device, bool& on) = 0;
  virtual int MigSlots(Handle device, unsigned& count) = 0;
  // kNvmlNotFound: the slot is empty.
  virtual int MigDeviceAt(Handle device, unsigned slot, Handle& instance) = 0;
};

// The library of this system, or another one in tests; null where there is none, or one without what every version has
// had for years.
std::unique_ptr<Nvml> LoadNvml(const char* library = "libnvidia-ml.so.1");

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_NVML_H_
