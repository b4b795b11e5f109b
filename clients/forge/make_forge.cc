#include "clients/forge/make_forge.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/forge/budget.h"
#include "clients/forge/conditional.h"
#include "clients/forge/credentials.h"
#include "clients/forge/http_transport.h"
#include "clients/forge/metrics.h"
#include "clients/forge/profile.h"
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
  const ForgeProfile* const profile = config.profile;
  if (profile == nullptr) return Invalid(absl::StrCat("there is no client for the forge ", Quoted(config.name)));
  if (config.app.has_value() && profile->app_credentials == nullptr) {
    return Invalid(absl::StrCat("forges.", config.name, ".app: this forge has no Apps"));
  }
  ForgePipeline pipeline;
  pipeline.dialect = profile->dialect();

  // From the inside out.
  const auto add = [&pipeline](auto transport) -> ForgeTransport& {
    pipeline.transports.push_back(std::move(transport));
    return pipeline.outermost();
  };
  HttpTransport::OnClock on_clock;
  if (environment.on_clock != nullptr) {
    on_clock = [tell = environment.on_clock, name = config.name](std::chrono::seconds ahead) { tell(name, ahead); };
  }
  ForgeTransport* stack = &add(std::make_unique<HttpTransport>(
      config.api_url, config.timeout, *pipeline.dialect, environment.http, environment.clock, std::move(on_clock)));
  if (environment.metrics != nullptr) {
    stack = &add(std::make_unique<MetricsTransport>(*stack, config.name, environment.clock, *environment.metrics));
  }
  if (config.app.has_value()) {
    ASSIGN_OR_RETURN(pipeline.credentials, profile->app_credentials(config, *stack, environment));
  } else {
    pipeline.credentials = std::make_unique<StaticToken>(config.token);
  }
  stack = &add(std::make_unique<CredentialsTransport>(*stack, *pipeline.credentials, pipeline.dialect->TokenHeader()));
  stack = &add(std::make_unique<BudgetTransport>(*stack, WithConfig(profile->budget, config.budget), config.name,
                                                 environment.clock, environment.waiter, environment.metrics));
  stack = &add(std::make_unique<RetryTransport>(*stack, RetryPolicy{}, environment.seed, config.name, environment.clock,
                                                environment.waiter, environment.metrics));
  add(std::make_unique<ConditionalTransport>(*stack, ConditionalLimits{}));
  return profile->client(std::move(pipeline), environment.clock);
}

}  // namespace yardmaster
