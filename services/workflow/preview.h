// Text that a command has made is seen by somebody before it is used.
#ifndef YARDMASTER_SERVICES_WORKFLOW_PREVIEW_H_
#define YARDMASTER_SERVICES_WORKFLOW_PREVIEW_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/workflow/description.h"

namespace yardmaster::workflow {

// Shows a text, and beside it what it lacks; gives back what is to be used: the same, or as somebody has edited it.
// CANCELLED: nothing is to be done.
using Preview =
    std::function<absl::StatusOr<std::string>(const std::string& text, const std::vector<std::string>& lacks)>;

// The message of a commit, accepted. Without a preview, INVALID_ARGUMENT that names the option to pass; an edited
// message that must not be used is FAILED_PRECONDITION.
absl::StatusOr<std::string> AcceptedMessage(const Preview& preview, const std::string& message);

// What a command uses for a message that it was given, or that it made: the latter is to be accepted, unless that was
// said before (`ask` is false). FAILED_PRECONDITION: it must not be used.
absl::StatusOr<std::string> UsableMessage(bool ask, const Preview& preview, const std::string& message);

// As AcceptedMessage for a pull request: the first line is the title, what follows the blank line behind it the
// description.
absl::StatusOr<Description> AcceptedDescription(const Preview& preview, const Description& description);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_PREVIEW_H_
