// Any bytes as checkstyle XML of another tool: findings that a report can show, or an error.
#include "tests/fuzz/import_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  yardmaster::CheckImport(data, size, yardmaster::ImportFormat::kCheckstyle);
  return 0;
}
