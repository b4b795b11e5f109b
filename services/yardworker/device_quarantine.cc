#include "services/yardworker/device_quarantine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace yardmaster::yardworker {

void DeviceQuarantine::RunEnded(const std::vector<std::string>& devices, bool infrastructure, Time now) {
  for (const std::string& device : devices) {
    if (absl::StartsWith(device, "cpu:")) continue;
    Record& record = records_[device];
    if (!infrastructure) {
      record.failures = 0;
      record.length = {};
      record.until = {};
      continue;
    }
    if (++record.failures < kFailures) continue;
    // One more failure, on probation, is enough from then on.
    record.length = record.length.count() == 0 ? std::chrono::seconds(kFirst)
                                               : std::min<std::chrono::seconds>(record.length * 2, kLongest);
    record.until = now + record.length;
  }
}

void DeviceQuarantine::SetFault(const std::string& device, std::string why, Time now) {
  Record& record = records_[device];
  record.seen = std::move(why);
  record.seen_at = now;
}

void DeviceQuarantine::Looked(const std::string& device, const std::string& why, Time began) {
  const auto known = records_.find(device);
  if (known == records_.end()) {
    if (!why.empty()) SetFault(device, why, began);
    return;
  }
  if (began <= known->second.seen_at) return;
  known->second.seen = why;
  known->second.seen_at = began;
}

std::string DeviceQuarantine::FaultOf(const std::string& device, Time now) const {
  const auto found = records_.find(device);
  if (found == records_.end()) return "";
  const Record& record = found->second;
  if (!record.seen.empty()) return record.seen;
  if (now >= record.until) return "";
  const auto left = std::chrono::ceil<std::chrono::minutes>(record.until - now).count();
  return absl::StrCat("quarantined: ", record.failures,
                      " runs in a row ended as errors of the infrastructure; on probation within ", left,
                      left == 1 ? " minute" : " minutes");
}

bool DeviceQuarantine::SeesFaults() const {
  return std::any_of(records_.begin(), records_.end(), [](const auto& entry) { return !entry.second.seen.empty(); });
}

}  // namespace yardmaster::yardworker
