// A Jenkins beside the forges: jobs with builds and their console logs.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_JENKINS_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_JENKINS_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/fakeforge/message.h"

namespace yardmaster::fakeforge {

class Jenkins {
 public:
  // Below "/jenkins": GET job/NAME/api/json and job/NAME/N/consoleText. `parts` begins with "jenkins".
  Answer Handle(const std::vector<std::string>& parts);
  // Adds a build, or replaces that of its number: {number, result?, building?, description?, timestamp?, duration?},
  // and "console", its log.
  void Put(const std::string& job, nlohmann::json build);
  // The next `count` requests get this status instead of an answer.
  void Fail(int64_t count, int status);

 private:
  struct Build {
    nlohmann::json told;
    std::string console;
  };
  std::map<std::string, std::map<int64_t, Build>> jobs_;
  int64_t failures_ = 0;
  int failure_status_ = 503;
};

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_JENKINS_H_
