// GitHub's REST API as a Forge. Issue endpoints serve pull requests too.
#ifndef YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_FORGE_H_
#define YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_FORGE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/github/app_credentials.h"
#include "clients/forge/rest_adapter.h"

namespace yardmaster {

class GitHubForge final : public RestAdapter {
 public:
  // `app`: set if the pipeline's credentials are an App's; installations have no GET /user.
  GitHubForge(ForgePipeline pipeline, const Clock& clock, AppCredentials* app)
      : RestAdapter(std::move(pipeline), clock), app_(app) {}

  LabelRules label_rules() const override;
  absl::StatusOr<ForgeUser> CurrentUser(const ForgeCall& call) override;
  absl::StatusOr<ForgeRepository> GetRepository(const ForgeCall& call, std::string_view repository) override;
  absl::StatusOr<std::vector<ForgeLabel>> RepositoryLabels(const ForgeCall& call, std::string_view repository) override;
  absl::StatusOr<ForgeIssue> GetIssue(const ForgeCall& call, const ForgeSubject& subject) override;
  absl::StatusOr<ForgeCommentList> ListComments(const ForgeCall& call, const ForgeSubject& subject) override;
  absl::StatusOr<ForgeIssuePage> ListIssues(const ForgeCall& call, std::string_view repository,
                                            const ForgeIssueQuery& query) override;
  absl::StatusOr<ForgeLabelsWritten> AddLabels(const ForgeCall& call, const ForgeSubject& subject,
                                               const std::vector<std::string>& labels) override;
  absl::StatusOr<ForgeCommentWritten> AddComment(const ForgeCall& call, const ForgeSubject& subject,
                                                 std::string_view body) override;
  absl::StatusOr<ForgeAccess> GetPermission(const ForgeCall& call, std::string_view repository,
                                            std::string_view login) override;
  absl::StatusOr<bool> IsTeamMember(const ForgeCall& call, std::string_view organisation, std::string_view team,
                                    std::string_view login) override;
  absl::StatusOr<std::optional<ForgeFile>> GetFile(const ForgeCall& call, std::string_view repository,
                                                   std::string_view path, std::string_view ref) override;
  absl::StatusOr<ForgePull> GetPull(const ForgeCall& call, const ForgeSubject& subject) override;
  absl::StatusOr<ForgePullFileList> ListPullFiles(const ForgeCall& call, const ForgeSubject& subject) override;
  absl::StatusOr<ForgeCommentWritten> EditComment(const ForgeCall& call, const ForgeSubject& subject,
                                                  std::string_view comment, std::string_view body) override;
  bool has_reactions() const override { return true; }
  absl::StatusOr<std::string> AddReaction(const ForgeCall& call, const ForgeSubject& subject, std::string_view comment,
                                          ForgeReaction reaction) override;
  absl::StatusOr<ForgeLabelsWritten> RemoveLabel(const ForgeCall& call, const ForgeSubject& subject,
                                                 std::string_view label) override;
  absl::StatusOr<ForgeHookDeliveryPage> ListHookDeliveries(const ForgeCall& call, std::string_view repository,
                                                           std::string_view hook, std::string_view cursor) override;
  absl::Status Redeliver(const ForgeCall& call, std::string_view repository, std::string_view hook,
                         std::string_view delivery) override;

 private:
  absl::StatusOr<ForgeIssue> ReadIssue(const Run& run, const ForgeSubject& subject);
  absl::StatusOr<ForgeCommentList> ReadComments(const Run& run, const ForgeSubject& subject);

  AppCredentials* const app_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_FORGE_H_
