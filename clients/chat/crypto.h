// What the platforms' signatures and encryptions are made of. Pure.
#ifndef YARDMASTER_CLIENTS_CHAT_CRYPTO_H_
#define YARDMASTER_CLIENTS_CHAT_CRYPTO_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::chat {

// Raw bytes.
std::string HmacSha256(std::string_view key, std::string_view text);
// 64 and 40 lower-case digits.
std::string HmacSha256Hex(std::string_view key, std::string_view text);
std::string Sha1Hex(std::string_view text);

std::string Base64(std::string_view bytes);
// nullopt for what is no Base64.
std::optional<std::string> FromBase64(std::string_view text);

// Whether two texts are the same, in a time that tells neither where they differ nor how long they are. An empty
// secret is the same as nothing.
bool SameSecret(std::string_view given, std::string_view secret);

// AES-256-CBC. `key` has 32 bytes, `iv` 16. Padding is PKCS#7 up to `block` bytes, a multiple of 16 that is at most 32;
// nullopt for text that is no multiple of 16 or whose padding is wrong. Only for what a signature or a token inside
// proves: whoever may try texts at will could learn from what is refused.
std::optional<std::string> DecryptAes256Cbc(std::string_view key, std::string_view iv, std::string_view text,
                                            size_t block);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_CRYPTO_H_
