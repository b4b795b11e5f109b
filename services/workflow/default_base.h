// The branch that work goes to where nobody says.
#ifndef YARDMASTER_SERVICES_WORKFLOW_DEFAULT_BASE_H_
#define YARDMASTER_SERVICES_WORKFLOW_DEFAULT_BASE_H_

#include <string>

#include "absl/status/statusor.h"
#include "clients/git/git_clone.h"

namespace yardmaster::workflow {

// The commit of the default branch of the main repository, as last fetched: what `HEAD` of the remote names, whatever
// slashes that has, else the usual names; of upstream, else of origin. Empty: not known.
absl::StatusOr<std::string> DefaultBase(GitClone& clone);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_DEFAULT_BASE_H_
