// An Ed25519 key that stays on this machine, and signatures with it.
#ifndef YARDMASTER_SERVICES_CORE_SIGNING_KEY_H_
#define YARDMASTER_SERVICES_CORE_SIGNING_KEY_H_

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

extern "C" struct evp_pkey_st;

namespace yardmaster {

inline constexpr size_t kMaxKeyFileBytes = 16 * 1024;

// Thread-safe.
class SigningKey {
 public:
  // Reads the key of `file` (PEM), or makes one there, of mode 600. FAILED_PRECONDITION: the file is no such key.
  static absl::StatusOr<std::unique_ptr<SigningKey>> Open(const std::filesystem::path& file);

  // 64 bytes.
  absl::StatusOr<std::string> Sign(std::string_view text) const;
  // PEM, for those who check.
  const std::string& public_key() const { return public_key_; }

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
  };
  explicit SigningKey(evp_pkey_st* key) : key_(key) {}

  const std::unique_ptr<evp_pkey_st, Free> key_;
  std::string public_key_;
};

// True if `signature` is of `text` by the key that belongs to `public_key` (PEM). INVALID_ARGUMENT: that is no Ed25519
// key.
absl::StatusOr<bool> SignatureHolds(std::string_view public_key, std::string_view text, std::string_view signature);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_SIGNING_KEY_H_
