// What a review found, and its JSON: the same bytes wherever the review ran.
//
// review: {packs, profile, findings: […], skipped: [{rule_id, part?, path, reason}], checklist: [{rule_id, title,
//          passed?, path?}],
//          gate?: {id, open, stage?, phase?}, progress?: [as progress_json.h has it], complete?: false, summary:
//          {files, block, major, minor, info, seconds}}
// finding: {rule_id, part?, pack, severity, pack_severity, path, line, column, end_line, end_column, message,
// message_zh?,
//           fix: {hint, hint_zh?, edits?: [{line, column, end_line, end_column, text}]}, fingerprint, status?}
// Lines and columns count from 1, columns in code points, the end is behind the last character. A finding about a whole
// file, or about a file that is not there, stands at line 1, column 1 and has `whole_file: true`. Findings that are
// "fixed" come from what the review was compared with; they count in no severity.
#ifndef YARDMASTER_SERVICES_REVIEW_REPORT_H_
#define YARDMASTER_SERVICES_REVIEW_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/review.h"
#include "services/review/progress.h"

namespace yardmaster {

// Against a baseline or a base version. kNone: there is nothing to compare with.
enum class FindingStatus : uint8_t { kNone, kNew, kStill, kFixed };

// "new", "still", "fixed"; empty for kNone.
std::string_view FindingStatusName(FindingStatus status);

// "block", "major", "minor", "info"; nullopt for anything else.
std::optional<rules::Severity> SeverityFromName(std::string_view name);

struct ReportedFinding {
  rules::Finding finding;
  FindingStatus status = FindingStatus::kNone;
};

// One rule of a gate and whether it holds; of a change, what a person should look at.
struct ChecklistItem {
  std::string rule_id;
  std::string title;
  std::optional<bool> passed;  // nullopt: a person says so
  std::string path;            // where, if at one file
};

// Which gate was asked, and what it said.
struct GateAnswer {
  std::string id;  // "phase", "design", "stage"
  bool open = false;
  std::optional<int> stage;
  std::string phase;
};

struct ReviewReport {
  std::vector<std::string> packs;
  std::string profile;
  std::vector<ReportedFinding> findings;
  std::vector<rules::SkippedCheck> skipped;
  std::vector<ChecklistItem> checklist;
  std::optional<GateAnswer> gate;
  std::vector<SubjectProgress> progress;  // of what a change adds
  size_t files = 0;
  double seconds = 0;
  // Of a review of a change. False: something was not seen; `skipped` and findings of the limit say what.
  bool complete = true;
  // By path of the files of a change: the line at base of each line (from 1), 0 where it was added.
  std::map<std::string, std::vector<uint32_t>> base_lines;

  // Findings that stand, by severity.
  std::array<size_t, 4> Counts() const;
  // Findings with a status.
  size_t Count(FindingStatus status) const;
  // Whether a finding that stands is as bad as `severity` or worse. With a baseline only new ones count.
  bool Reaches(rules::Severity severity) const;
};

// By path, line, column and rule; fixed ones last.
void SortFindings(std::vector<ReportedFinding>& findings);

// Where a limit (rules::kLimitRule) left out more than kFoldedLimits files for the same reason, one finding stands for
// all of them: the first, which says how many there are.
inline constexpr size_t kFoldedLimits = 3;
void FoldLimits(std::vector<ReportedFinding>& findings);

nlohmann::ordered_json FindingJson(const ReportedFinding& reported);
nlohmann::ordered_json ReportJson(const ReviewReport& report);

// What an earlier review found: its JSON ({"findings": […]}), as --baseline reads it. nullopt and `error` if the text
// is nothing of the kind. Findings that were fixed already are left out.
std::optional<std::vector<rules::Finding>> ReadBaseline(std::string_view text, std::string& error);

// Says of each finding whether it is new or still there, and adds those of the baseline that are gone as fixed.
// Compared by fingerprint, one to one, those of the same path first. Of findings of the baseline about files that are
// not in `judged_paths` nothing is said: they were not judged.
void CompareWithBaseline(const std::vector<rules::Finding>& baseline, const std::vector<std::string>& judged_paths,
                         ReviewReport& report);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_REPORT_H_
