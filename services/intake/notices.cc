#include "services/intake/notices.h"

namespace yardmaster {

void Notices::Raise(const std::string& key, const std::string& text) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = notices_.find(key);
    if (known != notices_.end() && known->second.text == text) return;
    if (known == notices_.end() && notices_.size() < kMost) notices_[key] = {key, text, clock_.Now()};
    if (known != notices_.end()) known->second.text = text;
  }
  logger_.Warning("an operator is needed", {{"about", key}, {"what", text}});
}

void Notices::Clear(const std::string& key) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (notices_.erase(key) == 0) return;
  }
  logger_.Info("resolved", {{"about", key}});
}

std::vector<Notice> Notices::List() const {
  std::vector<Notice> out;
  const std::lock_guard<std::mutex> lock(mutex_);
  out.reserve(notices_.size());
  for (const auto& [key, notice] : notices_) out.push_back(notice);
  return out;
}

}  // namespace yardmaster
