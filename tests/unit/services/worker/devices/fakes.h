// Recorded tools and a recorded NVML.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_WORKER_DEVICES_FAKES_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_WORKER_DEVICES_FAKES_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/nvml.h"
#include "services/worker/devices/system_devices.h"
#include "tests/support/source_path.h"

namespace yardmaster::worker {

// A file of tests/data/devices.
inline std::string Recorded(const std::string& name) {
  std::string text = yardmaster::testing::SourceText("tests/data/devices/" + name);
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

// Answers by the whole command; what is not listed is not installed.
class FakeTools : public ToolRunner {
 public:
  void Answer(const std::string& command, ToolOutput output) { answers_[command] = std::move(output); }
  void Fail(const std::string& command, absl::Status status) { failures_[command] = std::move(status); }
  absl::StatusOr<ToolOutput> Run(const std::vector<std::string>& argv) override {
    std::string command;
    for (const std::string& word : argv) command += (command.empty() ? "" : " ") + word;
    asked_.push_back(command);
    if (const auto failure = failures_.find(command); failure != failures_.end()) return failure->second;
    const auto answer = answers_.find(command);
    if (answer == answers_.end()) return absl::NotFoundError("no such program: " + argv.at(0));
    return answer->second;
  }
  const std::vector<std::string>& asked() const { return asked_; }

 private:
  std::map<std::string, ToolOutput> answers_;
  std::map<std::string, absl::Status> failures_;
  std::vector<std::string> asked_;
};

// A folder for sysfs and /dev; gone afterwards.
class FakeSystem {
 public:
  FakeSystem() {
    std::string pattern = (std::filesystem::temp_directory_path() / "yard-devices-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    paths_.pci = root_ / "pci";
    paths_.dev = root_ / "dev";
    paths_.ascend_version = root_ / "version.info";
    std::filesystem::create_directories(paths_.pci);
    std::filesystem::create_directories(paths_.dev);
  }
  ~FakeSystem() { std::filesystem::remove_all(root_); }
  FakeSystem(const FakeSystem&) = delete;
  FakeSystem& operator=(const FakeSystem&) = delete;

  void AddPci(const std::string& address, const std::string& vendor, const std::string& cls) const {
    std::filesystem::create_directories(paths_.pci / address);
    Write(paths_.pci / address / "vendor", vendor + "\n");
    Write(paths_.pci / address / "class", cls + "\n");
  }
  void AddNode(const std::string& name) const { Write(paths_.dev / name, ""); }
  void SetAscendVersion(const std::string& text) const { Write(paths_.ascend_version, text); }
  const SystemPaths& paths() const { return paths_; }

 private:
  static void Write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }
  std::filesystem::path root_;
  SystemPaths paths_;
};

// What one device answers; each answer may be a failure of NVML.
struct FakeGpu {
  int open = kNvmlOk;   // of DeviceAt
  int every = kNvmlOk;  // of all that is asked of the device
  std::string name = "NVIDIA Sample 80GB";
  std::string uuid;
  std::string pci = "00000000:18:00.0";
  unsigned mode = 0;
  uint64_t total_mb = 81559;
  uint64_t used_mb = 4;
  unsigned percent = 0;
  uint64_t errors = 0;
  bool rows_pending = false;
  bool rows_failed = false;
  std::vector<int64_t> pids;
  bool mig = false;
  std::vector<FakeGpu> instances;
};

class FakeNvml : public Nvml {
 public:
  int init = kNvmlOk;
  int count_code = kNvmlOk;
  int cuda = 12040;
  std::vector<FakeGpu> gpus;
  int sessions = 0;  // begun and not ended

  int Init() override {
    if (init == kNvmlOk) ++sessions;
    return init;
  }
  void Shutdown() override { --sessions; }
  std::string ErrorText(int code) override { return "NVML error " + std::to_string(code); }
  int DriverVersion(std::string& version) override {
    version = "570.10";
    return kNvmlOk;
  }
  int CudaVersion(int& version) override {
    version = cuda;
    return kNvmlOk;
  }
  int Count(unsigned& count) override {
    count = static_cast<unsigned>(gpus.size());
    return count_code;
  }
  int DeviceAt(unsigned index, Handle& device) override {
    device = &gpus.at(index);
    return gpus.at(index).open;
  }
  int Name(Handle device, std::string& name) override { return Say(device, name, Gpu(device).name); }
  int Uuid(Handle device, std::string& uuid) override { return Say(device, uuid, Gpu(device).uuid); }
  int PciAddress(Handle device, std::string& address) override { return Say(device, address, Gpu(device).pci); }
  int Capability(Handle device, int& major, int& minor) override {
    major = 9;
    minor = 0;
    return Gpu(device).every;
  }
  int ComputeMode(Handle device, unsigned& mode) override { return Say(device, mode, Gpu(device).mode); }
  int Memory(Handle device, uint64_t& total_bytes, uint64_t& used_bytes) override {
    total_bytes = Gpu(device).total_mb << 20U;
    used_bytes = Gpu(device).used_mb << 20U;
    return Gpu(device).every;
  }
  int Utilization(Handle device, unsigned& percent) override { return Say(device, percent, Gpu(device).percent); }
  int UncorrectedErrors(Handle device, uint64_t& count) override { return Say(device, count, Gpu(device).errors); }
  int RemappedRows(Handle device, bool& pending, bool& failed) override {
    pending = Gpu(device).rows_pending;
    failed = Gpu(device).rows_failed;
    return Gpu(device).every;
  }
  int RetiredPagesPending(Handle /*device*/, bool& pending) override {
    pending = false;
    return kNvmlNotSupported;
  }
  int Processes(Handle device, std::vector<int64_t>& pids) override { return Say(device, pids, Gpu(device).pids); }
  int MigMode(Handle device, bool& on) override { return Say(device, on, Gpu(device).mig); }
  int MigSlots(Handle device, unsigned& count) override {
    count = static_cast<unsigned>(Gpu(device).instances.size());
    return Gpu(device).every;
  }
  int MigDeviceAt(Handle device, unsigned slot, Handle& instance) override {
    instance = &Gpu(device).instances.at(slot);
    return Gpu(device).instances.at(slot).open;
  }

 private:
  static FakeGpu& Gpu(Handle device) { return *static_cast<FakeGpu*>(device); }
  template <typename T>
  static int Say(Handle device, T& out, const T& value) {
    out = value;
    return Gpu(device).every;
  }
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_WORKER_DEVICES_FAKES_H_
