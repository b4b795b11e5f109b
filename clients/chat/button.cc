#include "clients/chat/button.h"

#include "absl/strings/str_cat.h"
#include "clients/chat/crypto.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

// Not the platform's secret itself: what is signed for one purpose counts for no other.
std::string ButtonSignature(std::string_view secret, std::string_view signed_part) {
  return HmacSha256Hex(HmacSha256(secret, "yardmaster button 1"), signed_part);
}

}  // namespace

std::string SignButton(std::string_view secret, std::string_view payload, std::chrono::system_clock::time_point until) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(until.time_since_epoch()).count();
  std::string value = absl::StrCat(seconds, ".", Base64(payload));
  return absl::StrCat(value, ".", ButtonSignature(secret, value));
}

std::optional<std::string> OpenButton(std::string_view secret, std::string_view value,
                                      std::chrono::system_clock::time_point now) {
  const size_t first = value.find('.');
  const size_t last = value.rfind('.');
  if (secret.empty() || value.size() > kMaxButtonBytes || first == last) return std::nullopt;
  if (!SameSecret(value.substr(last + 1), ButtonSignature(secret, value.substr(0, last)))) return std::nullopt;
  const std::optional<int64_t> seconds = ParseTimestamp(value.substr(0, first));
  if (!seconds.has_value() || now >= std::chrono::system_clock::time_point(std::chrono::seconds(*seconds))) {
    return std::nullopt;
  }
  return FromBase64(value.substr(first + 1, last - first - 1));
}

}  // namespace yardmaster::chat
