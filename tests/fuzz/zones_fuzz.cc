// Any bytes → zones: no crash, and what holds for every text holds for this one.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "rules/engine/text/zones.h"
#include "tests/support/zone_invariants.h"

namespace {

using yardmaster::rules::ZoneRules;
using yardmaster::rules::ZoneSplitter;

// A few patterns of each kind, so that regions open, go on, are doubted and close.
const ZoneSplitter& Splitter() {
  static const std::unique_ptr<ZoneSplitter> splitter = [] {
    ZoneRules rules;
    rules.trace_starts = {R"(\s*Traceback)", R"(\s*File ".*", line \d+)", R"(frame #\d+)"};
    rules.trace_lines = {R"(\s+\S)", R"(\[\d+\])"};
    rules.error_lines = {R"(\s*\w+Error:)", R"(E\d)"};
    rules.environment_starts = {R"(OS:)", R"(Versions?$)", R"(\| SMI)", R"(# packages)"};
    rules.environment_lines = {R"(\w+: )", R"(\|.*\|$)", R"([-+]{3,}$)"};
    rules.boilerplate = {R"(Bug)", R"(Versions)", R"(问题描述)"};
    yardmaster::Problems problems;
    return ZoneSplitter::Create(rules, problems);
  }();
  return *splitter;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string broken = yardmaster::testing::BrokenZoneInvariant(text, Splitter().Split(text));
  if (!broken.empty()) {
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return 0;
}
