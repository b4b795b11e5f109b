// What an operator has to fix: a missing permission, a wrong login, a repository that was renamed. Each is logged once
// and listed until it is gone.
#ifndef YARDMASTER_SERVICES_INTAKE_NOTICES_H_
#define YARDMASTER_SERVICES_INTAKE_NOTICES_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/clock.h"
#include "services/core/logging.h"

namespace yardmaster {

struct Notice {
  std::string key;   // what it is about: "access to github:octo/repo"
  std::string text;  // what is wrong, and what to do
  std::chrono::system_clock::time_point since;
};

// Thread-safe.
class Notices {
 public:
  // More are logged, but not listed.
  static constexpr size_t kMost = 200;

  // References outlive this object.
  Notices(const Clock& clock, Logger& logger) : clock_(clock), logger_(logger) {}

  // Logs a warning unless the same was said before under this key.
  void Raise(const std::string& key, const std::string& text);
  // It is resolved.
  void Clear(const std::string& key);
  // By key.
  std::vector<Notice> List() const;

 private:
  const Clock& clock_;
  Logger& logger_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, Notice> notices_;
};

// Raises or clears the notice that our clock is more than kMaxClockSkew off. `ahead`: of the forge's.
void NoteClock(Notices& notices, std::string_view forge, std::chrono::seconds ahead);

// Whether the credentials give access to a repository. `why`: the forge's answer.
void NoteAccess(Notices& notices, std::string_view forge, std::string_view repository);
void NoteNoAccess(Notices& notices, std::string_view forge, std::string_view repository, std::string_view why);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_NOTICES_H_
