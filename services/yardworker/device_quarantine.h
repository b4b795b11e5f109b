// Which devices the worker takes out of use by itself: those that somebody else uses, that a run left in use or found
// to fail, until a look finds them idle; and those on which one run after the other ended as an error of the
// infrastructure. After a while one of these is on probation: the next run on it brings it back, or takes it out for
// longer.
#ifndef YARDMASTER_SERVICES_YARDWORKER_DEVICE_QUARANTINE_H_
#define YARDMASTER_SERVICES_YARDWORKER_DEVICE_QUARANTINE_H_

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::yardworker {

// Not thread-safe. Forgets all with the worker: a restart is how people say that a host was repaired.
class DeviceQuarantine {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // So many in a row take a device out, at first for so long; each failed probation doubles it.
  static constexpr int kFailures = 3;
  static constexpr std::chrono::minutes kFirst{10};
  static constexpr std::chrono::hours kLongest{24};

  // A run on these devices has ended, by an error of the infrastructure or not. Processors are never taken out.
  void RunEnded(const std::vector<std::string>& devices, bool infrastructure, Time now);
  // Something is wrong with it that a look can see: in use by another, bad. It is out until a look that began later
  // finds it idle.
  void SetFault(const std::string& device, std::string why, Time now);
  // A look that began at `began`; `why` is what it found wrong, empty if nothing.
  void Looked(const std::string& device, const std::string& why, Time began);
  // Why the device is out of use now, for people; empty: it is in use, or on probation.
  std::string FaultOf(const std::string& device, Time now) const;
  // True if a device is out because of what was seen: another look may bring it back.
  bool SeesFaults() const;

 private:
  struct Record {
    int failures = 0;  // in a row
    std::chrono::seconds length{0};
    Time until{};
    std::string seen;  // by a look; empty: nothing
    Time seen_at{};
  };
  std::map<std::string, Record> records_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_DEVICE_QUARANTINE_H_
