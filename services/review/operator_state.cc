#include "services/review/operator_state.h"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "services/core/limits.h"
#include "services/review/block_text.h"

namespace yardmaster {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kStateVersion = 1;

std::set<std::string_view> RulesOf(const std::vector<RepeatedFinding>& findings) {
  std::set<std::string_view> rules;
  for (const RepeatedFinding& finding : findings) rules.insert(finding.rule_id);
  return rules;
}

std::optional<BreakerTrip> TrippedOf(std::string_view path, const std::vector<RepeatedFinding>& findings) {
  for (const RepeatedFinding& finding : findings) {
    if (finding.count >= kBreakerLimit)
      return BreakerTrip{std::string(path), finding.rule_id, finding.line, finding.count};
  }
  return std::nullopt;
}

std::optional<GateMemory> ReadGate(const Json& entry) {
  if (!entry.is_object()) return std::nullopt;
  const Json gate = entry.value("gate", Json());
  const Json phase = entry.value("phase", Json());
  const Json stage = entry.value("stage", Json(0));
  const Json open = entry.value("open", Json());
  const Json asked_at = entry.value("asked_at", Json());
  const Json rules = entry.value("blocking_rules", Json());
  if (!gate.is_string() || !phase.is_string() || !stage.is_number_integer() || !open.is_boolean() ||
      !asked_at.is_number_integer() || !rules.is_array()) {
    return std::nullopt;
  }
  GateMemory memory;
  memory.gate = gate.get<std::string>();
  memory.phase = phase.get<std::string>();
  if (entry.contains("stage")) memory.stage = stage.get<int>();
  memory.open = open.get<bool>();
  memory.asked_at = asked_at.get<int64_t>();
  for (const Json& rule : rules) {
    if (!rule.is_string()) return std::nullopt;
    memory.blocking_rules.push_back(rule.get<std::string>());
  }
  return memory;
}

}  // namespace

std::optional<BreakerTrip> RecordWrite(OperatorState& state, std::string_view path,
                                       const std::vector<rules::Finding>& findings) {
  std::vector<RepeatedFinding> now;
  std::set<std::pair<std::string_view, uint32_t>> seen;
  for (const rules::Finding& finding : findings) {
    if (!IsBlocking(finding) || now.size() == kMaxStateEntries) continue;
    // Two offenders on one line are one place.
    if (seen.emplace(finding.rule_id, finding.line).second) now.push_back({finding.rule_id, finding.line, 1});
  }
  const std::string key(path);
  if (now.empty()) {
    state.files.erase(key);
    return std::nullopt;
  }
  if (state.files.size() >= kMaxStateFiles && state.files.count(key) == 0) state.files.clear();
  std::vector<RepeatedFinding>& before = state.files[key];
  if (RulesOf(now).size() >= RulesOf(before).size()) {
    for (RepeatedFinding& finding : now) {
      for (const RepeatedFinding& old : before) {
        if (old.rule_id == finding.rule_id && old.line == finding.line && old.count < UINT32_MAX)
          finding.count = old.count + 1;
      }
    }
  }
  before = std::move(now);
  return TrippedOf(path, before);
}

std::optional<BreakerTrip> TrippedBreaker(const OperatorState& state) {
  for (const auto& [path, findings] : state.files) {
    if (std::optional<BreakerTrip> trip = TrippedOf(path, findings); trip.has_value()) return trip;
  }
  return std::nullopt;
}

void RecordGate(OperatorState& state, GateMemory answer) {
  std::erase_if(state.gates,
                [&](const GateMemory& old) { return old.gate == answer.gate && old.phase == answer.phase; });
  if (state.gates.size() >= kMaxGateRecords) state.gates.erase(state.gates.begin());
  state.gates.push_back(std::move(answer));
}

std::string BreakerText(const BreakerTrip& trip) {
  std::string place = trip.path;
  if (trip.line > 0) place += ":" + std::to_string(trip.line);
  return "lint not resolvable, escalating: " + trip.rule_id + " fired " + std::to_string(trip.count) +
         "x consecutively at " + place;
}

std::vector<rules::Finding> RecordFrozen(OperatorState& state, const std::vector<FrozenFile>& frozen) {
  std::map<std::string, std::string> next;
  std::vector<rules::Finding> changed;
  for (const FrozenFile& file : frozen) {
    if (next.size() >= kMaxStateFiles) break;
    const auto known = state.frozen.find(file.finding.path);
    if (known == state.frozen.end()) {
      // A file that was gone before anybody looked can't be compared later.
      if (!file.digest.empty()) next.emplace(file.finding.path, file.digest);
      continue;
    }
    next.insert(*known);
    if (known->second != file.digest) changed.push_back(file.finding);
  }
  state.frozen = std::move(next);
  return changed;
}

std::string DumpState(const OperatorState& state) {
  Json files = Json::object();
  for (const auto& [path, findings] : state.files) {
    Json list = Json::array();
    for (const RepeatedFinding& finding : findings) {
      list.push_back(Json{{"rule_id", finding.rule_id}, {"line", finding.line}, {"count", finding.count}});
    }
    files[path] = std::move(list);
  }
  Json frozen = Json::object();
  for (const auto& [path, digest] : state.frozen) frozen[path] = digest;
  Json gates = Json::array();
  for (const GateMemory& gate : state.gates) {
    Json entry{{"gate", gate.gate}, {"phase", gate.phase}};
    if (gate.stage.has_value()) entry["stage"] = *gate.stage;
    entry["open"] = gate.open;
    entry["asked_at"] = gate.asked_at;
    entry["blocking_rules"] = gate.blocking_rules;
    gates.push_back(std::move(entry));
  }
  Json json{{"version", kStateVersion}, {"blocked", std::move(files)}, {"frozen", std::move(frozen)}};
  if (!gates.empty()) json["gates"] = std::move(gates);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<OperatorState> ParseState(std::string_view text) {
  if (text.size() > kMaxStateBytes) return std::nullopt;
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || json.value("version", Json()) != Json(kStateVersion)) {
    return std::nullopt;
  }
  OperatorState state;
  const Json files = json.value("blocked", Json::object());
  const Json frozen = json.value("frozen", Json::object());
  if (!files.is_object() || !frozen.is_object()) return std::nullopt;
  for (const auto& [path, list] : files.items()) {
    if (!list.is_array() || list.size() > kMaxStateEntries) return std::nullopt;
    std::vector<RepeatedFinding>& findings = state.files[path];
    for (const Json& entry : list) {
      if (!entry.is_object()) return std::nullopt;
      const auto rule = entry.find("rule_id");
      const auto line = entry.find("line");
      const auto count = entry.find("count");
      if (rule == entry.end() || !rule->is_string() || line == entry.end() || !line->is_number_unsigned() ||
          count == entry.end() || !count->is_number_unsigned()) {
        return std::nullopt;
      }
      findings.push_back({rule->get<std::string>(), line->get<uint32_t>(), count->get<uint32_t>()});
    }
  }
  for (const auto& [path, digest] : frozen.items()) {
    if (!digest.is_string()) return std::nullopt;
    state.frozen[path] = digest.get<std::string>();
  }
  const Json gates = json.value("gates", Json::array());
  if (!gates.is_array() || gates.size() > kMaxGateRecords) return std::nullopt;
  for (const Json& entry : gates) {
    std::optional<GateMemory> gate = ReadGate(entry);
    if (!gate.has_value()) return std::nullopt;
    state.gates.push_back(*std::move(gate));
  }
  return state;
}

}  // namespace yardmaster
