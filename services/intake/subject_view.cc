#include "services/intake/subject_view.h"

#include "absl/strings/cord.h"

namespace yardmaster {
namespace {

constexpr char kStillWorking[] = "yardmaster/still-working";

}  // namespace

absl::Status StillWorking() {
  absl::Status status = absl::UnavailableError("the work goes on");
  status.SetPayload(kStillWorking, absl::Cord());
  return status;
}

bool IsStillWorking(const absl::Status& status) { return status.GetPayload(kStillWorking).has_value(); }

}  // namespace yardmaster
