#include "tests/support/fakeforge/faults.h"

#include <algorithm>
#include <charconv>

namespace yardmaster::fakeforge {
namespace {

struct Named {
  std::string_view name;
  int FaultRates::*rate;
};

constexpr Named kNames[] = {
    {"error_before", &FaultRates::error_before},
    {"error_after", &FaultRates::error_after},
    {"limited", &FaultRates::limited},
    {"reset_before", &FaultRates::reset_before},
    {"reset_after", &FaultRates::reset_after},
    {"slow", &FaultRates::slow},
    {"late", &FaultRates::late},
    {"wrong_types", &FaultRates::wrong_types},
    {"webhook_duplicate", &FaultRates::webhook_duplicate},
    {"webhook_reorder", &FaultRates::webhook_reorder},
    {"webhook_drop", &FaultRates::webhook_drop},
};

}  // namespace

bool SetFaultRate(FaultRates& rates, std::string_view name, int64_t percent) {
  if (percent < 0 || percent > 100) return false;
  bool found = false;
  for (const Named& entry : kNames) {
    if (name != "all" && name != entry.name) continue;
    rates.*entry.rate = static_cast<int>(percent);
    found = true;
  }
  return found;
}

bool ParseFaultRates(std::string_view text, FaultRates& rates, std::string& error) {
  FaultRates parsed = rates;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, end);
    const size_t equals = std::min(item.find('='), item.size());
    const std::string_view number = item.substr(std::min(equals + 1, item.size()));
    int percent = -1;
    const auto [rest, code] = std::from_chars(number.data(), number.data() + number.size(), percent);
    if (code != std::errc() || rest != number.data() + number.size() ||
        !SetFaultRate(parsed, item.substr(0, equals), percent)) {
      error = "\"" + std::string(item) + "\" is not NAME=PERCENT; names: all";
      for (const Named& entry : kNames) error += ", " + std::string(entry.name);
      return false;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  rates = parsed;
  return true;
}

std::map<std::string, int> FaultRatesByName(const FaultRates& rates) {
  std::map<std::string, int> out;
  for (const Named& entry : kNames) out[std::string(entry.name)] = rates.*entry.rate;
  return out;
}

}  // namespace yardmaster::fakeforge
