#include "services/worker/logs/log_errors.h"

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <string>

namespace yardmaster::worker::log_errors {
namespace {

std::string Text(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace

absl::Status LogUnreadable(std::string_view path, std::string_view reason) {
  return absl::NotFoundError(Text({"can't read the log '", path, "': ", reason}));
}

absl::Status LogDamaged(std::string_view path, uint64_t at, std::string_view what) {
  return absl::DataLossError(Text({"the log '", path, "' is damaged at byte ", std::to_string(at), ": ", what}));
}

absl::Status LogNotWritten(std::string_view path, int error) {
  const std::string text = Text({"can't write the log '", path, "': ", std::strerror(error)});
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return absl::ResourceExhaustedError(text);
  return absl::InternalError(text);
}

absl::Status PatternInvalid(std::string_view pattern, std::string_view reason) {
  return absl::InvalidArgumentError(Text({"the pattern '", pattern, "' can't be understood: ", reason}));
}

}  // namespace yardmaster::worker::log_errors
