// What goes wrong, how often, by seed: the same seed and the same calls give the same faults.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_FAULTS_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_FAULTS_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>

namespace yardmaster::fakeforge {

// In percent of calls, or of deliveries.
struct FaultRates {
  int error_before = 0;       // 5xx, nothing was done
  int error_after = 0;        // 5xx, although it was done
  int limited = 0;            // 429 or 403, with and without Retry-After
  int reset_before = 0;       // the connection breaks, nothing was done
  int reset_after = 0;        // the connection breaks, although it was done
  int slow = 0;               // the answer takes some seconds
  int slow_ms = 0;            // no percentage: every answer takes so many milliseconds more, its work being done
  int late = 0;               // writes: the answer is lost, the effect appears up to five seconds later
  int wrong_types = 0;        // numbers as texts, flags as numbers
  int webhook_duplicate = 0;  // a delivery is sent twice
  int webhook_reorder = 0;    // a delivery is overtaken by later ones
  int webhook_drop = 0;       // a delivery is not sent; the forge notes a failure
};

// "late=5,slow=10", or "all=3" for every one. False and `error` if a name or number is wrong; `rates` is then
// unchanged.
bool ParseFaultRates(std::string_view text, FaultRates& rates, std::string& error);
// Sets one by its name; false if there is none or the number is not from 0 to 100.
bool SetFaultRate(FaultRates& rates, std::string_view name, int64_t percent);
std::map<std::string, int> FaultRatesByName(const FaultRates& rates);

class FaultSource {
 public:
  explicit FaultSource(uint64_t seed) : random_(seed) {}
  bool Happens(int percent) { return percent > 0 && static_cast<int>(random_() % 100) < percent; }
  uint64_t Draw(uint64_t below) { return below == 0 ? 0 : random_() % below; }
  void Seed(uint64_t seed) { random_.seed(seed); }

 private:
  std::mt19937_64 random_;
};

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_FAULTS_H_
