// Which call of a forge a request is: the list of what the fake answers. Whatever is not here is an unexpected call.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_OPERATION_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::fakeforge {

enum class Kind : uint8_t {
  kUser,
  kRateLimit,
  kRepository,
  kRepositoryLabels,
  kIssues,
  kSubject,
  kPulls,
  kCreatePull,
  kEditPull,
  kAskForReview,
  kComments,
  kAddComment,
  kSubjectLabels,
  kAddLabels,
  kRemoveLabel,
  kEditComment,
  kReact,
  kFiles,
  kCommits,
  kHistory,
  kBranchRules,
  kBranch,
  kPullRuns,
  kPullRun,
  kPullPipelines,
  kContents,
  kPermission,
  kMembership,
  kDeliveries,
  kRedeliver,
  kHooks,
  kApp,
  kInstallation,
  kInstallationToken,
  kCreateCheck,
  kUpdateCheck,
  kChecks,
  kCheckSuites,
  kSetStatus,
  kStatuses,
  kReviewComments,
  kReviewComment,
  kCreateReview,
  kReply,
};

struct Operation {
  Kind kind = Kind::kUser;
  std::string repository = {};
  bool pull = false;  // addressed as a pull request
  int64_t number = 0;
  std::string argument = {};  // a label, a path, a login, a comment, a discussion, a commit or a delivery
};

// `parts`: of the path, below the API's address. `github`: which forge's list.
std::optional<Operation> FindOperation(std::string_view method, const std::vector<std::string>& parts, bool github);

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_OPERATION_H_
