#include "services/core/repository_aliases.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

std::pair<std::string, std::string> KeyOf(std::string_view forge, std::string_view configured) {
  return {std::string(forge), absl::AsciiStrToLower(Abs(configured))};
}

}  // namespace

bool RepositoryAliases::Note(std::string_view forge, std::string_view configured, std::string_view current) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto key = KeyOf(forge, configured);
  if (absl::EqualsIgnoreCase(Abs(configured), Abs(current))) {
    names_.erase(key);
    return false;
  }
  auto& [name, now] = names_[key];
  name = configured;
  if (now == current) return false;
  now = current;
  return true;
}

std::string RepositoryAliases::ConfiguredName(std::string_view forge, std::string_view current) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [key, names] : names_) {
    if (key.first == forge && absl::EqualsIgnoreCase(names.second, Abs(current))) return names.first;
  }
  return {};
}

std::string RepositoryAliases::CurrentName(std::string_view forge, std::string_view configured) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = names_.find(KeyOf(forge, configured));
  return found == names_.end() ? std::string(configured) : found->second.second;
}

}  // namespace yardmaster
