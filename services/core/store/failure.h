// What the database throws, as absl::Status.
#ifndef YARDMASTER_SERVICES_CORE_STORE_FAILURE_H_
#define YARDMASTER_SERVICES_CORE_STORE_FAILURE_H_

#include <exception>

#include "absl/status/status.h"

namespace yardmaster::store {

enum class FailureKind {
  kFull,    // no room; may pass
  kBroken,  // reading, writing or syncing failed, or the file is damaged: nothing can be trusted any more
  kBusy,    // somebody else holds the database; may pass
  kOther,   // this one statement
};

struct Failure {
  FailureKind kind = FailureKind::kOther;
  // Without values of parameters.
  absl::Status status;
};

// Only to be called with an exception that SOCI, the standard library or our own code threw.
Failure FailureOf(const std::exception& error);

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_FAILURE_H_
