// Any bytes as a console log: no crash, everything that is told can be read and is within its limits.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/pipeline/console_log.h"
#include "rules/engine/pipeline/profile.h"
#include "services/core/problem.h"
#include "services/core/readable.h"
#include "tests/fuzz/check.h"
#include "tests/support/source_path.h"

namespace {

using namespace yardmaster::rules;
using yardmaster::Check;

const PipelineProfile& Profile() {
  static const auto* const profile = [] {
    yardmaster::Problems problems;
    const PackFiles files = ReadPackFiles(yardmaster::testing::SourcePath("rules/packs"), problems);
    return new auto(LoadPipeline(files, "hyper-parallel", problems));
  }();
  Check(*profile != nullptr, "the shipped profile can be read");
  return **profile;
}

void CheckText(const std::string& text, size_t limit) {
  Check(yardmaster::IsValidUtf8(text), "what is told can be read");
  Check(text.size() <= limit + 8, "what is told has a limit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const LogReport log = ReadConsoleLog(Profile().log, text);
  Check(log.failures.size() <= kMaxLogFailures, "failures have a limit");
  Check(log.markers.size() <= kMaxExcerptLines, "lines worth showing have a limit");
  uint32_t last = 0;
  for (const LogFailure& failure : log.failures) {
    Check(failure.log_line >= last, "failures come in the order of the log");
    last = failure.log_line;
    for (const std::string* field : {&failure.stage, &failure.rule, &failure.file, &failure.function, &failure.test}) {
      CheckText(*field, 1000);
    }
    CheckText(failure.message, kMaxConsoleLineBytes);
  }
  for (const std::string& line : log.markers) CheckText(line, kMaxConsoleLineBytes);
  for (const std::string& line : log.excerpt) CheckText(line, kMaxConsoleLineBytes);
  Check(log.failures.empty() || !log.excerpt.empty(), "a failure has an excerpt");
  return 0;
}
