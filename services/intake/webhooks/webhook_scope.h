// What must be known of a webhook's body before it is stored, found before anything parses the body as a whole: which
// repository it is about, since a secret may be valid for some repositories only, and which delivery it is, where no
// header says so.
#ifndef YARDMASTER_SERVICES_INTAKE_WEBHOOKS_WEBHOOK_SCOPE_H_
#define YARDMASTER_SERVICES_INTAKE_WEBHOOKS_WEBHOOK_SCOPE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/profile.h"

namespace yardmaster {

enum class ScanState {
  kFound,
  kAbsent,   // an object without such a member
  kNotJson,  // does not even begin like a JSON object, or its structure breaks before the member
};

struct ScanResult {
  ScanState state = ScanState::kAbsent;
  std::string text;  // kFound only
};

// Arrays and objects inside each other that the scan follows. Deeper bodies are kNotJson here and ignored with a reason
// by the router.
inline constexpr size_t kMaxScanDepth = 512;
// A longer text is no name.
inline constexpr size_t kMaxScannedBytes = 512;

// The text at `path`. One pass over the bytes that builds nothing and stops at the first place that answers. It is no
// validator: a body that goes wrong later, or repeats a key, is found by the router, which parses strictly and compares
// the repository.
ScanResult FindMember(std::string_view body, const PayloadMember& path);

// True if one of the secrets at `matched` is valid for `repository`. A secret without a list is valid for all.
bool InScope(std::string_view repository, const std::vector<size_t>& matched,
             const std::vector<WebhookSecret>& secrets);

// True if one of the secrets at `matched` is valid for every repository.
bool AnyUnlimited(const std::vector<size_t>& matched, const std::vector<WebhookSecret>& secrets);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_WEBHOOKS_WEBHOOK_SCOPE_H_
