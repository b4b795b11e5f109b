// Text that a command has made is seen by somebody before it is used.
#ifndef YARDMASTER_SERVICES_WORKFLOW_PREVIEW_H_
#define YARDMASTER_SERVICES_WORKFLOW_PREVIEW_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/workflow/description.h"

namespace yardmaster::workflow {

// Shows a text; gives back what is to be used: the same, or as somebody has edited it. CANCELLED: nothing is to be
// done.
using Preview = std::function<absl::StatusOr<std::string>(const std::string& text)>;

// The message of a commit, accepted. Without a preview, INVALID_ARGUMENT that names the option to pass; an edited
// message that must not be used is FAILED_PRECONDITION.
absl::StatusOr<std::string> AcceptedMessage(const Preview& preview, const std::string& message);

// The same for a pull request: the first line is the title, what follows the blank line behind it the description.
absl::StatusOr<Description> AcceptedDescription(const Preview& preview, const Description& description);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_PREVIEW_H_
