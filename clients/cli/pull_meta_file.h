// The file of --meta: what only a forge knows of a pull request, {title, body, labels, author, commits: [{sha, message,
// author}]}. What has no key is not known; a text that is null is empty.
#ifndef YARDMASTER_CLIENTS_CLI_PULL_META_FILE_H_
#define YARDMASTER_CLIENTS_CLI_PULL_META_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/environment.h"
#include "services/review/pull_meta.h"

namespace yardmaster::cli {

// A usage error that names the key where something is wrong.
absl::StatusOr<PullMeta> ReadPullMeta(const std::string& file, const Environment& env);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_PULL_META_FILE_H_
