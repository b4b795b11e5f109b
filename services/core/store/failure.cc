#include "services/core/store/failure.h"

#include <soci/soci.h>

#include <string>

#include "services/core/errors.h"
#include "services/core/store/dialect.h"

namespace yardmaster::store {

Failure FailureOf(const std::exception& error) {
  const auto* sql = dynamic_cast<const soci::soci_error*>(&error);
  // SOCI's what() would add the statement and its parameters.
  const std::string text = sql != nullptr ? sql->get_error_message() : std::string(error.what());
  const FailureKind kind = ClassifyError(error);
  switch (kind) {
    case FailureKind::kFull:
      return {kind, errors::StoreDiskFull()};
    case FailureKind::kBroken:
      return {kind, errors::StoreBroken(text)};
    case FailureKind::kBusy:
      return {kind, errors::StoreBusy(text)};
    case FailureKind::kOther:
      break;
  }
  return {kind, errors::Internal("store: " + text)};
}

}  // namespace yardmaster::store
