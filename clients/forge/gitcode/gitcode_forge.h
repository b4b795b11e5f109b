// GitCode's REST API v5 as a Forge. Issues and pull requests have numbers and paths of their own.
#ifndef YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_FORGE_H_
#define YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_FORGE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/forge/rest_adapter.h"

namespace yardmaster {

class GitCodeForge final : public RestAdapter {
 public:
  GitCodeForge(ForgePipeline pipeline, const Clock& clock) : RestAdapter(std::move(pipeline), clock) {}

  LabelRules label_rules() const override;
  absl::StatusOr<ForgeUser> CurrentUser(const ForgeCall& call) override;
  absl::StatusOr<ForgeRepository> GetRepository(const ForgeCall& call, std::string_view repository) override;
  absl::StatusOr<std::vector<ForgeLabel>> RepositoryLabels(const ForgeCall& call, std::string_view repository) override;
  absl::StatusOr<ForgeIssue> GetIssue(const ForgeCall& call, const ForgeSubject& subject) override;
  absl::StatusOr<ForgeCommentList> ListComments(const ForgeCall& call, const ForgeSubject& subject) override;
  // Issues only.
  absl::StatusOr<ForgeIssuePage> ListIssues(const ForgeCall& call, std::string_view repository,
                                            const ForgeIssueQuery& query) override;
  // Label names have 2 to 20 characters here.
  absl::StatusOr<ForgeLabelsWritten> AddLabels(const ForgeCall& call, const ForgeSubject& subject,
                                               const std::vector<std::string>& labels) override;
  absl::StatusOr<ForgeCommentWritten> AddComment(const ForgeCall& call, const ForgeSubject& subject,
                                                 std::string_view body) override;
  absl::StatusOr<ForgeAccess> GetPermission(const ForgeCall& call, std::string_view repository,
                                            std::string_view login) override;
  // UNIMPLEMENTED: GitCode has no teams.
  absl::StatusOr<bool> IsTeamMember(const ForgeCall& call, std::string_view organisation, std::string_view team,
                                    std::string_view login) override;
  absl::StatusOr<std::optional<ForgeFile>> GetFile(const ForgeCall& call, std::string_view repository,
                                                   std::string_view path, std::string_view ref) override;
  absl::StatusOr<ForgePull> GetPull(const ForgeCall& call, const ForgeSubject& subject) override;
  absl::StatusOr<ForgePullFileList> ListPullFiles(const ForgeCall& call, const ForgeSubject& subject) override;
  absl::StatusOr<ForgeCommentWritten> EditComment(const ForgeCall& call, const ForgeSubject& subject,
                                                  std::string_view comment, std::string_view body) override;
  bool has_reactions() const override { return false; }
  absl::StatusOr<std::string> AddReaction(const ForgeCall& call, const ForgeSubject& subject, std::string_view comment,
                                          ForgeReaction reaction) override;
  absl::StatusOr<ForgeLabelsWritten> RemoveLabel(const ForgeCall& call, const ForgeSubject& subject,
                                                 std::string_view label) override;
  // UNIMPLEMENTED, both: GitCode keeps no record of deliveries that can be asked for.
  absl::StatusOr<ForgeHookDeliveryPage> ListHookDeliveries(const ForgeCall& call, std::string_view repository,
                                                           std::string_view hook, std::string_view cursor) override;
  absl::Status Redeliver(const ForgeCall& call, std::string_view repository, std::string_view hook,
                         std::string_view delivery) override;

 private:
  absl::StatusOr<ForgeIssue> ReadIssue(const Run& run, const ForgeSubject& subject);
  absl::StatusOr<ForgeCommentList> ReadComments(const Run& run, const ForgeSubject& subject);
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_FORGE_H_
