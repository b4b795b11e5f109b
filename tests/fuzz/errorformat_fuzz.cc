// Any bytes as lines of another tool, as GitHub's annotations, and by what they look like.
#include "tests/fuzz/import_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  yardmaster::CheckImport(data, size, yardmaster::ImportFormat::kLines);
  yardmaster::CheckImport(data, size, yardmaster::ImportFormat::kGithub);
  yardmaster::CheckImport(data, size, yardmaster::ImportFormat::kAuto);
  return 0;
}
