// Which files of a pull request's head its failed tests reach, read from a git server.
#ifndef YARDMASTER_SERVICES_PIPELINE_TEST_REACH_H_
#define YARDMASTER_SERVICES_PIPELINE_TEST_REACH_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_cache.h"
#include "services/core/said_text.h"

namespace yardmaster {

struct TestReach {
  // Test file → files; as PipelineSignals::reach.
  std::map<std::string, std::vector<std::string>, std::less<>> files;
  std::vector<SaidText> unknown;  // why some are missing, for people
};

// `head`: of the pull request. Fetches the files that it looks at, and no others. Errors are those of GitRemote.
absl::StatusOr<TestReach> ReadTestReach(GitCache& cache, const std::string& repository, const GitPoint& head,
                                        const std::set<std::string>& tests);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_TEST_REACH_H_
