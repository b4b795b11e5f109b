// The words of manifests and results for what suite_model.h enumerates. The schemas allow no others.
#ifndef YARDMASTER_RULES_SUITES_SUITE_NAMES_H_
#define YARDMASTER_RULES_SUITES_SUITE_NAMES_H_

#include <string_view>

#include "rules/suites/suite_model.h"

namespace yardmaster::rules {

template <typename Value>
struct Word {
  std::string_view word;
  Value value;
};

struct DeviceKindEntry {
  std::string_view word;
  DeviceKind value;
  std::string_view name;  // for sentences
};

inline constexpr DeviceKindEntry kDeviceKinds[] = {
    {"cpu", DeviceKind::kCpu, "CPU"}, {"gpu", DeviceKind::kGpu, "GPU"}, {"npu", DeviceKind::kNpu, "NPU"}};
inline constexpr Word<ReportFormat> kReportFormats[] = {{"junit", ReportFormat::kJunit},
                                                        {"googletest", ReportFormat::kGoogleTest},
                                                        {"ctest", ReportFormat::kCtest},
                                                        {"markers", ReportFormat::kMarkers}};
inline constexpr Word<LayerKind> kLayerKinds[] = {
    {"build", LayerKind::kBuild},       {"import", LayerKind::kImport},        {"smoke", LayerKind::kSmoke},
    {"module", LayerKind::kModule},     {"round_trip", LayerKind::kRoundTrip}, {"correctness", LayerKind::kCorrectness},
    {"boundary", LayerKind::kBoundary}, {"benchmark", LayerKind::kBenchmark}};
inline constexpr Word<FailureClass> kFailureClasses[] = {{"code", FailureClass::kCode},
                                                         {"environment", FailureClass::kEnvironment},
                                                         {"infrastructure", FailureClass::kInfrastructure},
                                                         {"victim", FailureClass::kVictim}};
inline constexpr Word<Requirement::Kind> kRequirementKinds[] = {{"tool", Requirement::Kind::kTool},
                                                                {"module", Requirement::Kind::kModule},
                                                                {"file", Requirement::Kind::kFile},
                                                                {"variable", Requirement::Kind::kVariable}};

// The entry of a value that the table has.
template <typename Table, typename Value>
constexpr const auto& EntryOf(const Table& table, Value value) {
  for (const auto& entry : table) {
    if (entry.value == value) return entry;
  }
  return table[0];
}

// "gpu".
constexpr std::string_view DeviceKindKey(DeviceKind kind) { return EntryOf(kDeviceKinds, kind).word; }
// "GPU".
constexpr std::string_view DeviceKindName(DeviceKind kind) { return EntryOf(kDeviceKinds, kind).name; }
// "environment".
constexpr std::string_view FailureClassKey(FailureClass cls) { return EntryOf(kFailureClasses, cls).word; }

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_SUITES_SUITE_NAMES_H_
