#include "services/yardworker/device_ward.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace yardmaster::yardworker {

void DeviceWard::RunEnded(const std::vector<std::string>& devices, bool infrastructure, Time now) {
  for (const std::string& device : devices) {
    if (absl::StartsWith(device, "cpu:")) continue;
    if (!infrastructure) {
      records_.erase(device);
      continue;
    }
    Record& record = records_[device];
    if (++record.failures < kFailures) continue;
    // One more failure, on probation, is enough from then on.
    record.length = record.length.count() == 0 ? std::chrono::seconds(kFirst)
                                               : std::min<std::chrono::seconds>(record.length * 2, kLongest);
    record.until = now + record.length;
  }
}

std::string DeviceWard::FaultOf(const std::string& device, Time now) const {
  const auto found = records_.find(device);
  if (found == records_.end() || now >= found->second.until) return "";
  const auto left = std::chrono::ceil<std::chrono::minutes>(found->second.until - now).count();
  return absl::StrCat("quarantined: ", found->second.failures,
                      " runs in a row ended as errors of the infrastructure; on probation within ", left,
                      left == 1 ? " minute" : " minutes");
}

}  // namespace yardmaster::yardworker
