#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/pipeline/diagnose.h"
#include "services/core/json_document.h"
#include "services/packs/pack_test.h"

namespace yardmaster {
namespace {

using nlohmann::json;

// What `got` lacks of `expected`: members of objects that are named there, the elements of lists one by one, anything
// else as it is.
void CompareMembers(const json& expected, const json& got, const std::string& pointer, std::vector<std::string>& out) {
  if (expected.is_object() && got.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      CompareMembers(value, got.contains(key) ? got[key] : json(), PointerJoin(pointer, key), out);
    }
    return;
  }
  if (expected.is_array() && got.is_array() && expected.size() == got.size()) {
    for (size_t i = 0; i < expected.size(); ++i) {
      CompareMembers(expected[i], got[i], PointerJoin(pointer, i), out);
    }
    return;
  }
  if (expected != got) out.push_back(absl::StrCat(pointer, ": expected ", expected.dump(), ", got ", got.dump()));
}

}  // namespace

void TestPipeline(const rules::PipelineProfile& profile, PackTest& result) {
  // What another pack wrote is tested there.
  if (profile.pack != result.pack) return;
  std::set<std::string> told;
  for (const rules::PipelineCase& one : profile.cases) {
    ++result.cases;
    std::string error;
    const std::optional<rules::PipelineSignals> signals = rules::ReadPipelineSignals(one.signals, error);
    if (!signals.has_value()) {
      result.failures.push_back({one.id, one.file, one.line, {error}});
      continue;
    }
    const rules::PipelineReport report = rules::Diagnose(profile, *signals, one.now);
    std::vector<std::string> differences;
    CompareMembers(one.expected, json(rules::PipelineReportJson(report)), "", differences);
    if (differences.empty()) {
      for (const rules::ReportedFailure& failure : report.failures) told.insert(failure.failure.pattern);
      told.insert(report.infrastructure.begin(), report.infrastructure.end());
    } else {
      result.failures.push_back({one.id, one.file, one.line, std::move(differences)});
    }
  }
  const auto count = [&](const std::string& id) {
    ++result.rules;
    if (told.contains(id)) {
      ++result.rules_covered;
    } else {
      result.uncovered.push_back(absl::StrCat("pipeline.json: ", id));
    }
  };
  for (const rules::LogRule& rule : profile.log.failures) count(rule.id);
  for (const rules::InfrastructureRule& rule : profile.log.infrastructure) count(rule.id);
}

}  // namespace yardmaster
