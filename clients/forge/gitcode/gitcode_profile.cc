#include "clients/forge/gitcode/gitcode_profile.h"

#include "clients/forge/gitcode/gitcode_dialect.h"
#include "clients/forge/gitcode/gitcode_forge.h"
#include "clients/forge/gitcode/gitcode_webhook.h"

namespace yardmaster {
namespace {

// 50 requests a minute and 4,000 an hour. After 429: 1 s, doubled up to 30 s.
BudgetLimits Budget() {
  BudgetLimits limits;
  limits.requests_per_minute = 50;
  limits.requests_per_hour = 4'000;
  limits.concurrent = 10;
  limits.first_pause = std::chrono::milliseconds(1'000);
  limits.longest_pause = std::chrono::milliseconds(30'000);
  return limits;
}

}  // namespace

const ForgeProfile& GitCodeProfile() {
  // Later names of headers come from older or renamed senders of the same forge.
  static const auto* const kProfile = new ForgeProfile{
      .name = "gitcode",
      .api_url = "https://api.gitcode.com/api/v5",
      .git_url = "https://gitcode.com",
      .git_user = "oauth2",
      .pull_ref = "refs/merge-requests/{}/head",
      // Its own folder first, then those of the forges that projects came from.
      .pull_templates = {".gitcode/PULL_REQUEST_TEMPLATE.zh-CN.md", ".gitcode/PULL_REQUEST_TEMPLATE.md",
                         ".gitee/PULL_REQUEST_TEMPLATE.zh-CN.md", ".gitee/PULL_REQUEST_TEMPLATE.md",
                         ".github/PULL_REQUEST_TEMPLATE.md", ".github/pull_request_template.md",
                         "PULL_REQUEST_TEMPLATE.md", "docs/PULL_REQUEST_TEMPLATE.md"},
      .budget = Budget(),
      .webhooks =
          {
              .event_headers = {"X-GitCode-Event", "X-AtomGit-Event"},
              .delivery_headers = {"X-GitCode-Delivery", "X-AtomGit-Delivery", "X-GitCode-Webhook-Delivery",
                                   "X-GitCode-Event-UUID"},
              .delivery_member = "uuid",
              .signature_header = "X-GitCode-Signature-256",
              .token_header = "X-GitCode-Token",
              .repository = {"project", "path_with_namespace"},
              .events = {"Issue Hook", "Note Hook", "Merge Request Hook", "Push Hook", "Tag Push Hook"},
              .ping_event = {},
              .read = ReadGitCodeWebhook,
          },
      .setup =
          {
              .permissions = {},
              .scopes = {},
              .opaque_token_prefix = {},
              .webhook_events = {"issues_events", "note_events", "merge_requests_events"},
              .token_page = "https://gitcode.com/setting/token-classic",
              .app_page = {},
              .access_page = "the repository's page of members",
              .webhook_page = "the repository's page of webhooks",
          },
      .app_credentials = nullptr,
      .dialect = []() -> std::unique_ptr<ForgeDialect> { return std::make_unique<GitCodeDialect>(); },
      .client = [](ForgePipeline pipeline, const Clock& clock) -> std::unique_ptr<StoppableForge> {
        return std::make_unique<GitCodeForge>(std::move(pipeline), clock);
      },
  };
  return *kProfile;
}

}  // namespace yardmaster
