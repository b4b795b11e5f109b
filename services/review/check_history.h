// The checks of a pull request's heads, as they were reported.
#ifndef YARDMASTER_SERVICES_REVIEW_CHECK_HISTORY_H_
#define YARDMASTER_SERVICES_REVIEW_CHECK_HISTORY_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

class CheckHistory {
 public:
  // Actions of which those that report checks count, in any order.
  explicit CheckHistory(const std::vector<v1::Action>& written);

  // The attempt under which the check of a head is to be reported now: the one that was begun and has no conclusion,
  // else a new one.
  int64_t NextAttempt(std::string_view head) const;
  // Head and attempt of checks that were begun and have no conclusion.
  std::vector<std::pair<std::string, int64_t>> Unfinished() const;

 private:
  struct Latest {
    int64_t attempt = 0;
    bool concluded = false;
  };
  std::map<std::string, Latest, std::less<>> by_head_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_CHECK_HISTORY_H_
