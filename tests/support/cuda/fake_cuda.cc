// A driver's CUDA that computes one kernel, the one of services/yardworker/gpu_probe.cc, or fails as FAKE_CUDA says:
// "init" (as where a node of the driver can't be opened), "launch", "numbers". FAKE_CUDA_DEVICES: how many it has.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr int kSuccess = 0;
constexpr int kOperatingSystem = 304;
constexpr int kIllegalAddress = 700;

bool Fails(std::string_view how) {
  const char* wanted = std::getenv("FAKE_CUDA");
  return wanted != nullptr && how == wanted;
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return Fails("init") ? kOperatingSystem : kSuccess; }
int cuDeviceGetCount(int* count) {
  const char* devices = std::getenv("FAKE_CUDA_DEVICES");
  *count = devices == nullptr ? 1 : std::atoi(devices);
  return kSuccess;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return kSuccess;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = reinterpret_cast<void*>(1);
  return kSuccess;
}
int cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
int cuCtxSetCurrent(void*) { return kSuccess; }
int cuModuleLoadData(void** module, const void* text) {
  *module = const_cast<void*>(text);
  return std::strstr(static_cast<const char*>(text), ".visible .entry yard_probe") == nullptr ? 1 : kSuccess;
}
int cuModuleGetFunction(void** function, void* module, const char*) {
  *function = module;
  return kSuccess;
}
int cuMemAlloc_v2(unsigned long long* memory, size_t bytes) {
  *memory = reinterpret_cast<unsigned long long>(std::calloc(1, bytes));
  return kSuccess;
}
int cuMemFree_v2(unsigned long long memory) {
  std::free(reinterpret_cast<void*>(memory));
  return kSuccess;
}
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned, void*,
                   void** arguments, void**) {
  if (Fails("launch")) return kIllegalAddress;
  auto* numbers = reinterpret_cast<uint32_t*>(*static_cast<unsigned long long*>(arguments[0]));
  for (uint32_t i = 0; i < threads; ++i) numbers[i] = Fails("numbers") ? 0 : 3 * i + 7;
  return kSuccess;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == kOperatingSystem ? "CUDA_ERROR_OPERATING_SYSTEM" : "CUDA_ERROR_ILLEGAL_ADDRESS";
  return kSuccess;
}
}
