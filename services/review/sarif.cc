#include "services/review/sarif.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "services/core/version.h"

namespace yardmaster {
namespace {

using Json = nlohmann::ordered_json;

const char* Level(rules::Severity severity) {
  static constexpr const char* kLevels[] = {"error", "error", "warning", "note"};
  return kLevels[static_cast<size_t>(severity)];
}

const char* BaselineState(FindingStatus status) {
  static constexpr const char* kStates[] = {"", "new", "unchanged", "absent"};
  return kStates[static_cast<size_t>(status)];
}

// A message must say something.
Json Message(const std::string& text) { return Json{{"text", text.empty() ? std::string("(no text)") : text}}; }

Json Descriptor(const std::string& id, const SarifRules& rules) {
  Json descriptor{{"id", id}};
  const auto it = rules.find(id);
  if (it == rules.end() || it->second == nullptr) return descriptor;
  const rules::CheckInfo& info = *it->second;
  if (!info.title.empty()) descriptor["shortDescription"] = Message(info.title);
  if (!info.description.empty()) descriptor["fullDescription"] = Message(info.description);
  if (!info.fix.empty()) descriptor["help"] = Message(info.fix);
  descriptor["defaultConfiguration"] = Json{{"level", Level(info.severity)}};
  descriptor["properties"] =
      Json{{"pack", info.pack}, {"severity", rules::SeverityName(info.severity)}, {"packSeverity", info.pack_severity}};
  return descriptor;
}

// An end before the start would not be valid.
Json Region(uint32_t line, uint32_t column, uint32_t end_line, uint32_t end_column) {
  line = std::max(1u, line);
  column = std::max(1u, column);
  end_line = std::max(end_line, line);
  return Json{{"startLine", line},
              {"startColumn", column},
              {"endLine", end_line},
              {"endColumn", std::max(end_column, end_line == line ? column : 1)}};
}

Json Place(const std::string& path) {
  return Json{{"physicalLocation", Json{{"artifactLocation", Json{{"uri", UriOfPath(path)}}}}}};
}

Json Fix(const rules::Finding& finding) {
  Json replacements = Json::array();
  for (const rules::FindingEdit& edit : finding.edits) {
    replacements.push_back(Json{{"deletedRegion", Region(edit.line, edit.column, edit.end_line, edit.end_column)},
                                {"insertedContent", Json{{"text", edit.text}}}});
  }
  Json change{{"artifactLocation", Json{{"uri", UriOfPath(finding.path)}}}, {"replacements", std::move(replacements)}};
  Json fix{{"artifactChanges", Json::array({std::move(change)})}};
  if (!finding.fix.empty()) fix["description"] = Message(finding.fix);
  return fix;
}

Json Result(const ReportedFinding& reported, size_t rule_index) {
  const rules::Finding& finding = reported.finding;
  Json result{{"ruleId", finding.rule_id},
              {"ruleIndex", rule_index},
              {"level", Level(finding.severity)},
              {"message", Message(finding.message)},
              {"partialFingerprints", Json{{"yardmaster/v1", finding.fingerprint}}}};
  // A finding about nothing in particular has no place.
  if (!finding.path.empty()) {
    Json location = Place(finding.path);
    if (finding.line > 0 && finding.column > 0) {
      location["physicalLocation"]["region"] =
          Region(finding.line, finding.column, finding.end_line, finding.end_column);
    } else if (finding.line > 0) {
      location["physicalLocation"]["region"] = Json{{"startLine", finding.line}};
    }
    result["locations"] = Json::array({std::move(location)});
  }
  if (reported.status != FindingStatus::kNone) result["baselineState"] = BaselineState(reported.status);
  if (!finding.edits.empty()) result["fixes"] = Json::array({Fix(finding)});
  Json properties{{"pack", finding.pack},
                  {"severity", rules::SeverityName(finding.severity)},
                  {"packSeverity", finding.pack_severity}};
  if (!finding.part.empty()) properties["part"] = finding.part;
  if (!finding.fix.empty()) properties["fixHint"] = finding.fix;
  result["properties"] = std::move(properties);
  return result;
}

}  // namespace

std::string UriOfPath(std::string_view path) {
  // RFC 3986: unreserved characters, sub-delims, "@" and "/" may stand in a path as they are.
  static constexpr std::string_view kPlain = "-._~!$&'()*+,;=@/";
  std::string uri;
  // "//host" would name an authority.
  while (path.size() > 1 && path[0] == '/' && path[1] == '/') path.remove_prefix(1);
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      absl::StrAppendFormat(&uri, "%%%02X", byte);
    }
  }
  return uri;
}

Json SarifLog(const ReviewReport& report, const SarifRules& rules) {
  // Rules in the order of their first finding.
  std::map<std::string_view, size_t> index;
  Json descriptors = Json::array();
  Json results = Json::array();
  for (const ReportedFinding& reported : report.findings) {
    const auto [it, added] = index.emplace(reported.finding.rule_id, index.size());
    if (added) descriptors.push_back(Descriptor(reported.finding.rule_id, rules));
    results.push_back(Result(reported, it->second));
  }
  Json notifications = Json::array();
  for (const rules::SkippedCheck& skipped : report.skipped) {
    Json note{
        {"level", "note"},
        {"message", Message(rules::RuleAndPart(skipped.rule_id, skipped.part) + " was skipped: " + skipped.reason)}};
    if (!skipped.path.empty()) note["locations"] = Json::array({Place(skipped.path)});
    notifications.push_back(std::move(note));
  }
  Json invocation{{"executionSuccessful", true}};
  if (!notifications.empty()) invocation["toolExecutionNotifications"] = std::move(notifications);
  Json run{
      {"tool",
       Json{{"driver",
             Json{{"name", "yardmaster"}, {"version", std::string(kVersion)}, {"rules", std::move(descriptors)}}}}},
      {"invocations", Json::array({std::move(invocation)})},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(results)},
      {"properties", Json{{"packs", report.packs}, {"profile", report.profile}}}};
  return Json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"version", "2.1.0"},
              {"runs", Json::array({std::move(run)})}};
}

std::string DumpReport(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace yardmaster
