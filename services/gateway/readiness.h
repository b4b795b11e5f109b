// Whether the daemon can do its work, part by part.
#ifndef YARDMASTER_SERVICES_GATEWAY_READINESS_H_
#define YARDMASTER_SERVICES_GATEWAY_READINESS_H_

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster {

// Parts of our own only (packs, listeners, store), never a forge: an outage there must not take us out of service.
// Thread-safe.
class Readiness {
 public:
  // Every part named here counts; none is ready at first.
  explicit Readiness(const std::vector<std::string>& parts);

  // `reason` says why a part is not ready, for people.
  void Set(std::string_view part, bool ready, std::string_view reason = "");

  // The daemon is shutting down; it is never ready again.
  void Drain();

  bool ready() const;
  // {"status": "ready"}, or {"status": "not ready", "reasons": {part: why}}.
  std::string ToJson() const;

 private:
  struct State {
    bool ready = false;
    std::string reason;
  };
  mutable std::mutex mutex_;
  std::map<std::string, State, std::less<>> parts_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_GATEWAY_READINESS_H_
