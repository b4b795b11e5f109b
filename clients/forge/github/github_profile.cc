#include "clients/forge/github/github_profile.h"

#include "clients/forge/github/app_credentials.h"
#include "clients/forge/github/github_dialect.h"
#include "clients/forge/github/github_forge.h"
#include "clients/forge/github/github_webhook.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

absl::StatusOr<std::unique_ptr<ForgeCredentials>> MakeAppCredentials(const ForgeConfig& config,
                                                                     ForgeTransport& transport,
                                                                     const ForgeEnvironment& environment) {
  ASSIGN_OR_RETURN(std::unique_ptr<AppJwtSigner> signer, AppJwtSigner::Make(config.app->id, config.app->private_key));
  return std::make_unique<AppCredentials>(std::move(signer), config.app->installation, transport, environment.clock,
                                          environment.on_secret);
}

// 80 writes a minute and 500 an hour, one second apart; 900 points a minute; 100 requests at once, of which others of
// the same account may need some. The primary limit is not here: every answer tells it.
BudgetLimits Budget() {
  BudgetLimits limits;
  limits.points_per_minute = 900;
  limits.mutations_per_minute = 80;
  limits.mutations_per_hour = 500;
  limits.spacing = std::chrono::milliseconds(1'000);
  limits.concurrent = 50;
  return limits;
}

}  // namespace

const ForgeProfile& GitHubProfile() {
  static const auto* const kProfile = new ForgeProfile{
      .name = "github",
      .api_url = "https://api.github.com",
      .git_url = "https://github.com",
      .git_user = "x-access-token",
      .pull_ref = "refs/pull/{}/head",
      .pull_templates = {".github/PULL_REQUEST_TEMPLATE.md", ".github/pull_request_template.md",
                         "PULL_REQUEST_TEMPLATE.md", "pull_request_template.md", "docs/PULL_REQUEST_TEMPLATE.md",
                         "docs/pull_request_template.md"},
      .budget = Budget(),
      .webhooks =
          {
              .event_headers = {"X-GitHub-Event"},
              .delivery_headers = {"X-GitHub-Delivery"},
              .delivery_member = {},
              .signature_header = "X-Hub-Signature-256",
              .token_header = {},
              .repository = {"repository", "full_name"},
              .events = {"issues", "issue_comment", "pull_request", "push", "check_run", "check_suite"},
              .ping_event = "ping",
              .read = ReadGitHubWebhook,
          },
      .setup =
          {
              .permissions = {{"metadata", "read", "Metadata", ""},
                              {"issues", "write", "Issues", ""},
                              {"contents", "read", "Contents", ""},
                              {"contents", "write", "Contents",
                               "commands that push: /squash, /rebase, /backport, /sync"},
                              {"pull_requests", "write", "Pull requests", "commands on pull requests"},
                              {"checks", "write", "Checks", "the check of reviews, with its remarks at lines"},
                              {"repository_hooks", "write", "Webhooks", "asking for missed deliveries (hooks)"}},
              .scopes = {"repo", "public_repo"},
              .opaque_token_prefix = "github_pat_",
              .webhook_events = {"issues", "issue_comment", "pull_request"},
              .review_events = {"check_run", "check_suite"},
              .token_page = "Settings > Developer settings > Personal access tokens",
              .app_page = "Settings > Developer settings > GitHub Apps > Permissions & events, and accept the change "
                          "under Settings > Applications",
              .access_page = "Settings > Collaborators and teams",
              .webhook_page = "Settings > Webhooks",
          },
      .app_credentials = MakeAppCredentials,
      .dialect = []() -> std::unique_ptr<ForgeDialect> { return std::make_unique<GitHubDialect>(); },
      .client = [](ForgePipeline pipeline, const Clock& clock) -> std::unique_ptr<StoppableForge> {
        return std::make_unique<GitHubForge>(std::move(pipeline), clock);
      },
  };
  return *kProfile;
}

}  // namespace yardmaster
