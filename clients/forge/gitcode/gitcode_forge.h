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
  GitCodeForge(ForgePipeline pipeline, const Clock& clock);

  // UNIMPLEMENTED: GitCode has no teams.
  absl::StatusOr<bool> IsTeamMember(const ForgeCall& call, std::string_view organisation, std::string_view team,
                                    std::string_view login) override;
  bool has_reactions() const override { return false; }
  absl::StatusOr<std::string> AddReaction(const ForgeCall& call, const ForgeSubject& subject, std::string_view comment,
                                          ForgeReaction reaction) override;
  // Runs of Actions, which are version 8 of the API.
  absl::StatusOr<std::vector<ForgePullRun>> ListPullRuns(const ForgeCall& call, const ForgeSubject& subject) override;
  absl::StatusOr<ForgePullRun> GetPullRun(const ForgeCall& call, std::string_view repository,
                                          std::string_view run) override;
  // UNIMPLEMENTED, both: GitCode keeps no record of deliveries that can be asked for.
  absl::StatusOr<ForgeHookDeliveryPage> ListHookDeliveries(const ForgeCall& call, std::string_view repository,
                                                           std::string_view hook, std::string_view cursor) override;
  absl::Status Redeliver(const ForgeCall& call, std::string_view repository, std::string_view hook,
                         std::string_view delivery) override;

 private:
  absl::StatusOr<ForgeReviewComment> ReadReviewComment(const Run& run, const ForgeSubject& subject,
                                                       std::string_view id);
  // One comment, which must have become one at a line.
  absl::Status SendReview(const Run& run, const ForgeSubject& subject, std::string_view commit,
                          const std::vector<ForgeInlineComment>& comments) override;
  // The list may lack files and lines; a comment's own address has them.
  absl::Status CompleteReviewComments(const Run& run, const ForgeSubject& subject,
                                      std::vector<ForgeReviewComment>& comments) override;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_FORGE_H_
