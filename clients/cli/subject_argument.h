// Subjects, repositories and rows as they stand on the command line.
#ifndef YARDMASTER_CLIENTS_CLI_SUBJECT_ARGUMENT_H_
#define YARDMASTER_CLIENTS_CLI_SUBJECT_ARGUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::cli {

// A number of a row or a subject: digits only, from 1.
std::optional<int64_t> ParseNumber(std::string_view text);

// "FORGE:OWNER/REPO#N" with N from 1 → an issue; nullopt if `text` is not of that form.
std::optional<v1::Subject> ParseSubject(std::string_view text);

// "FORGE:OWNER/REPO".
struct RepositoryArgument {
  std::string forge;
  std::string repository;  // "owner/repo"
};
absl::StatusOr<RepositoryArgument> ParseRepository(std::string_view text);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_SUBJECT_ARGUMENT_H_
