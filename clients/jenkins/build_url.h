// Addresses of builds, as people and bots write them.
#ifndef YARDMASTER_CLIENTS_JENKINS_BUILD_URL_H_
#define YARDMASTER_CLIENTS_JENKINS_BUILD_URL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster {

struct JenkinsBuildName {
  std::string job;  // "name", or "folder/name"
  int64_t number = 0;
};

// The build that an address on the server `server` (as JenkinsClient's) shows: a page of Jenkins itself
// (…/job/NAME/12/console) or of Blue Ocean (…/blue/organizations/jenkins/NAME/detail/NAME/12/pipeline). nullopt:
// another server, or another page. Nothing is contacted.
std::optional<JenkinsBuildName> ParseBuildUrl(std::string_view server, std::string_view url);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_JENKINS_BUILD_URL_H_
