// SHA-256, by which contents are recognised.
#ifndef YARDMASTER_SERVICES_CORE_SHA256_H_
#define YARDMASTER_SERVICES_CORE_SHA256_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>

// As OpenSSL declares it, so that its header is not included here.
struct evp_md_ctx_st;

namespace yardmaster {

using Sha256Bytes = std::array<unsigned char, 32>;

Sha256Bytes Sha256(std::string_view bytes);

// 64 lower-case digits.
std::string Sha256Hex(std::string_view bytes);

// The same of text that comes in pieces: how it is cut makes no difference.
class Sha256Pieces {
 public:
  Sha256Pieces();

  void Add(std::string_view piece);
  // Of all that was added. To be asked once, at the end.
  Sha256Bytes Digest();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_SHA256_H_
