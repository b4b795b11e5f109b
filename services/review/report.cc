#include "services/review/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/review/progress_json.h"

namespace yardmaster {
namespace {

using Json = nlohmann::ordered_json;

// Past this a file is no report of ours.
constexpr size_t kMaxBaselineFindings = 1'000'000;

// Rounded to microseconds, so that the number stays short.
double Rounded(double seconds) { return static_cast<double>(std::llround(seconds * 1e6)) / 1e6; }

std::string Text(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

uint32_t Number(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number_unsigned()) return 0;
  return static_cast<uint32_t>(std::min<uint64_t>(it->get<uint64_t>(), UINT32_MAX));
}

}  // namespace

std::string_view FindingStatusName(FindingStatus status) {
  static constexpr std::string_view kNames[] = {"", "new", "still", "fixed"};
  return kNames[static_cast<size_t>(status)];
}

std::optional<rules::Severity> SeverityFromName(std::string_view name) {
  for (const rules::Severity severity :
       {rules::Severity::kBlock, rules::Severity::kMajor, rules::Severity::kMinor, rules::Severity::kInfo}) {
    if (rules::SeverityName(severity) == name) return severity;
  }
  return std::nullopt;
}

std::array<size_t, 4> ReviewReport::Counts() const {
  std::array<size_t, 4> counts{};
  for (const ReportedFinding& reported : findings) {
    if (reported.status != FindingStatus::kFixed) ++counts[static_cast<size_t>(reported.finding.severity)];
  }
  return counts;
}

size_t ReviewReport::Count(FindingStatus status) const {
  return static_cast<size_t>(
      absl::c_count_if(findings, [&](const ReportedFinding& reported) { return reported.status == status; }));
}

bool ReviewReport::Reaches(rules::Severity severity) const {
  return absl::c_any_of(findings, [&](const ReportedFinding& reported) {
    const bool counts = reported.status == FindingStatus::kNone || reported.status == FindingStatus::kNew;
    return counts && reported.finding.severity <= severity;
  });
}

void SortFindings(std::vector<ReportedFinding>& findings) {
  absl::c_stable_sort(findings, [](const ReportedFinding& a, const ReportedFinding& b) {
    const auto key = [](const ReportedFinding& r) {
      return std::tie(r.finding.path, r.finding.line, r.finding.column, r.finding.rule_id);
    };
    const bool a_fixed = a.status == FindingStatus::kFixed;
    const bool b_fixed = b.status == FindingStatus::kFixed;
    return a_fixed != b_fixed ? b_fixed : key(a) < key(b);
  });
}

void FoldLimits(std::vector<ReportedFinding>& findings) {
  using Reason = std::tuple<FindingStatus, std::string, std::string>;  // with the pack
  const auto reason = [](const ReportedFinding& one) {
    return Reason(one.status, one.finding.pack, one.finding.message);
  };
  const auto limit = [](const ReportedFinding& one) { return one.finding.rule_id == rules::kLimitRule; };
  std::map<Reason, size_t> files;
  for (const ReportedFinding& one : findings) {
    if (limit(one)) ++files[reason(one)];
  }
  std::erase_if(files, [](const auto& entry) { return entry.second <= kFoldedLimits; });
  std::set<Reason> told;
  std::erase_if(findings, [&](ReportedFinding& one) {
    const auto many = limit(one) ? files.find(reason(one)) : files.end();
    if (many == files.end()) return false;
    if (!told.insert(many->first).second) return true;
    absl::StrAppend(&one.finding.message, "; the same of ", many->second - 1, " more files");
    return false;
  });
}

Json FindingJson(const ReportedFinding& reported) {
  const rules::Finding& finding = reported.finding;
  const bool whole = finding.line == 0;
  Json json{{"rule_id", finding.rule_id}};
  if (!finding.part.empty()) json["part"] = finding.part;
  json.update(Json{{"pack", finding.pack},
                   {"severity", rules::SeverityName(finding.severity)},
                   {"pack_severity", finding.pack_severity},
                   {"path", finding.path},
                   {"line", std::max(1u, finding.line)},
                   {"column", std::max(1u, finding.column)},
                   {"end_line", std::max(1u, finding.end_line)},
                   {"end_column", std::max(1u, finding.end_column)},
                   {"message", finding.message}});
  if (!finding.message_zh.empty()) json["message_zh"] = finding.message_zh;
  json["fix"] = Json{{"hint", finding.fix}};
  if (!finding.fix_zh.empty()) json["fix"]["hint_zh"] = finding.fix_zh;
  for (const rules::FindingEdit& edit : finding.edits) {
    json["fix"]["edits"].push_back(Json{{"line", edit.line},
                                        {"column", edit.column},
                                        {"end_line", edit.end_line},
                                        {"end_column", edit.end_column},
                                        {"text", edit.text}});
  }
  json["fingerprint"] = finding.fingerprint;
  if (whole) json["whole_file"] = true;
  if (reported.status != FindingStatus::kNone) json["status"] = FindingStatusName(reported.status);
  return json;
}

Json ReportJson(const ReviewReport& report) {
  Json findings = Json::array();
  for (const ReportedFinding& finding : report.findings) findings.push_back(FindingJson(finding));
  Json skipped = Json::array();
  for (const rules::SkippedCheck& skip : report.skipped) {
    Json& entry = skipped.emplace_back(Json{{"rule_id", skip.rule_id}});
    if (!skip.part.empty()) entry["part"] = skip.part;
    entry.update(Json{{"path", skip.path}, {"reason", skip.reason}});
  }
  Json checklist = Json::array();
  for (const ChecklistItem& item : report.checklist) {
    Json& one = checklist.emplace_back(Json{{"rule_id", item.rule_id}, {"title", item.title}});
    if (item.passed.has_value()) one["passed"] = *item.passed;
    if (!item.path.empty()) one["path"] = item.path;
  }
  Json json{{"packs", report.packs},
            {"profile", report.profile},
            {"findings", std::move(findings)},
            {"skipped", std::move(skipped)},
            {"checklist", std::move(checklist)}};
  if (report.gate.has_value()) {
    Json gate{{"id", report.gate->id}, {"open", report.gate->open}};
    if (report.gate->stage.has_value()) gate["stage"] = *report.gate->stage;
    if (!report.gate->phase.empty()) gate["phase"] = report.gate->phase;
    json["gate"] = std::move(gate);
  }
  for (const SubjectProgress& subject : report.progress) json["progress"].push_back(ProgressJson(subject));
  const std::array<size_t, 4> counts = report.Counts();
  json["summary"] = Json{{"files", report.files}, {"block", counts[0]}, {"major", counts[1]},
                         {"minor", counts[2]},    {"info", counts[3]},  {"seconds", Rounded(report.seconds)}};
  if (!report.complete) json["complete"] = false;
  return json;
}

std::optional<std::vector<rules::Finding>> ReadBaseline(std::string_view text, std::string& error) {
  const Json json = Json::parse(text, nullptr, false);
  const auto list = json.is_object() ? json.find("findings") : json.end();
  if (json.is_discarded() || !json.is_object() || list == json.end() || !list->is_array()) {
    error = "expected the JSON of a review: an object with a list of \"findings\"";
    return std::nullopt;
  }
  if (list->size() > kMaxBaselineFindings) {
    error = "more than " + std::to_string(kMaxBaselineFindings) + " findings, the limit";
    return std::nullopt;
  }
  std::vector<rules::Finding> findings;
  for (const Json& entry : *list) {
    rules::Finding finding;
    if (entry.is_object()) finding.fingerprint = Text(entry, "fingerprint");
    if (finding.fingerprint.empty()) {
      error = "finding " + std::to_string(findings.size()) + " has no \"fingerprint\"";
      return std::nullopt;
    }
    if (Text(entry, "status") == FindingStatusName(FindingStatus::kFixed)) continue;
    finding.rule_id = Text(entry, "rule_id");
    finding.part = Text(entry, "part");
    finding.pack = Text(entry, "pack");
    finding.severity = SeverityFromName(Text(entry, "severity")).value_or(rules::Severity::kInfo);
    finding.pack_severity = Text(entry, "pack_severity");
    finding.path = Text(entry, "path");
    finding.line = Number(entry, "line");
    finding.column = Number(entry, "column");
    finding.end_line = Number(entry, "end_line");
    finding.end_column = Number(entry, "end_column");
    finding.message = Text(entry, "message");
    finding.message_zh = Text(entry, "message_zh");
    if (const auto fix = entry.find("fix"); fix != entry.end() && fix->is_object()) {
      finding.fix = Text(*fix, "hint");
      finding.fix_zh = Text(*fix, "hint_zh");
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

void CompareWithBaseline(const std::vector<rules::Finding>& baseline, const std::vector<std::string>& judged_paths,
                         ReviewReport& report) {
  std::map<std::string_view, std::vector<const rules::Finding*>> known;
  for (const rules::Finding& finding : baseline) known[finding.fingerprint].push_back(&finding);
  // The same text in two operators has the same fingerprint: first those that stand where they stood.
  const auto match = [&](bool same_path) {
    for (ReportedFinding& reported : report.findings) {
      if (reported.status == FindingStatus::kStill) continue;
      reported.status = FindingStatus::kNew;
      const auto it = known.find(reported.finding.fingerprint);
      if (it == known.end()) continue;
      const auto like = absl::c_find_if(it->second, [&](const rules::Finding* finding) {
        return !same_path || finding->path == reported.finding.path;
      });
      if (like == it->second.end()) continue;
      reported.status = FindingStatus::kStill;
      it->second.erase(like);
    }
  };
  match(true);
  match(false);
  const std::set<std::string_view> judged(judged_paths.begin(), judged_paths.end());
  for (const auto& [fingerprint, left] : known) {
    for (const rules::Finding* finding : left) {
      if (judged.count(finding->path) > 0) report.findings.push_back({*finding, FindingStatus::kFixed});
    }
  }
  SortFindings(report.findings);
}

}  // namespace yardmaster
