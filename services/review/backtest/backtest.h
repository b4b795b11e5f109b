// What review rules find on changes that were merged: the base rate of each rule, how many changes stay silent, what a
// candidate of a pack would find instead, and how both stand to what people judged.
#ifndef YARDMASTER_SERVICES_REVIEW_BACKTEST_BACKTEST_H_
#define YARDMASTER_SERVICES_REVIEW_BACKTEST_BACKTEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/engine/checks/check_set.h"
#include "services/review/backtest/verdicts.h"
#include "services/review/change.h"
#include "services/review/diff_review.h"

namespace yardmaster {

// One new finding of a change.
struct ReplayedFinding {
  std::string rule;  // with its part: "RULE" or "RULE.PART"
  rules::Severity severity = rules::Severity::kInfo;
  std::string path;
  uint32_t line = 1;
  std::string message;
};

struct ReplayedChange {
  std::string commit;
  std::string title;  // first line of its message
  std::vector<ReplayedFinding> findings;
  bool complete = true;  // false: a limit hid something
  // Checks by their ids that could not run: what they need to know is not known, or they are not for such a tree.
  std::set<std::string> skipped = {};

  size_t Count(rules::Severity severity) const;
  // Nothing that blocks, nothing major.
  bool silent() const { return Count(rules::Severity::kBlock) + Count(rules::Severity::kMajor) == 0; }
};

using ReviewPacks = std::vector<std::shared_ptr<const rules::CheckSet>>;

// Reviews one change; `commit` and `title` are for the answer. Errors are those of ReviewChange.
absl::StatusOr<ReplayedChange> Replay(const ReviewPacks& packs, Change& change, const DiffReviewOptions& options,
                                      std::string commit, std::string title);

// How often one check of the packs found something.
struct BaseRate {
  std::string rule;
  rules::Severity severity = rules::Severity::kInfo;
  size_t findings = 0;
  size_t changes = 0;  // with at least one
  size_t ran = 0;      // changes in which the check could run; 0: how often it speaks was not measured
};

// Of every check that was made, those that found nothing too, by severity, then by findings, most first.
std::vector<BaseRate> BaseRates(const ReviewPacks& packs, const std::vector<ReplayedChange>& changes);

// A finding and the change that it was found in. Points into what it was made from.
struct FindingAt {
  const ReplayedChange* change = nullptr;
  const ReplayedFinding* finding = nullptr;
};

// What was judged, against what is found now.
struct JudgedFindings {
  struct Counts {
    std::array<size_t, 3> by_judgement{};  // by Judgement
    size_t judged() const { return by_judgement[0] + by_judgement[1] + by_judgement[2]; }
  };
  std::map<rules::Severity, Counts> found;  // verdicts whose finding stands, by its severity now
  std::vector<const Verdict*> lost;         // nothing is found there any more
  std::vector<const Verdict*> elsewhere;    // about changes that were not replayed
  std::vector<FindingAt> unjudged;          // blocking and major ones without a verdict
};

// A verdict about a rule holds for its parts, too. Where the line moved, the only finding of that rule in the file is
// meant.
JudgedFindings Judge(const std::vector<Verdict>& verdicts, const std::vector<ReplayedChange>& changes);

// At most `count` of `findings`, in turns from all rules, always the same ones; of a rule one at each place.
std::vector<FindingAt> SampleOf(const std::vector<FindingAt>& findings, size_t count);

// Findings that only one of two runs over the same changes has.
struct FindingDifference {
  std::vector<FindingAt> gained;  // only in the candidate's
  std::vector<FindingAt> lost;    // only in the base's
};
FindingDifference Differ(const std::vector<ReplayedChange>& base, const std::vector<ReplayedChange>& candidate);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_BACKTEST_BACKTEST_H_
