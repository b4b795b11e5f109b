// An operation of the journal of a clone: never a crash; what is read is written and read as the same.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "services/core/readable.h"
#include "services/workflow/operation.h"
#include "tests/fuzz/check.h"

using yardmaster::Check;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::optional<yardmaster::workflow::Operation> operation = yardmaster::workflow::ParseOperation(input);
  if (!operation) return 0;
  const std::string text = yardmaster::workflow::OperationText(*operation);
  const std::optional<yardmaster::workflow::Operation> again = yardmaster::workflow::ParseOperation(text);
  Check(again.has_value(), "what was written is an operation");
  Check(yardmaster::workflow::OperationText(*again) == text, "it is written as the same");
  return 0;
}
