#include "clients/forge/make_forge.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/forge/budget.h"
#include "clients/forge/conditional.h"
#include "clients/forge/gitcode/gitcode_dialect.h"
#include "clients/forge/gitcode/gitcode_forge.h"
#include "clients/forge/github/app_credentials.h"
#include "clients/forge/github/github_dialect.h"
#include "clients/forge/github/github_forge.h"
#include "clients/forge/http_transport.h"
#include "clients/forge/metrics.h"
#include "clients/forge/rest_adapter.h"
#include "clients/forge/retry.h"
#include "services/core/address.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

absl::Status Invalid(std::string_view message) {
  return MakeForgeStatus({ForgeReason::kInvalidInput, ForgeOutcome::kNotSent, 0, std::nullopt}, message);
}

}  // namespace

absl::StatusOr<std::unique_ptr<StoppableForge>> MakeForge(const ForgeConfig& config,
                                                          const ForgeEnvironment& environment) {
  const std::optional<Url> url = ParseUrl(config.api_url);
  if (!url.has_value() || (url->scheme != "https" && !(url->scheme == "http" && IsLoopbackHost(url->host)))) {
    return Invalid(absl::StrCat("forges.", config.name, ".api_url: expected an https URL, or http for loopback"));
  }

  // What differs between the forges.
  ForgePipeline pipeline;
  BudgetLimits limits;
  if (config.name == "github") {
    pipeline.dialect = std::make_unique<GitHubDialect>();
    limits = GitHubBudget();
  } else if (config.name == "gitcode") {
    pipeline.dialect = std::make_unique<GitCodeDialect>();
    limits = GitCodeBudget();
  } else {
    return Invalid(absl::StrCat("there is no client for the forge ", Quoted(config.name)));
  }
  limits = WithConfig(limits, config.budget);

  // From the inside out.
  const auto add = [&pipeline](auto transport) -> ForgeTransport& {
    pipeline.transports.push_back(std::move(transport));
    return pipeline.outermost();
  };
  ForgeTransport* stack = &add(std::make_unique<HttpTransport>(config.api_url, config.timeout, *pipeline.dialect,
                                                               environment.http, environment.clock));
  if (environment.metrics != nullptr) {
    stack = &add(std::make_unique<MetricsTransport>(*stack, config.name, environment.clock, *environment.metrics));
  }
  AppCredentials* app = nullptr;
  if (config.app.has_value()) {
    if (config.name != "github") return Invalid(absl::StrCat("forges.", config.name, ".app: only GitHub has Apps"));
    ASSIGN_OR_RETURN(std::unique_ptr<AppJwtSigner> signer, AppJwtSigner::Make(config.app->id, config.app->private_key));
    auto credentials = std::make_unique<AppCredentials>(std::move(signer), config.app->installation, *stack,
                                                        environment.clock, environment.on_secret);
    app = credentials.get();
    pipeline.credentials = std::move(credentials);
  } else {
    pipeline.credentials = std::make_unique<StaticToken>(config.token);
  }
  stack = &add(std::make_unique<CredentialsTransport>(*stack, *pipeline.credentials, pipeline.dialect->TokenHeader()));
  stack = &add(std::make_unique<BudgetTransport>(*stack, limits, config.name, environment.clock, environment.waiter,
                                                 environment.metrics));
  stack = &add(std::make_unique<RetryTransport>(*stack, RetryPolicy{}, environment.seed, config.name, environment.clock,
                                                environment.waiter, environment.metrics));
  add(std::make_unique<ConditionalTransport>(*stack, ConditionalLimits{}));

  if (config.name == "github") return std::make_unique<GitHubForge>(std::move(pipeline), environment.clock, app);
  return std::make_unique<GitCodeForge>(std::move(pipeline), environment.clock);
}

}  // namespace yardmaster
