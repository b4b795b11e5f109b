// What the kernel itself shows of devices, with or without a driver.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_SYSTEM_DEVICES_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_SYSTEM_DEVICES_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::worker {

// Where the kernel shows its devices; others in tests.
struct SystemPaths {
  std::filesystem::path pci = "/sys/bus/pci/devices";
  std::filesystem::path dev = "/dev";
  std::filesystem::path ascend_version = "/usr/local/Ascend/driver/version.info";
};

// True if a display controller or accelerator of NVIDIA is on the PCI bus.
bool HasNvidiaCard(const SystemPaths& paths);

// "00000000:18:00.0" and "0000:18:00.0" as sysfs writes them: lower case, four digits of domain. Empty if it is none.
std::string NormalPciAddress(std::string_view address);

// "/dev/davinci0", …, by number.
std::vector<std::string> AscendNodes(const SystemPaths& paths);

// Version= of the driver's version file; empty if there is none.
std::string AscendDriverVersion(const SystemPaths& paths);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_SYSTEM_DEVICES_H_
