#include "services/worker/logs/log_errors.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster::worker::log_errors {

absl::Status LogUnreadable(std::string_view path, std::string_view reason) {
  return absl::NotFoundError(absl::StrCat("can't read the log '", Abs(path), "': ", Abs(reason)));
}

absl::Status LogDamaged(std::string_view path, uint64_t at, std::string_view what) {
  return absl::DataLossError(absl::StrCat("the log '", Abs(path), "' is damaged at byte ", at, ": ", Abs(what)));
}

absl::Status LogNotWritten(std::string_view path, int error) {
  const std::string text = absl::StrCat("can't write the log '", Abs(path), "': ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return absl::ResourceExhaustedError(text);
  return absl::InternalError(text);
}

absl::Status PatternInvalid(std::string_view pattern, std::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("the pattern '", Abs(pattern), "' can't be understood: ", Abs(reason)));
}

}  // namespace yardmaster::worker::log_errors
