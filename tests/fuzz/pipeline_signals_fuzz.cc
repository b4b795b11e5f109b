// Any JSON as the signals of a gate: no crash, nothing is refused without a reason, and whatever is taken gives a
// report that keeps the laws of gates.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/pipeline/diagnose.h"
#include "services/core/json_document.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string error;
  const auto value = yardmaster::ParseJsonLimited({reinterpret_cast<const char*>(data), size}, {}, error);
  if (!value.has_value()) return 0;
  const std::optional<PipelineSignals> signals = ReadPipelineSignals(*value, error);
  Check(signals.has_value() == error.empty(), "what is refused has a reason, and what is taken has none");
  Check(yardmaster::IsValidUtf8(error), "a reason can be read");
  if (!signals.has_value()) return 0;
  const PipelineReport report = Diagnose(Profile(), *signals, *ParsePipelineTime("2025-06-10T12:00:00Z"));
  Check(report.gate_ok == (report.phase == PipelinePhase::kGreen), "nothing but GREEN is ok");
  Check(!report.call_person || report.action == PipelineAction::kStop, "who calls a person does nothing more");
  Check(!report.why.empty(), "there is a reason");
  Check(!PipelineReportJson(report).dump().empty(), "a report can be written");
  return 0;
}
