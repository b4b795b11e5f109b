#include "clients/doctor/facts.h"

#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/address.h"

namespace yardmaster::doctor {
namespace {

// Nobody waits longer for one answer of a forge that is in trouble.
constexpr ForgeCall kCall{ForgePriority::kCommand, std::chrono::milliseconds(20'000)};
// Reading any file shows whether files may be read; that this one is absent is an answer.
constexpr std::string_view kAnyFile = "README.md";

bool PointsAtUs(const ForgeWebhook& webhook, const std::string& forge) {
  const std::string_view path = std::string_view(webhook.url).substr(0, webhook.url.find_first_of("?#"));
  return path.ends_with(absl::StrCat("/webhooks/", forge));
}

}  // namespace

std::string DescribeProxy(const ProxyConfig& proxy, const std::string& api_url,
                          const std::function<std::string(const char* name)>& variable) {
  const std::optional<Url> url = ParseUrl(api_url);
  if (!url.has_value() || IsLoopbackHost(url->host)) return {};
  if (proxy.url.has_value()) return *proxy.url;
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    // The value may hold a password.
    if (!variable(name).empty()) return absl::StrCat("the proxy of $", name);
  }
  return {};
}

const ForgeWebhook* OurWebhook(const ForgeConfig& forge, const std::string& repository,
                               const std::vector<ForgeWebhook>& webhooks) {
  const auto configured = absl::c_find_if(
      forge.hooks, [&](const ForgeHook& hook) { return absl::EqualsIgnoreCase(hook.repository, repository); });
  if (configured != forge.hooks.end()) {
    const auto it =
        absl::c_find_if(webhooks, [&](const ForgeWebhook& webhook) { return webhook.id == configured->id; });
    if (it != webhooks.end()) return &*it;
  }
  const ForgeWebhook* found = nullptr;
  for (const ForgeWebhook& webhook : webhooks) {
    if (PointsAtUs(webhook, forge.name) && (found == nullptr || (webhook.active && !found->active))) found = &webhook;
  }
  return found;
}

absl::StatusOr<ForgeAccount> ReadAccount(StoppableForge& client) { return client.GetAccount(kCall); }

RepositoryFacts ReadRepositoryFacts(StoppableForge& client, const ForgeFacts& forge, const std::string& repository,
                                    const FindLabelProblems& find_label_problems) {
  RepositoryFacts facts{forge, repository, forge.config.FindRepository(forge.forge.name, repository)};
  if (!forge.account.ok()) return facts;
  facts.repository = client.GetRepository(kCall, repository);
  if (!facts.repository.ok()) return facts;

  facts.contents = client.GetFile(kCall, repository, kAnyFile, /*ref=*/"").status();
  facts.issues = client.ListIssues(kCall, repository, {}).status();
  const absl::StatusOr<std::vector<ForgeLabel>> labels = client.RepositoryLabels(kCall, repository);
  facts.labels = labels.status();
  if (labels.ok() && facts.entry != nullptr) {
    facts.label_problems = find_label_problems(*facts.entry, *labels, client.label_rules());
  }
  facts.webhooks = client.ListWebhooks(kCall, repository);
  if (!facts.webhooks.ok()) return facts;
  if (const ForgeWebhook* webhook = OurWebhook(forge.forge, repository, *facts.webhooks); webhook != nullptr) {
    absl::StatusOr<ForgeHookDeliveryPage> page = client.ListHookDeliveries(kCall, repository, webhook->id, "");
    if (page.ok()) {
      facts.deliveries = std::move(page->deliveries);
    } else {
      facts.deliveries = page.status();
    }
  }
  return facts;
}

}  // namespace yardmaster::doctor
