#include "services/gateway/readiness.h"

#include <nlohmann/json.hpp>

namespace yardmaster {

Readiness::Readiness(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) parts_[part] = {false, "starting"};
}

void Readiness::Set(std::string_view part, bool ready, std::string_view reason) {
  std::lock_guard<std::mutex> lock(mutex_);
  parts_[std::string(part)] = {ready, std::string(reason)};
}

void Readiness::Drain() { Set("daemon", false, "shutting down"); }

bool Readiness::ready() const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [part, state] : parts_) {
    if (!state.ready) return false;
  }
  return true;
}

std::string Readiness::ToJson() const {
  nlohmann::json reasons = nlohmann::json::object();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [part, state] : parts_) {
      if (!state.ready) reasons[part] = state.reason;
    }
  }
  nlohmann::json out;
  out["status"] = reasons.empty() ? "ready" : "not ready";
  if (!reasons.empty()) out["reasons"] = std::move(reasons);
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace yardmaster
