// Words and numbers that the tools of vendors print, made one.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_WORDS_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_WORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/devices/device_probe.h"

namespace yardmaster::worker {

// At blanks, without empty words.
std::vector<std::string_view> SplitWords(std::string_view text);
std::string LowerCase(std::string_view text);

// A number without sign that is all of `text`.
std::optional<uint64_t> NumberOf(std::string_view text);

// "00000000:18:00.0" and "0000:18:00.0" as sysfs writes them: lower case, four digits of domain. Empty if it is none.
std::string NormalPciAddress(std::string_view address);

// Makes the health of a device worse, never better; the reasons are put together.
void Worsen(Device& device, DeviceHealth health, std::string_view reason);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_WORDS_H_
