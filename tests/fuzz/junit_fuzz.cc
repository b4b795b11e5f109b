// Any bytes as a report of pytest: no crash, and a report that holds or an error that says what is wrong.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "services/worker/reports/report.h"
#include "tests/fuzz/test_report_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  yardmaster::CheckReport(yardmaster::worker::ParseJunit(std::string_view(reinterpret_cast<const char*>(data), size)));
  return 0;
}
