#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/worker/devices/fault_codes.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "tests/unit/services/worker/verdict/step_case.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

rules::FailureSignature Signature(std::string id, int priority, std::vector<std::string> patterns,
                                  std::string phase = "") {
  rules::FailureSignature signature;
  signature.id = std::move(id);
  signature.title = signature.id;
  signature.priority = priority;
  signature.patterns = std::move(patterns);
  signature.phase = std::move(phase);
  return signature;
}

std::shared_ptr<const Signatures> Compile(std::vector<rules::FailureSignature> signatures) {
  std::string error;
  std::shared_ptr<const Signatures> compiled = CompileSignatures(std::move(signatures), error);
  EXPECT_NE(compiled, nullptr) << error;
  return compiled;
}

std::vector<std::string> Ids(const std::vector<const rules::FailureSignature*>& signatures) {
  std::vector<std::string> ids;
  ids.reserve(signatures.size());
  for (const rules::FailureSignature* signature : signatures) ids.push_back(signature->id);
  return ids;
}

TEST(Signatures, TheFirstLineByTimeOfEachSignatureIsFoundByPriority) {
  const auto signatures = Compile({Signature("late", 700, {"beta"}), Signature("early", 10, {"alpha", "gamma"})});
  testing::MemoryLog log;
  log.Add(0, 5000, "beta at 5").Add(1, 3000, "beta at 3").Add(0, 9000, "GAMMA at 9").Add(1, 10000, "alpha at 10");
  const std::vector<Signatures::Hit> by_rank = signatures->FindByRank(log, "test");
  ASSERT_THAT(by_rank, SizeIs(4));
  EXPECT_EQ(by_rank[0].signature->id, "early");
  EXPECT_EQ(by_rank[0].line.text, "GAMMA at 9");
  EXPECT_EQ(by_rank[1].line.text, "alpha at 10");
  EXPECT_EQ(by_rank[2].line.text, "beta at 3");
  EXPECT_EQ(by_rank[3].line.text, "beta at 5");
}

TEST(Signatures, APhaseSeesItsOwnAndThoseOfAll) {
  const auto signatures = Compile({Signature("all", 1, {"x"}), Signature("build", 2, {"x"}, "build"),
                                   Signature("test", 3, {"x"}, "test"), Signature("fetch", 4, {"x"}, "fetch")});
  EXPECT_THAT(Ids(signatures->Match("x", "build")), ElementsAre("all", "build"));
  EXPECT_THAT(Ids(signatures->Match("x", "test")), ElementsAre("all", "test"));
  EXPECT_THAT(Ids(signatures->Match("x", "fetch")), ElementsAre("all", "fetch"));
}

TEST(Signatures, ABadPatternIsAnErrorThatNamesItsSignature) {
  std::string error;
  EXPECT_EQ(CompileSignatures({Signature("broken", 1, {"("})}, error), nullptr);
  EXPECT_THAT(error, ::testing::HasSubstr("'broken'"));
}

TEST(Signatures, WhatSaysMoreStandsBeforeAPlainException) {
  const auto signatures = Compile({Signature("lost", 810, {"connection closed"})});
  EXPECT_THAT(Ids(signatures->Match("RuntimeError: Connection closed by peer", "test")), ElementsAre("lost"));
  EXPECT_THAT(Ids(signatures->Match("RuntimeError: bad", "test")), ElementsAre("exception"));
  EXPECT_THAT(Ids(signatures->Match("E       my.module.CustomException: bad", "test")), ElementsAre("exception"));
  EXPECT_THAT(Ids(signatures->Match("[rank3]: ValueError", "test")), ElementsAre("exception"));
}

TEST(Signatures, SourceAndProseAreNoException) {
  const auto signatures = Compile({});
  for (const std::string_view line :
       {"    raise RuntimeError(f\"no {op}\")", "ERROR:torch.distributed:failed", "no Error: here", "error: 3",
        "test_errors.py::TestError PASSED", "Errors: 0", "ok"}) {
    EXPECT_THAT(Ids(signatures->Match(line, "test")), IsEmpty()) << line;
  }
}

TEST(Signatures, APackMayReplaceWhatIsBuiltIn) {
  const auto signatures = Compile({Signature(std::string(kExceptionId), 20, {"^oops"})});
  EXPECT_THAT(Ids(signatures->Match("oops", "test")), ElementsAre("exception"));
  EXPECT_THAT(Ids(signatures->Match("RuntimeError: bad", "test")), IsEmpty());
}

TEST(Signatures, OnlyDeviceFatalOnesEndASuite) {
  rules::FailureSignature fatal = Signature("gone", 5, {"gpu is lost"});
  fatal.device_fatal = true;
  const auto signatures = Compile({fatal, Signature("other", 1, {"lost"})});
  ASSERT_NE(signatures->DeviceFatal("CUDA error: GPU is lost."), nullptr);
  EXPECT_EQ(signatures->DeviceFatal("CUDA error: GPU is lost.")->id, "gone");
  EXPECT_EQ(signatures->DeviceFatal("a line is lost"), nullptr);
  EXPECT_EQ(Compile({})->DeviceFatal("GPU is lost"), nullptr);
}

TEST(Signatures, BytesThatAreNoTextAndEndlessLinesAreSearchedToo) {
  const auto signatures = Compile({Signature("a", 1, {"needle"})});
  EXPECT_THAT(Ids(signatures->Match("\xff\xfe needle \x80", "test")), ElementsAre("a"));
  EXPECT_THAT(signatures->Match(std::string(10 << 20, 'x') + "needle", "test"), IsEmpty());
}

// A program's log and the health of a device agree on whose doing an error was.
TEST(Signatures, XidErrorsMeanWhatTheyMeanInTheHealthOfAGpu) {
  const std::shared_ptr<const Signatures> signatures = CompilePacks({"common"});
  for (uint32_t xid = 1; xid <= 250; ++xid) {
    const std::string line = "NVRM: Xid (PCI:0000:01:00): " + std::to_string(xid) + ", pid=1";
    const FaultAction action = MeaningOfXid(xid, "").action;
    const std::vector<const rules::FailureSignature*> found = signatures->Match(line, "test");
    if (found.empty()) {
      EXPECT_EQ(action, FaultAction::kNothing) << line;
      continue;
    }
    if (found.front()->device_fatal) EXPECT_TRUE(TakesOut(action)) << line;
    EXPECT_EQ(found.front()->cls == rules::FailureClass::kCode, action == FaultAction::kProgram) << line;
  }
}

// What ships: each text is known by the signature of that name, first of all.
struct Known {
  const char* line;
  const char* signature;
  const char* phase = "test";
};

class ShippedSignatures : public ::testing::TestWithParam<Known> {};

TEST_P(ShippedSignatures, KnowTheLine) {
  static const std::shared_ptr<const Signatures> kSignatures = CompilePacks({"common"});
  const std::vector<std::string> ids = Ids(kSignatures->Match(GetParam().line, GetParam().phase));
  ASSERT_FALSE(ids.empty()) << GetParam().line;
  EXPECT_EQ(ids.front(), GetParam().signature) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(
    Common, ShippedSignatures,
    ::testing::Values(
        Known{"[ 12.3] NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, GPU has fallen off the bus.", "gpu-off-the-bus"},
        Known{"NVRM: Xid (0000:01:00): 48, pid=1", "gpu-ecc"},
        Known{"NVRM: Xid (PCI:0000:01:00 GPU-I:05): 119, pid=1", "xid-reset"},
        Known{"NVRM: Xid (PCI:0000:01:00): 94, pid=1", "xid-contained-ecc"},
        Known{"NVRM: Xid (PCI:0000:01:00): 74, pid=1", "xid-nvlink"},
        Known{"NVRM: Xid (PCI:0000:01:00): 145, pid=1", "xid-nvlink"},
        Known{"NVRM: Xid (PCI:0000:01:00): 13, pid=1", "xid-application"},
        Known{"NVRM: Xid (PCI:0000:01:00): 31, pid=1", "xid-application"},
        Known{"NVRM: Xid (PCI:0000:01:00): 165, pid=1", "xid-unknown"},
        Known{"NVRM: Xid (PCI:0000:01:00): 999, pid=1", "xid-unknown"},
        Known{"NVRM: Xid (PCI:0000:01:00): 154, pid=1", "xid-operator"},
        Known{"Failed to initialize NVML: Driver/library version mismatch", "driver-library-mismatch"},
        Known{"CUDA driver version is insufficient for CUDA runtime version", "driver-too-old"},
        Known{"RuntimeError: The NVIDIA driver on your system is too old (found version 11040).", "driver-too-old"},
        Known{"RuntimeError: No CUDA GPUs are available", "no-gpu"},
        Known{"CUDA error: all CUDA-capable devices are busy or unavailable", "gpu-busy"},
        Known{"OSError: [Errno 28] No space left on device", "disk-full"},
        Known{"[1.2] Out of memory: Killed process 42 (python3)", "host-oom"},
        Known{"Memory cgroup out of memory: Killed process 42", "oom"},
        Known{"RuntimeError: ... (errno: 98 - Address already in use).", "port-taken"},
        Known{"OSError: [Errno 98] Address already in use", "port-taken"}, Known{"bind: EADDRINUSE", "port-taken"},
        Known{"x.py: error: unrecognized arguments: --foo", "usage-error"},
        Known{"ERROR: file or directory not found: nosuch.py::x", "usage-error"},
        Known{"bash: line 1: frob: command not found", "missing-program"},
        Known{"sh: 1: frob: not found", "missing-program"},
        Known{"ModuleNotFoundError: No module named 'torch'", "python-module-missing"},
        Known{"/usr/bin/python3: No module named pytest", "python-module-missing"},
        Known{"a.out: error while loading shared libraries: libfoo.so.1: cannot open", "shared-library-missing"},
        Known{"ImportError: /x/_C.so: undefined symbol: _ZN3c10", "shared-library-mismatch"},
        Known{"RuntimeError: CUDA error: no kernel image is available for execution on the device", "gpu-wrong-arch"},
        Known{"RuntimeError: CUDA error: an illegal memory access was encountered", "gpu-illegal-access"},
        Known{"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20 GiB", "gpu-oom"},
        Known{"terminate called after throwing an instance of 'std::bad_alloc'", "host-allocation"},
        Known{"==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x1", "sanitizer"},
        Known{"RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running", "collective-mismatch"},
        Known{"RuntimeError: [../gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:1",
              "connection-lost"},
        Known{"RuntimeError: [./gloo/transport/tcp/pair.cc:589] Read error [127.0.0.1]:15237: Connection reset by peer",
              "connection-lost"},
        Known{"[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3, OpType=ALLREDUCE)",
              "collective-timeout"},
        Known{"TimeoutError: The client socket has timed out after 3s while trying to connect to (127.0.0.1, 29713).",
              "rendezvous-timeout"},
        Known{"ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
              "nccl-remote"},
        Known{"E       AssertionError: Tensor-likes are not close!", "precision"},
        Known{"The difference between a[0] and b[0] is 0.5, which exceeds 1e-5, where", "precision"},
        Known{"fatal: unable to access 'https://x/': Could not resolve host: x", "network-fetch", "fetch"},
        Known{"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "download-damaged", "build"},
        Known{"nvcc fatal   : Unsupported gpu architecture 'compute_120'", "cuda-toolchain", "build"},
        Known{"c++: fatal error: Killed signal terminated program cc1plus", "compiler-killed", "build"},
        Known{"ImportError: This modeling file requires the following packages that were not found in your "
              "environment: einops",
              "python-module-missing"},
        Known{"ImportError: x requires Accelerate: `pip install accelerate`", "python-module-missing"},
        Known{"FileNotFoundError: [Errno 2] No such file or directory: 'nvcc'", "missing-program"},
        Known{"FileNotFoundError: [Errno 2] No such file or directory: '/usr/local/cuda/bin/nvcc'", "missing-program"},
        Known{"make: nvcc: No such file or directory", "missing-program"},
        Known{"EnvironmentError: ASCEND_HOME_PATH is not set", "environment-missing"},
        Known{"locale.Error: unsupported locale setting", "environment-missing"},
        Known{"mkdir: cannot create directory '/opt/x': Permission denied", "system-folder-not-permitted"},
        Known{"docker: Error response from daemon: unknown or invalid runtime name: nvidia.", "container-refused"},
        Known{"ssh: connect to host node2 port 22: Connection refused", "ssh-unreachable"},
        Known{"RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
              "weights-damaged"},
        Known{"RuntimeError: Configured CUDA binary not found at /x/libbitsandbytes_cuda128.so",
              "shared-library-missing"},
        Known{"RuntimeError: module compiled against API version 0x10 but this version of numpy is 0xf",
              "shared-library-mismatch"},
        Known{"Native: find_provider(2793)....: OFI fi_getinfo() failed (No data available) no valid fi provider",
              "mpi-unreachable"},
        Known{"pure virtual method called", "heap-corruption"},
        Known{"n1:4012:4090 [0] x.cc:31 NCCL WARN no path", "nccl-warning"},
        Known{"exit status of rank 1: killed by signal 11", "fatal-signal-said"},
        Known{"Program received signal SIGSEGV, Segmentation fault.", "fatal-signal-said"},
        Known{"==4121== Conditional jump or move depends on uninitialised value(s)", "sanitizer"},
        Known{"OOM when allocating tensor with shape[256,1024] and type float", "gpu-oom"},
        Known{"RuntimeError: no fast path, nvcc was not found.", "cuda-toolchain"},
        Known{"Killed", "build-killed", "build"},
        Known{"      ../meson.build:163:9: ERROR: Dependency \"openblas\" not found, tried pkgconfig",
              "cmake-package-missing", "build"},
        Known{"      error: command 'gcc' failed: No such file or directory", "missing-program", "build"},
        Known{"  Compiling the CUDA compiler identification source file", "cuda-compiler-broken", "build"},
        Known{"THTensorMath.obj : error LNK2019: unresolved external symbol x", "compile", "build"},
        Known{"ERROR: torch-2.6.0-cp311-cp311-linux_x86_64.whl is not a supported wheel on this platform.",
              "pip-conflict", "build"},
        Known{"a.cc:3:4: error: expected ';'", "compile", "build"}));

TEST(ShippedSignaturesOf, IgnoredXidsAreNoCause) {
  for (const std::string_view number : {"43", "63", "92", "37", "160"}) {
    const std::string line = "NVRM: Xid (PCI:0000:01:00): " + std::string(number) + ", pid=1";
    EXPECT_THAT(Ids(CommonSignatures().Match(line, "test")), IsEmpty()) << line;
  }
}

TEST(ShippedSignaturesOf, WhatLooksLikeThemIsNotKnown) {
  for (const std::string_view line :
       {"cp: cannot create 'out/x': Permission denied", "open('plan.json'): No such file or directory: 'plan.json'",
        "CUDA_HOME is not set, building for the CPU", "the plan was killed by signal 15", "Killed", "exit code: 1",
        "checked: no module compiled", "Error response from daemon: No such container: x"}) {
    EXPECT_THAT(Ids(CommonSignatures().Match(line, "test")), IsEmpty()) << line;
  }
}

TEST(Signatures, ThoseOfReasonsAreLookedForInReasonsOnly) {
  rules::FailureSignature words = Signature("words", 9, {"is gone"});
  words.reason_only = true;
  const auto signatures = Compile({words, Signature("known", 10, {"is gone for good"})});
  EXPECT_THAT(Ids(signatures->Match("the host is gone for good", "test")), ElementsAre("known"));
  ASSERT_NE(signatures->Reason("[rank1]: the host is gone", "test"), nullptr);
  EXPECT_EQ(signatures->Reason("the host is gone", "test")->id, "words");
  EXPECT_EQ(signatures->Reason("the host is here", "test"), nullptr);
  testing::MemoryLog log;
  log.Add(0, 5000, "the host is gone");
  EXPECT_THAT(signatures->FindByRank(log, "test"), IsEmpty());
}

struct Reason {
  std::string_view line;
  std::string_view signature;  // empty: none
};

void PrintTo(const Reason& reason, std::ostream* out) { *out << reason.line; }

class ShippedReasons : public ::testing::TestWithParam<Reason> {};

TEST_P(ShippedReasons, AreKnownByTheirWords) {
  const rules::FailureSignature* const reason = CommonSignatures().Reason(GetParam().line, "test");
  EXPECT_EQ(reason == nullptr ? "" : reason->id, GetParam().signature);
}

INSTANTIATE_TEST_SUITE_P(
    Common, ShippedReasons,
    ::testing::Values(Reason{"RuntimeError: npu is not available", "said-device-missing"},
                      Reason{"this suite needs 8 NPUs, found 2", "said-device-missing"},
                      Reason{"没有找到可用的 NPU 设备", "said-device-missing"},
                      Reason{"cardmon: card 5 (0000:c1:00.0) no longer answers on the bus", "said-device-lost"},
                      Reason{"设备 3 掉卡, 任务终止", "said-device-lost"},
                      Reason{"artifact server returned 503, giving up", "said-network"},
                      Reason{"fetch: host cn07.lab is unreachable", "said-network"},
                      Reason{"节点 10.0.0.3 网络不通, 通信域建立失败", "said-network"},
                      Reason{"lost touch with host cn07 (30 s without a beat)", "said-host"},
                      Reason{"job turned down: no partition can hold 32 cards", "said-host"},
                      Reason{"共享存储 /mnt/ci 掉线", "said-host"},
                      Reason{"./run.sh: ASCEND_HOME_PATH is not set, source set_env.sh first", "said-environment"},
                      Reason{"hub login failed: token expired", "said-environment"},
                      Reason{"固件版本 1.2 过低, 至少 1.5", "said-environment"},
                      Reason{"case test_ring ran past its time limit of 60 s and was killed", "said-time-limit"},
                      Reason{"用例 st_moe 超过 300 秒未结束, 强制终止", "said-time-limit"}));

INSTANTIATE_TEST_SUITE_P(
    NearMisses, ShippedReasons,
    ::testing::Values(Reason{"no device mesh named 'tp'", ""}, Reason{"OSError: [Errno 19] No such device", ""},
                      Reason{"device 3 is not in the mesh (0, 1)", ""}, Reason{"rank 2: peer 3 did not answer", ""},
                      Reason{"network output is NaN at layer 3", ""},
                      Reason{"graph check: node 7 is unreachable from the root of the graph", ""},
                      Reason{"client: server returned HTTP 500 for /generate", ""},
                      Reason{"compile: task graph exceeds the limit of 4096 nodes", ""},
                      Reason{"request timed out after 5 s (batch 3)", ""}, Reason{"缺少参数 --ranks", ""},
                      Reason{"任务图超过 4096 个节点的上限", ""}, Reason{"算子不支持 int8, 请检查输入类型", ""},
                      Reason{"建图失败: 节点 3 没有父节点", ""}, Reason{"no free slot for request 12", ""},
                      Reason{"queue is full, capacity 16", ""}));

TEST(ShippedSignaturesOf, AscendsCodesAreTold) {
  const auto signatures = CompilePacks({"common", "pypto"});
  const auto first = [&](std::string_view line) {
    const std::vector<std::string> ids = Ids(signatures->Match(line, "test"));
    return ids.empty() ? std::string() : ids.front();
  };
  EXPECT_EQ(first("ImportError: libhccl.so: cannot open shared object file: No such file"), "cann-libraries-missing");
  EXPECT_EQ(first("k.cpp:3:9: error: no member named 'ExpAlgorithm' in namespace 'pto'"), "pto-isa-too-old");
  EXPECT_EQ(first("[ERROR] EI0002: the wait execution of the Notify register times out"), "hccl-notify-timeout");
  EXPECT_EQ(first("EI0005: The arguments for collective communication are inconsistent"), "hccl-arguments");
  EXPECT_EQ(first("EI0006: Getting socket times out"), "hccl-connect-timeout");
  EXPECT_EQ(first("rtStreamSynchronize failed, retCode 507014"), "aicore-timeout");
  EXPECT_EQ(first("Inner_Error_Device_Status_Abnormal(E39009): Failed to connect the device."), "npu-disconnected");
  EXPECT_EQ(first("EJ0001: Failed to initialize the HCCP process."), "npu-dirty");
  EXPECT_EQ(first("Device lost heartbeart"), "npu-device-lost");
  EXPECT_EQ(first("ERR02200 DIST call hccl api failed."), "hccl-call-failed");
  EXPECT_EQ(first("[PRECISION_FAIL] out"), "pypto-precision");
  EXPECT_EQ(first("ModuleNotFoundError: No module named 'pypto'"), "pypto-missing");
  EXPECT_NE(signatures->DeviceFatal("UCE ERROR on device 3"), nullptr);
  EXPECT_EQ(signatures->DeviceFatal("EI0002"), nullptr);
}

TEST(ShippedSignaturesOf, EveryPackCompiles) {
  for (const char* pack : {"common", "pypto", "hyper-parallel"}) {
    EXPECT_NE(CompilePacks({pack}), nullptr) << pack;
  }
}

}  // namespace
}  // namespace yardmaster::worker
