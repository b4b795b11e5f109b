// Plays NVML for one GPU, as a library: what is opened while a program runs is tested without a driver.
#include <cstddef>
#include <cstring>

namespace {

constexpr int kOk = 0;
constexpr int kNotSupported = 3;
constexpr int kBufferTooSmall = 7;
constexpr unsigned kProcesses = 70;  // more than are asked for at first
int gpu = 0;

int Say(char* to, unsigned size, const char* text) {
  std::strncpy(to, text, size - 1);
  to[size - 1] = '\0';
  return kOk;
}

}  // namespace

extern "C" {

int nvmlInitWithFlags(unsigned) { return kOk; }
int nvmlShutdown() { return kOk; }
const char* nvmlErrorString(int) { return "played"; }
int nvmlSystemGetDriverVersion(char* text, unsigned size) { return Say(text, size, "570.10"); }
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 12080;
  return kOk;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return kOk;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
  *device = &gpu;
  return kOk;
}
int nvmlDeviceGetName(void*, char* text, unsigned size) { return Say(text, size, "Played 80GB"); }
int nvmlDeviceGetUUID(void*, char* text, unsigned size) { return Say(text, size, "GPU-played"); }
int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return kOk;
}
// Without the second version, as older drivers have it.
int nvmlDeviceGetMemoryInfo(void*, unsigned long long* memory) {
  memory[0] = 80ULL << 30;
  memory[1] = 79ULL << 30;
  memory[2] = 1ULL << 30;
  return kOk;
}
int nvmlDeviceGetUtilizationRates(void*, unsigned* use) {
  use[0] = 97;
  use[1] = 12;
  return kOk;
}
int nvmlDeviceGetTotalEccErrors(void*, unsigned, unsigned, unsigned long long*) { return kNotSupported; }
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void* processes) {
  struct Process {
    unsigned pid;
    unsigned long long used_memory;
    unsigned gpu_instance;
    unsigned compute_instance;
  };
  const unsigned room = *count;
  *count = kProcesses;
  if (room < kProcesses) return kBufferTooSmall;
  for (unsigned i = 0; i < kProcesses; ++i) static_cast<Process*>(processes)[i].pid = 4200 + i;
  return kOk;
}

}  // extern "C"
