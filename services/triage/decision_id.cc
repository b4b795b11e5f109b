#include "services/triage/decision_id.h"

#include <algorithm>
#include <string_view>

namespace yardmaster {
namespace {

constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr size_t kLength = 13;

}  // namespace

std::string DecisionIds::Next(std::chrono::system_clock::time_point now) {
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const uint64_t earliest = static_cast<uint64_t>(std::max<int64_t>(millis, 0)) << 20;
  uint64_t last = last_.load(std::memory_order_relaxed);
  uint64_t next = 0;
  do {
    next = std::max(last + 1, earliest);
  } while (!last_.compare_exchange_weak(last, next, std::memory_order_relaxed));

  std::string id(kLength, '0');
  for (size_t i = id.size(); i-- > 0; next >>= 5) id[i] = kDigits[next & 31];
  return id;
}

bool IsDecisionId(std::string_view text) {
  return text.size() == kLength && text.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace yardmaster
