#include "services/yardworker/gpu_probe.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/lines.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/process/capture.h"

namespace yardmaster::yardworker {
namespace {

constexpr int kAllCompute = 0;
constexpr int kOneFails = 1;
constexpr int kNoLibrary = 3;
// The first start of CUDA after a boot takes its time.
constexpr std::chrono::seconds kProbePatience{60};
constexpr size_t kMaxProbeWords = 500;

constexpr unsigned kThreads = 32;
// Each thread writes 3 * its number + 7.
constexpr const char* kKernel = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry yard_probe(.param .u64 out)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  mad.lo.s32 %r2, %r1, 3, 7;
  st.global.u32 [%rd4], %r2;
  ret;
}
)";

// Of the driver's interface, which is stable: types and functions by their documented names.
using CudaResult = int;
using CudaDevice = int;
using CudaHandle = void*;
using CudaAddress = unsigned long long;  // NOLINT(google-runtime-int): as the driver declares it

class CudaDriver {
 public:
  // False: there is no library, or it lacks a function.
  bool Load() {
    library_ = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library_ != nullptr && Find(init_, "cuInit") && Find(count_, "cuDeviceGetCount") &&
           Find(get_, "cuDeviceGet") && Find(retain_, "cuDevicePrimaryCtxRetain") &&
           Find(release_, "cuDevicePrimaryCtxRelease_v2") && Find(current_, "cuCtxSetCurrent") &&
           Find(load_, "cuModuleLoadData") && Find(function_, "cuModuleGetFunction") && Find(alloc_, "cuMemAlloc_v2") &&
           Find(free_, "cuMemFree_v2") && Find(launch_, "cuLaunchKernel") && Find(copy_, "cuMemcpyDtoH_v2") &&
           Find(name_, "cuGetErrorName");
  }

  // Empty texts: it went well.
  std::string Start(int& devices) {
    if (const CudaResult result = init_(0); result != 0) return Said("cuInit", result);
    if (const CudaResult result = count_(&devices); result != 0) return Said("cuDeviceGetCount", result);
    return devices == 0 ? "CUDA sees no device" : "";
  }

  std::string Compute(int ordinal) {
    CudaDevice device = 0;
    if (const CudaResult result = get_(&device, ordinal); result != 0) return Said("cuDeviceGet", result);
    CudaHandle context = nullptr;
    if (const CudaResult result = retain_(&context, device); result != 0) {
      return Said("cuDevicePrimaryCtxRetain", result);
    }
    std::string problem = ComputeIn(context);
    release_(device);
    return problem;
  }

 private:
  template <typename Function>
  bool Find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    return function != nullptr;
  }

  std::string Said(const char* call, CudaResult result) const {
    const char* name = nullptr;
    if (name_(result, &name) != 0 || name == nullptr) name = "an unknown error";
    return absl::StrCat(call, " fails: ", name, " (", result, ")");
  }

  std::string ComputeIn(CudaHandle context) {
    if (const CudaResult result = current_(context); result != 0) return Said("cuCtxSetCurrent", result);
    CudaHandle module = nullptr;
    if (const CudaResult result = load_(&module, kKernel); result != 0) return Said("cuModuleLoadData", result);
    CudaHandle kernel = nullptr;
    if (const CudaResult result = function_(&kernel, module, "yard_probe"); result != 0) {
      return Said("cuModuleGetFunction", result);
    }
    std::array<uint32_t, kThreads> numbers{};
    CudaAddress memory = 0;
    if (const CudaResult result = alloc_(&memory, sizeof numbers); result != 0) return Said("cuMemAlloc", result);
    std::array<void*, 1> arguments = {&memory};
    std::string problem;
    if (const CudaResult result = launch_(kernel, 1, 1, 1, kThreads, 1, 1, 0, nullptr, arguments.data(), nullptr);
        result != 0) {
      problem = Said("cuLaunchKernel", result);
    } else if (const CudaResult copied = copy_(numbers.data(), memory, sizeof numbers); copied != 0) {
      problem = Said("a kernel", copied);
    }
    free_(memory);
    for (uint32_t i = 0; problem.empty() && i < kThreads; ++i) {
      if (numbers[i] != 3 * i + 7) problem = absl::StrCat("a kernel computes ", numbers[i], " for ", 3 * i + 7);
    }
    return problem;
  }

  void* library_ = nullptr;
  CudaResult (*init_)(unsigned) = nullptr;
  CudaResult (*count_)(int*) = nullptr;
  CudaResult (*get_)(CudaDevice*, int) = nullptr;
  CudaResult (*retain_)(CudaHandle*, CudaDevice) = nullptr;
  CudaResult (*release_)(CudaDevice) = nullptr;
  CudaResult (*current_)(CudaHandle) = nullptr;
  CudaResult (*load_)(CudaHandle*, const void*) = nullptr;
  CudaResult (*function_)(CudaHandle*, CudaHandle, const char*) = nullptr;
  CudaResult (*alloc_)(CudaAddress*, size_t) = nullptr;
  CudaResult (*free_)(CudaAddress) = nullptr;
  CudaResult (*launch_)(CudaHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CudaHandle,
                        void**, void**) = nullptr;
  CudaResult (*copy_)(void*, CudaAddress, size_t) = nullptr;
  CudaResult (*name_)(CudaResult, const char**) = nullptr;
};

}  // namespace

int ProbeGpus() {
  CudaDriver driver;
  if (!driver.Load()) {
    std::cout << "there is no libcuda.so.1 that can be used" << std::endl;
    return kNoLibrary;
  }
  int devices = 0;
  if (const std::string problem = driver.Start(devices); !problem.empty()) {
    std::cout << problem << std::endl;
    return kOneFails;
  }
  for (int i = 0; i < devices; ++i) {
    if (const std::string problem = driver.Compute(i); !problem.empty()) {
      std::cout << "device " << i << " of " << devices << ": " << problem << std::endl;
      return kOneFails;
    }
  }
  std::cout << devices << std::endl;
  return kAllCompute;
}

absl::Status TryGpus(worker::ProcessStarter& processes, const std::filesystem::path& executable,
                     const std::vector<worker::Device>& devices) {
  const auto gpus = std::count_if(devices.begin(), devices.end(),
                                  [](const worker::Device& device) { return device.kind == rules::DeviceKind::kGpu; });
  if (gpus == 0) return absl::OkStatus();
  worker::ProcessSpec spec;
  spec.argv = {executable.native(), "--probe-gpus"};
  spec.directory = "/";
  spec.environment = worker::VisibleDeviceVariables(devices);
  spec.environment.emplace_back("PATH=/usr/bin:/bin");
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH"); libraries != nullptr) {
    spec.environment.push_back(absl::StrCat("LD_LIBRARY_PATH=", libraries));
  }
  absl::StatusOr<worker::Captured> tried = worker::Capture(processes, std::move(spec), kProbePatience);
  if (!tried.ok()) return absl::UnavailableError(absl::StrCat("a program on the GPUs: ", tried.status().message()));
  if (tried->code == kNoLibrary) return absl::OkStatus();
  const std::string said = Readable(TrimBlanks(tried->out + tried->err), kMaxProbeWords);
  if (tried->code != kAllCompute) {
    return absl::UnavailableError(absl::StrCat("a program can't compute on the GPUs: ", said));
  }
  // Of the parts of a divided GPU a program sees one at a time.
  const bool whole = std::none_of(devices.begin(), devices.end(), [](const worker::Device& device) {
    return absl::StartsWith(device.visible_as, "MIG");
  });
  if (whole && said != std::to_string(gpus)) {
    return absl::UnavailableError(absl::StrCat("a program sees ", said, " of ", gpus, " GPUs"));
  }
  return absl::OkStatus();
}

}  // namespace yardmaster::yardworker
