// Which findings of two versions of the same files are the same finding.
#ifndef YARDMASTER_SERVICES_REVIEW_FINDING_MATCH_H_
#define YARDMASTER_SERVICES_REVIEW_FINDING_MATCH_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rules/engine/checks/review.h"
#include "services/review/report.h"

namespace yardmaster {

// How the files of head come from those of base.
struct VersionMap {
  std::map<std::string, std::string> base_path;             // by path at head, where it is another one
  std::map<std::string, std::vector<uint32_t>> base_lines;  // ReviewResult::base_lines
  // The path at head of one at base; the same where it was not renamed.
  std::string HeadPath(const std::string& base) const;
};

// Says of each finding of head whether it is new or still there, and returns those of base that are none of them. Two
// findings of a rule are the same if they stand at the same unchanged line; else if they point at the same code in the
// same function (Finding::anchor), in the same file first, then anywhere in the change: what was only moved is not new.
// One to one, in order. Where the version at base was not looked at to the end (rules::kLimitRule), what stands on a
// line that it had is still there: nobody knows that it is new.
std::vector<rules::Finding> CompareVersions(const std::vector<rules::Finding>& base, const VersionMap& versions,
                                            std::vector<ReportedFinding>& head);

// Paths at head of files whose version at base was not looked at to the end.
std::set<std::string> CutOffAtBase(const std::vector<rules::Finding>& base, const VersionMap& versions);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_FINDING_MATCH_H_
