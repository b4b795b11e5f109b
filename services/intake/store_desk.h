// The desk over the store and the pipe.
#ifndef YARDMASTER_SERVICES_INTAKE_STORE_DESK_H_
#define YARDMASTER_SERVICES_INTAKE_STORE_DESK_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/store/store.h"
#include "services/intake/desk.h"
#include "services/intake/forge_side.h"
#include "services/intake/planner.h"
#include "services/intake/recent_files.h"
#include "services/intake/repository_choice.h"

namespace yardmaster {

// References outlive the desk.
struct StoreDeskEnvironment {
  const Config& config;
  store::Inbox& inbox;
  store::Ledger& ledger;
  store::Decisions& decisions;
  store::Subjects& subjects;
  const Clock& clock;
  std::map<std::string, ForgeSide*, std::less<>> forges;
  std::vector<std::shared_ptr<const Planner>> planners;
  std::function<std::shared_ptr<const rules::CompiledPack>(std::string_view name)> find_pack;
  std::function<std::string()> new_decision_id;
  // What repositories' own files choose; null: nothing.
  FindRepositoryChoice find_choice = nullptr;
  // May be null.
  RecentFiles* recent_files = nullptr;
};

class StoreDesk final : public DecisionDesk {
 public:
  explicit StoreDesk(StoreDeskEnvironment environment) : env_(std::move(environment)) {}

  absl::StatusOr<DeskAnswer> DecideNow(const v1::Subject& subject, std::string_view pack) override;
  absl::StatusOr<DeskAnswer> Apply(const v1::Subject& subject, std::string_view pack, std::string_view actor,
                                   const std::function<absl::Status()>& alive) override;
  absl::StatusOr<std::optional<v1::Plan>> FindById(std::string_view id) override;
  absl::StatusOr<std::optional<v1::Plan>> FindBySubject(const v1::Subject& subject) override;

 private:
  // The forge and the pack for a subject, or why it can't be decided.
  absl::Status Resolve(const v1::Subject& subject, std::string_view pack, ForgeSide*& side,
                       std::shared_ptr<const rules::CompiledPack>& found) const;

  const StoreDeskEnvironment env_;
};

// The three or so subjects that are most alike go into the explanation.
void AddSimilarSubjects(store::Subjects& subjects, const v1::IssueSnapshot& snapshot, v1::Plan& plan);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_STORE_DESK_H_
