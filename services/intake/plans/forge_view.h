// The view of planners on a forge and on what was decided before.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_FORGE_VIEW_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_FORGE_VIEW_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "services/core/store/decisions.h"
#include "services/intake/crash_marks.h"
#include "services/intake/plans/subject_run.h"
#include "services/intake/subject_view.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// Code that computes on what people wrote, with pauses for the network: the crash mark is lifted in them.
class MarkedSection {
 public:
  // `delivery` 0: nothing is marked.
  MarkedSection(CrashMarks& marks, int64_t delivery) : marks_(marks), delivery_(delivery) { Resume(); }
  void Pause() { mark_.reset(); }
  void Resume() {
    if (delivery_ != 0) mark_.emplace(marks_, delivery_);
  }

 private:
  CrashMarks& marks_;
  const int64_t delivery_;
  std::optional<CrashMarks::Computing> mark_;
};

// Not thread-safe. Everything it is given outlives it.
class ForgeView final : public SubjectView {
 public:
  // How another planner is asked; called while nothing is marked.
  using AskFunction = std::function<absl::StatusOr<RequestedPlan>(std::string_view planner, const AskOptions& options)>;

  ForgeView(SubjectRun& run, MarkedSection& section) : run_(run), section_(section) {}
  // Without it no planner can be asked.
  void AllowAsking(AskFunction ask) { ask_ = std::move(ask); }

  std::string_view forge() const override { return run_.forge().name(); }
  absl::StatusOr<ForgeAccess> Access(std::string_view login) override;
  absl::StatusOr<bool> IsTeamMember(std::string_view organisation, std::string_view team,
                                    std::string_view login) override;
  absl::StatusOr<std::optional<std::string>> File(std::string_view repository, std::string_view path,
                                                  std::string_view ref) override;
  absl::StatusOr<std::optional<std::string>> RecentFile(std::string_view repository, std::string_view path,
                                                        std::string_view ref) override;
  absl::StatusOr<ForgeRepository> Repository(const std::string& repository) override;
  absl::StatusOr<ForgePull> PullOf(int64_t number) override;
  absl::StatusOr<const ForgePull*> Pull() override;
  absl::StatusOr<const ForgePullFileList*> PullFiles() override;
  RecentLabels::Labels RepositoryLabels(const std::vector<std::string>& wanted) override;
  absl::StatusOr<std::optional<v1::Plan>> LatestDecision() override;
  absl::StatusOr<RequestedPlan> Ask(std::string_view planner, const AskOptions& options) override;
  absl::StatusOr<std::vector<v1::Action>> Written(std::string_view kind) override;
  absl::StatusOr<LongResultPtr> Await(const LongWork& work) override;
  absl::StatusOr<bool> HeadMovedSince(std::string_view head) override;
  absl::StatusOr<std::vector<store::Subscription>> Subscriptions() override;
  std::string Digest() const override;

 private:
  // Runs `read` while nothing is computed.
  template <typename Read>
  auto Outside(Read read) {
    section_.Pause();
    auto result = read();
    section_.Resume();
    return result;
  }
  void Note(std::string_view what, std::string_view seen);
  absl::StatusOr<std::optional<std::string>> ReadFile(std::string_view repository, std::string_view path,
                                                      std::string_view ref, bool recent);
  ForgeSubject Address() const;

  SubjectRun& run_;
  MarkedSection& section_;
  AskFunction ask_;
  std::map<std::string, ForgeAccess> access_;
  std::map<std::string, bool> members_;
  std::map<std::string, std::optional<std::string>> files_;
  std::optional<ForgePull> pull_;
  std::optional<ForgePullFileList> pull_files_;
  std::string read_;  // what was read, for the digest
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_FORGE_VIEW_H_
