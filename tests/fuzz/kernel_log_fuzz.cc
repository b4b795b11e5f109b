// Any bytes as a record of /dev/kmsg and as the journal of the kernel: no crash, and errors of GPUs with an address and
// a readable text.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "services/core/readable.h"
#include "services/worker/devices/gpu_faults.h"
#include "services/worker/devices/kernel_log.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace yardmaster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<worker::KernelLine> lines = worker::ParseKernelJournal(text);
  if (std::optional<worker::KernelLine> record = worker::ParseKmsgRecord(text); record.has_value()) {
    lines.push_back(*std::move(record));
  }
  for (const worker::KernelLine& line : lines) {
    Check(line.text.find('\n') == std::string::npos, "a line of two");
    const std::optional<worker::Xid> xid = worker::XidOf(line);
    if (!xid.has_value()) continue;
    Check(!xid->pci_address.empty(), "an error of no GPU");
    Check(IsValidUtf8(xid->text), "a text that is not UTF-8");
  }
  return 0;
}
