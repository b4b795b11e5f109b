#include "tests/support/fakeforge/jenkins.h"

#include <cstdlib>
#include <utility>

namespace yardmaster::fakeforge {

using nlohmann::json;

void Jenkins::Put(const std::string& job, json build) {
  Build& put = jobs_[job][build.value("number", int64_t{0})];
  put.console = build.value("console", "");
  build.erase("console");
  build.emplace("building", false);
  build.emplace("result", nullptr);
  put.told = std::move(build);
}

void Jenkins::Fail(int64_t count, int status) {
  failures_ = count;
  failure_status_ = status;
}

Answer Jenkins::Handle(const std::vector<std::string>& parts) {
  if (failures_ > 0) {
    --failures_;
    return {.status = failure_status_, .body = "<html>try again</html>"};
  }
  const auto job = parts.size() > 3 && parts[1] == "job" ? jobs_.find(parts[2]) : jobs_.end();
  if (job == jobs_.end()) return {.status = 404, .body = "<html>Not Found</html>"};
  if (parts.size() == 5 && parts[3] == "api" && parts[4] == "json") {
    json builds = json::array();
    for (auto build = job->second.rbegin(); build != job->second.rend(); ++build) builds.push_back(build->second.told);
    return {.body = json{{"_class", "hudson.model.FreeStyleProject"}, {"builds", std::move(builds)}}.dump()};
  }
  const auto build = parts.size() == 5 && parts[4] == "consoleText"
                         ? job->second.find(std::strtoll(parts[3].c_str(), nullptr, 10))
                         : job->second.end();
  if (build == job->second.end()) return {.status = 404, .body = "<html>Not Found</html>"};
  return {.body = build->second.console};
}

}  // namespace yardmaster::fakeforge
