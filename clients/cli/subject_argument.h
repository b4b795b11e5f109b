// Subjects as they stand on the command line.
#ifndef YARDMASTER_CLIENTS_CLI_SUBJECT_ARGUMENT_H_
#define YARDMASTER_CLIENTS_CLI_SUBJECT_ARGUMENT_H_

#include <optional>
#include <string_view>

#include "yardmaster/v1/types.pb.h"

namespace yardmaster::cli {

// "FORGE:OWNER/REPO#N" with N from 1 → an issue; nullopt if `text` is not of that form.
std::optional<v1::Subject> ParseSubject(std::string_view text);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_SUBJECT_ARGUMENT_H_
