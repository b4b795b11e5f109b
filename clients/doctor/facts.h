// What the checks judge: read from the live forge once, so that the checks are pure functions. Nothing here writes.
#ifndef YARDMASTER_CLIENTS_DOCTOR_FACTS_H_
#define YARDMASTER_CLIENTS_DOCTOR_FACTS_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/make_forge.h"
#include "clients/forge/profile.h"
#include "services/core/config/config.h"

namespace yardmaster::doctor {

struct ForgeFacts {
  const Config& config;
  const ForgeConfig& forge;
  const ForgeProfile& profile;
  std::string proxy;  // how the forge is reached, for people; empty: directly
  absl::StatusOr<ForgeAccount> account{};
  std::optional<std::chrono::seconds> clock_ahead{};  // ours, of the forge's; unset: no answer told the time
};

struct RepositoryFacts {
  const ForgeFacts& forge;
  std::string name;                         // "owner/name"
  const RepositoryConfig* entry = nullptr;  // nullptr: the configuration has none
  absl::StatusOr<ForgeRepository> repository{};
  // What follows is read only if the repository could be.
  absl::Status contents{};  // of reading a file
  absl::Status issues{};    // of reading a page of issues
  absl::Status labels{};    // of reading the repository's labels
  // What is wrong with labels that the packs use, a sentence each.
  std::vector<std::string> label_problems{};
  absl::StatusOr<std::vector<ForgeWebhook>> webhooks{};
  // The last ones of OurWebhook, newest first.
  absl::StatusOr<std::vector<ForgeHookDelivery>> deliveries{};
};

// What is wrong with the labels of a repository for the packs of its entry.
using FindLabelProblems = std::function<std::vector<std::string>(
    const RepositoryConfig& entry, const std::vector<ForgeLabel>& labels, const LabelRules& rules)>;

// How a proxy is configured; empty if there is none, or none that counts for `api_url`. Names no password.
std::string DescribeProxy(const ProxyConfig& proxy, const std::string& api_url,
                          const std::function<std::string(const char* name)>& variable);

// The webhook that tells our daemon: the one of forges.X.hooks, else one whose address ends with /webhooks/FORGE;
// nullptr if there is none. Where there are several, one that is active.
const ForgeWebhook* OurWebhook(const ForgeConfig& forge, const std::string& repository,
                               const std::vector<ForgeWebhook>& webhooks);

RepositoryFacts ReadRepositoryFacts(StoppableForge& client, const ForgeFacts& forge, const std::string& repository,
                                    const FindLabelProblems& find_label_problems);

// One call: who we are.
absl::StatusOr<ForgeAccount> ReadAccount(StoppableForge& client);

}  // namespace yardmaster::doctor

#endif  // YARDMASTER_CLIENTS_DOCTOR_FACTS_H_
