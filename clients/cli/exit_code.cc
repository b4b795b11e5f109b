#include "clients/cli/exit_code.h"

#include "absl/strings/str_cat.h"

namespace yardmaster::cli {

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kDone;
    case absl::StatusCode::kNotFound:
      return ExitCode::kNegative;
    case absl::StatusCode::kInvalidArgument:
      return ExitCode::kUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return ExitCode::kUnreachable;
    default:
      return ExitCode::kSystem;
  }
}

absl::Status AsUsage(const absl::Status& status) {
  return absl::IsInternal(status) ? SystemError(status.message()) : UsageError(status.message());
}

absl::Status MakeError(absl::StatusCode code, absl::string_view message, const std::vector<std::string>& hints) {
  std::string text(message);
  for (const std::string& hint : hints) absl::StrAppend(&text, "\n  ", hint);
  return {code, text};
}

absl::Status NegativeError(absl::string_view message, const std::vector<std::string>& hints) {
  return MakeError(absl::StatusCode::kNotFound, message, hints);
}

absl::Status UsageError(absl::string_view message, const std::vector<std::string>& hints) {
  return MakeError(absl::StatusCode::kInvalidArgument, message, hints);
}

absl::Status SystemError(absl::string_view message, const std::vector<std::string>& hints) {
  return MakeError(absl::StatusCode::kInternal, message, hints);
}

absl::Status ProblemsError(absl::string_view message, const Problems& problems) {
  std::vector<std::string> lines;
  for (const Problem& problem : problems) lines.push_back(problem.ToString());
  return UsageError(message, lines);
}

}  // namespace yardmaster::cli
