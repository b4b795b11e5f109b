// Repositories that their forge calls otherwise than the configuration does: renamed or transferred.
#ifndef YARDMASTER_SERVICES_CORE_REPOSITORY_ALIASES_H_
#define YARDMASTER_SERVICES_CORE_REPOSITORY_ALIASES_H_

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace yardmaster {

// Thread-safe. Names are "owner/name"; their case is ignored.
class RepositoryAliases {
 public:
  // The forge calls `configured` by the name `current` now. True if that is news.
  bool Note(std::string_view forge, std::string_view configured, std::string_view current);

  // What the configuration calls a repository; empty: no other name of `current` is known.
  std::string ConfiguredName(std::string_view forge, std::string_view current) const;
  // What the forge calls it: `configured`, unless it has another name.
  std::string CurrentName(std::string_view forge, std::string_view configured) const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  // (forge, configured name in lower case) → (configured name, current name)
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>> names_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_REPOSITORY_ALIASES_H_
