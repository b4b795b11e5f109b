// Sums up what a revision in the shadow would have changed, by label and rule.
#ifndef YARDMASTER_SERVICES_PACKS_SHADOW_REPORT_H_
#define YARDMASTER_SERVICES_PACKS_SHADOW_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "yardmaster/v1/shadow.pb.h"

namespace yardmaster {

// Whether people want a label on the run's subject, as what they did after the run says; nullopt: they did nothing.
using LabelTruth = std::function<std::optional<bool>(const v1::ShadowRun& run, const std::string& label)>;

// Takes runs, the newest first. Of each repository and pack the revisions of the newest run count, and of each subject
// the newest run. Pure but for `truth`.
class ShadowReport {
 public:
  // `examples`: kept for each label and rule.
  ShadowReport(size_t examples, LabelTruth truth) : examples_(examples), truth_(std::move(truth)) {}

  void Add(const v1::ShadowRun& run);
  void Write(v1::ShadowReportResponse& out) const;

 private:
  using TallyKey = std::pair<int, std::string>;  // kind and name
  struct Tally {
    v1::ShadowTally counts;
    std::vector<v1::ShadowExample> judged;  // those with a verdict
    std::vector<v1::ShadowExample> others;
  };
  struct Group {
    v1::ShadowSummary summary;
    std::set<std::tuple<std::string, int, int64_t>> subjects;    // planner, kind, number
    std::map<std::string, std::pair<uint32_t, uint32_t>> given;  // label or rule of findings: under base, shadow
    std::map<TallyKey, Tally> labels;
    std::map<TallyKey, Tally> rules;
    std::set<std::string> unfinished;  // rules
  };
  void AddDifference(const v1::ShadowRun& run, const v1::ShadowDifference& difference, Group& group) const;
  void AddTo(Tally& tally, const v1::ShadowDifference& difference, const v1::ShadowExample& example) const;

  const size_t examples_;
  const LabelTruth truth_;
  std::map<std::pair<std::string, std::string>, Group> groups_;  // by repository, in lower case, and pack
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_SHADOW_REPORT_H_
