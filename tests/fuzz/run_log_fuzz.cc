// Any line of a run's log, as whoever follows it reads it: it is one of the known lines with a name, or text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "services/worker/results/run_log.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using yardmaster::Check;
  using Kind = yardmaster::worker::RunLogLine::Kind;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (true) {
    const size_t end = rest.find('\n');
    const yardmaster::worker::RunLogLine line = yardmaster::worker::ReadRunLogLine(rest.substr(0, end));
    const bool named = line.kind != Kind::kText && line.kind != Kind::kProgress;
    Check(!named || !line.name.empty(), "a layer or step without a name");
    const bool ends = line.kind == Kind::kStepEnds || line.kind == Kind::kLayerEnds;
    Check(!ends || (!line.verdict.empty() && line.seconds >= 0), "an end without a verdict or with a time before it");
    if (end == std::string_view::npos) return 0;
    rest.remove_prefix(end + 1);
  }
}
