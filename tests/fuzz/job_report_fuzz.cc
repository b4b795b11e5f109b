// Any bytes as the result of a suite that ran somebody's code, and as the name of a pull request: texts that may be
// posted.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/core/readable.h"
#include "services/dispatch/pulls/job_report.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace yardmaster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  dispatch::ReportedJob ended{.job = {}, .result = std::string(text)};
  ended.job.set_job("j-1");
  ended.job.set_verdict("failed");
  ended.job.mutable_spec()->set_suite("repo/units");
  const v1::ReportCheck check = dispatch::EndedCheck(ended);
  Check(IsValidUtf8(check.summary()) && IsValidUtf8(check.title()), "a text that is not UTF-8");
  Check(!check.title().empty(), "a check without a title");
  if (const std::optional<v1::Subject> subject = dispatch::PullNamed(text); subject.has_value()) {
    Check(dispatch::PullNamed(dispatch::PullName(*subject)).has_value(), "a name that is not read back");
  }
  return 0;
}
