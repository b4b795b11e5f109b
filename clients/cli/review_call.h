// A review by a server: the file's bytes go there, what comes back is printed like a local answer.
#ifndef YARDMASTER_CLIENTS_CLI_REVIEW_CALL_H_
#define YARDMASTER_CLIENTS_CLI_REVIEW_CALL_H_

#include <optional>

#include "clients/cli/options.h"
#include "services/review/report.h"
#include "yardmaster/v1/review.pb.h"

namespace yardmaster::cli {

// Reviews one file. nullopt after saying why, with `code` set.
std::optional<ReviewReport> ReviewOnServer(Session& session, const v1::ReviewFileRequest& request, ExitCode& code);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_REVIEW_CALL_H_
