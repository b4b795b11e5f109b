// GitHub's REST API as a Forge. Issue endpoints serve pull requests too.
#ifndef YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_FORGE_H_
#define YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_FORGE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/rest_adapter.h"

namespace yardmaster {

class GitHubForge final : public RestAdapter {
 public:
  GitHubForge(ForgePipeline pipeline, const Clock& clock);

  absl::StatusOr<bool> IsTeamMember(const ForgeCall& call, std::string_view organisation, std::string_view team,
                                    std::string_view login) override;
  bool has_reactions() const override { return true; }
  absl::StatusOr<std::string> AddReaction(const ForgeCall& call, const ForgeSubject& subject, std::string_view comment,
                                          ForgeReaction reaction) override;
  absl::StatusOr<ForgeHookDeliveryPage> ListHookDeliveries(const ForgeCall& call, std::string_view repository,
                                                           std::string_view hook, std::string_view cursor) override;
  absl::Status Redeliver(const ForgeCall& call, std::string_view repository, std::string_view hook,
                         std::string_view delivery) override;

  bool has_check_runs() const override { return OfApp(); }
  absl::StatusOr<ForgeCheckRun> CreateCheckRun(const ForgeCall& call, std::string_view repository,
                                               const ForgeCheckRunWrite& write) override;
  absl::StatusOr<ForgeCheckRun> UpdateCheckRun(const ForgeCall& call, std::string_view repository,
                                               std::string_view check_run, const ForgeCheckRunWrite& write) override;
  absl::StatusOr<std::vector<ForgeCheckRun>> ListCheckRuns(const ForgeCall& call, std::string_view repository,
                                                           std::string_view head, std::string_view name) override;
  absl::StatusOr<std::vector<ForgeCheckSuite>> ListCheckSuites(const ForgeCall& call, std::string_view repository,
                                                               std::string_view head) override;
  absl::StatusOr<std::vector<std::string>> ListRequiredChecks(const ForgeCall& call, std::string_view repository,
                                                              std::string_view branch) override;
  bool has_commit_statuses() const override { return true; }
  absl::Status SetCommitStatus(const ForgeCall& call, std::string_view repository, std::string_view head,
                               const ForgeCommitStatus& status) override;
  absl::StatusOr<std::vector<ForgeCommitStatus>> ListCommitStatuses(const ForgeCall& call, std::string_view repository,
                                                                    std::string_view head) override;

 private:
  // What the commit has at `path`, in the forge's order; `query` goes with each page. `what`: for the error where there
  // are more than are read.
  template <typename Item>
  absl::StatusOr<std::vector<Item>> ListOfCommit(const ForgeCall& call, std::string_view repository,
                                                 std::string_view head, std::string_view path, std::string_view query,
                                                 ForgeParser<std::vector<Item>> parse, std::string_view what);
  absl::Status SendReview(const Run& run, const ForgeSubject& subject, std::string_view commit,
                          const std::vector<ForgeInlineComment>& comments) override;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_FORGE_H_
