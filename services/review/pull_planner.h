// Reviews pull requests: when they are opened, pushed to or asked for again where the configuration says so, and when a
// person asks. What lies between the merge base and the head is read from the repository's git server, or where that
// can't be reached, by the forge's calls. What is published is publish.h's business. A pack in the shadow is asked once
// the review is handed over, and only about what was read from git: it holds nothing up, and spends none of the calls.
#ifndef YARDMASTER_SERVICES_REVIEW_PULL_PLANNER_H_
#define YARDMASTER_SERVICES_REVIEW_PULL_PLANNER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/config/config.h"
#include "services/core/logging.h"
#include "services/core/store/reviews.h"
#include "services/core/store/shadows.h"
#include "services/intake/subject_planner.h"
#include "services/packs/registry/pack_registry.h"
#include "services/review/change_reviewer.h"
#include "services/review/change_source.h"
#include "services/review/shadow_review.h"

namespace yardmaster {

// What the planner stands on. References outlive it.
struct PullReviewEnvironment {
  const Config& config;
  std::function<std::shared_ptr<const PackSet>()> packs;
  // Where reviews are kept; null: nowhere, and nothing is known of earlier ones.
  store::Reviews* reviews = nullptr;
  // Git servers; null: there are none.
  ChangeSource* source = nullptr;
  RepositoryFileRules file = {};
  // Where it is kept what packs in the shadow would have found; null: nowhere, and none is asked.
  store::Shadows* shadows = nullptr;
  // Told why a shadow is left out; null: nobody.
  Logger* logger = nullptr;
};

// Says in a step how many findings are new, still there and fixed.
class PullReviewPlanner final : public Planner {
 public:
  static constexpr std::string_view kName = "review";
  explicit PullReviewPlanner(PullReviewEnvironment environment) : env_(std::move(environment)) {}

  std::string_view name() const override { return kName; }
  bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const override;
  TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                           const std::vector<std::string>* seen_labels) const override;
  std::string_view SkipReason(const PlanInput& input) const override;
  // Over the commits, the rules, and what else they look at.
  std::string Digest(const PlanInput& input) const override;
  // The check of the head begins, those of heads before it end.
  absl::Status Acknowledge(const PlanInput& input, v1::Plan& plan) const override;
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override;

 private:
  ReviewConfig ConfigOf(const v1::Subject& subject) const;
  // What the pull request is reviewed under at this head.
  absl::StatusOr<ReviewScope> Scope(const PlanInput& input, std::string_view head) const;
  absl::StatusOr<ReviewScope> ScopeUnder(const PackSet& packs, const PlanInput& input, std::string_view head) const;
  // Names of the packs that it is reviewed under.
  std::vector<std::string> PackNamesOf(const PlanInput& input) const;
  // The same under the revision that runs in the shadow of one of the packs; nullopt if there is none, or a person
  // asked for something of their own.
  absl::StatusOr<std::optional<ShadowScope>> ScopeInShadow(const PlanInput& input, std::string_view head) const;
  // The latest review of the subject; null if there is none.
  absl::StatusOr<std::shared_ptr<const v1::Review>> Earlier(const v1::Subject& subject) const;
  absl::StatusOr<std::shared_ptr<const MadeReview>> Review(const PlanInput& input, const ForgePull& pull,
                                                           const ReviewScope& scope,
                                                           const std::shared_ptr<const v1::Review>& earlier) const;
  // By the forge's calls.
  absl::StatusOr<std::shared_ptr<const MadeReview>> ReviewByForge(const PlanInput& input, const ReviewScope& scope,
                                                                  const ReviewedChange& about,
                                                                  const v1::Review* earlier) const;
  void AskShadow(Change& change, const ShadowScope& shadow, const ReviewedChange& about, const v1::Review& made) const;
  // A shadow changes nothing about the review, whatever becomes of it.
  void LeaveShadowOut(const v1::Subject& subject, std::string_view why) const;
  absl::Status Keep(const v1::Review& review) const;

  const PullReviewEnvironment env_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_PULL_PLANNER_H_
