// Who sent a webhook: a signature over the raw bytes of the body, made with a secret that only the forge and we know.
// Pure. The names of the headers are in each forge's profile (clients/forge/profile.h).
#ifndef YARDMASTER_SERVICES_INTAKE_WEBHOOKS_SIGNATURE_H_
#define YARDMASTER_SERVICES_INTAKE_WEBHOOKS_SIGNATURE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/forge_config.h"

namespace yardmaster {

// What a request carries to prove its origin.
struct Proof {
  // "sha256=" and 64 hex digits: HMAC-SHA256 over the body. Digits and prefix in either case.
  std::optional<std::string_view> signature = std::nullopt;
  // The secret itself, as some forges send it. It says nothing about the body, so it only counts where `accept_token`
  // is true and there is no signature.
  std::optional<std::string_view> token = std::nullopt;
  bool accept_token = false;
};

enum class ProofState {
  kMissing,  // no proof of a kind that is accepted
  kWrong,    // malformed, or no secret fits
  kValid,
};

struct ProofResult {
  ProofState state = ProofState::kMissing;
  // Indexes of the secrets that fit, in the order of the config. More than one only if the same value is configured
  // with several scopes.
  std::vector<size_t> secrets;
};

// Tries every secret, in a time that does not depend on which one fits or on how much of it does.
ProofResult CheckProof(const Proof& proof, std::string_view body, const std::vector<WebhookSecret>& secrets);

// "sha256=" and the lower-case hex HMAC: what a sender writes. For tests and for `yard`'s own deliveries.
std::string Sign(std::string_view secret, std::string_view body);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_WEBHOOKS_SIGNATURE_H_
