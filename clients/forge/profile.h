// A forge in one row: everything that the rest of the program has to know about it. To add one, write its folder beside
// github/ and gitcode/, and name its profile in clients/forges/shipped_forges.cc.
#ifndef YARDMASTER_CLIENTS_FORGE_PROFILE_H_
#define YARDMASTER_CLIENTS_FORGE_PROFILE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "clients/forge/budget_model.h"
#include "clients/forge/forge_config.h"
#include "clients/forge/forge_event.h"
#include "clients/forge/make_forge.h"
#include "clients/forge/rest_adapter.h"

namespace yardmaster {

// A member of a member of a webhook's body, e.g. {"repository", "full_name"}; without an object of the body itself.
struct PayloadMember {
  std::string_view object;
  std::string_view member;
};

// How a forge sends webhooks.
struct WebhookProfile {
  // The first of these headers that is there counts.
  std::vector<std::string_view> event_headers;
  std::vector<std::string_view> delivery_headers;
  // Member of the body that names the delivery where no header does; empty: a delivery without a header is refused.
  std::string_view delivery_member;
  std::string_view signature_header;
  std::string_view token_header;         // the secret itself; empty: this forge never sends it
  PayloadMember repository;              // where the body names the repository
  std::vector<std::string_view> events;  // that `read` knows; all others are ignored on arrival
  std::string_view ping_event;           // empty: there is none
  ReadWebhook read = nullptr;
};

// A permission that an App needs.
struct PermissionNeed {
  std::string_view name;   // in answers of the forge
  std::string_view level;  // "read" or "write": the least that will do
  std::string_view shown;  // as the forge's pages call it
  std::string_view use;    // what does not work without it; empty: nothing does
};

// How accounts, repositories and webhooks have to be set up. Words are the forge's own; pages are for people.
struct SetupProfile {
  std::vector<PermissionNeed> permissions;
  std::vector<std::string> scopes;  // of a token that tells its scopes: one of them
  // Prefix of tokens whose permissions nobody is told; empty: there are none.
  std::string_view opaque_token_prefix;
  std::vector<std::string> webhook_events;
  std::vector<std::string> review_events;  // besides, where an App publishes reviews as checks
  std::string_view token_page;
  std::string_view app_page;
  std::string_view access_page;   // of a repository: who may do what
  std::string_view webhook_page;  // of a repository
};

struct ForgeProfile {
  std::string_view name;  // as in the configuration, in paths of webhooks and in subjects
  // The public instance. Git's user name goes with a token in place of the password.
  std::string_view api_url;
  std::string_view git_url;
  std::string_view git_user;
  // Where git finds the head of a pull request, "{}" being its number.
  std::string_view pull_ref;
  // Where repositories keep the template of a pull request's text; the first of these paths that is there counts.
  std::vector<std::string_view> pull_templates;
  BudgetLimits budget;
  WebhookProfile webhooks;
  SetupProfile setup;
  // Where the forge has Apps: credentials from ForgeConfig.app. Null: it has none.
  absl::StatusOr<std::unique_ptr<ForgeCredentials>> (*app_credentials)(const ForgeConfig& config,
                                                                       ForgeTransport& transport,
                                                                       const ForgeEnvironment& environment) = nullptr;
  std::unique_ptr<ForgeDialect> (*dialect)() = nullptr;
  std::unique_ptr<StoppableForge> (*client)(ForgePipeline pipeline, const Clock& clock) = nullptr;
};

// A table of forges. Entries live as long as the program.
using ForgeProfiles = absl::Span<const ForgeProfile* const>;

// nullptr for a name that has no entry.
const ForgeProfile* FindForge(ForgeProfiles profiles, std::string_view name);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_PROFILE_H_
