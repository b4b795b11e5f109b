// Reviews a pull request when a person asks: its changed Python files as they are at its head, through the checks of
// the repository's packs. What comes out is one comment, updated in place.
#ifndef YARDMASTER_SERVICES_REVIEW_PULL_PLANNER_H_
#define YARDMASTER_SERVICES_REVIEW_PULL_PLANNER_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/engine/checks/check_set.h"
#include "services/core/config/config.h"
#include "services/intake/subject_planner.h"
#include "services/packs/registry/pack_registry.h"
#include "services/review/report.h"

namespace yardmaster {

// Runs only when asked by name, from a command. Says in its first step how many files it judged and what it found.
class PullReviewPlanner final : public Planner {
 public:
  static constexpr std::string_view kName = "review";
  PullReviewPlanner(const Config& config, std::function<std::shared_ptr<const PackSet>()> packs)
      : config_(config), packs_(std::move(packs)) {}

  std::string_view name() const override { return kName; }
  bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const override;
  TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                           const std::vector<std::string>* seen_labels) const override;
  std::string_view SkipReason(const PlanInput& input) const override;
  // Over the commit at the head.
  std::string Digest(const PlanInput& input) const override;
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override;

 private:
  const Config& config_;
  const std::function<std::shared_ptr<const PackSet>()> packs_;
};

// Lines that a patch (hunks in unified format) adds or changes, numbered from 1 after the change.
std::set<uint32_t> ChangedLines(std::string_view patch);

// The comment of a review: Markdown, with text from outside made harmless.
struct PullReviewText {
  std::string head;                                   // commit
  std::map<std::string, std::set<uint32_t>> changed;  // by path; a path that is missing: its lines are unknown
  // All findings, not only the first ones, and behind them what their rules are about.
  bool detailed = false;
  std::vector<std::shared_ptr<const rules::CheckSet>> packs;  // where rules are looked up
};
std::string PullReviewComment(const ReviewReport& report, const PullReviewText& about);
// "3 files, 1 block, 2 major".
std::string PullReviewCounts(const ReviewReport& report);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_PULL_PLANNER_H_
